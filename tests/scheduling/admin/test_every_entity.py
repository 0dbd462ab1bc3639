"""Promise: at every address of the admin, a role for named entities opens what it does for these, and nothing else.

The columns of the matrix: "own entity", where a limited person may what the role may, and "other entity".
"""

import re

import pytest
from django.apps import apps
from django.contrib.auth.models import Group
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from scheduling import clock
from scheduling.models import Plan, Run
from scheduling.plans.draft import PlanDraft
from scheduling.plans.save import save_plan
from scheduling.runs.by_hand import start_batch_now
from staging.models import Entity
from staging.rights import visible
from tests.depth import some
from tests.scheduling.admin.addresses import OURS, SCHEDULING, STAGING, filled
from tests.scheduling.admin.conftest import client_for, client_of, make_configuration, make_limited
from tests.scheduling.admin.test_every_door import (
    BEFORE,
    data_for,
    door,
    fail_a_step,
    refused,
    state,
    things,
)
from tests.scheduling.plans.conftest import step

pytestmark = pytest.mark.django_db
__all__ = ["things"]

ROLES = ("Viewer", "Operator", "Steward", "Administrator")
# About no entity, though it stands among the pages of entities: a new one is none of those that somebody is limited to.
FOR_ALL = {
    "staging_entity_add", "scheduling_schedulerconfiguration_pause_everything",
    "scheduling_schedulerconfiguration_resume_everything", "scheduling_run_cancel_everything",
}  # fmt: skip
# What people keep for themselves, and the log that they take away as they see it, is of no entity.
OF_PERSONS = {
    "scheduling_schedulerlog_delete_filter", "scheduling_schedulerlog_save_filter", "scheduling_schedulerlog_export",
    "scheduling_schedulerconfiguration_times", "scheduling_schedulerconfiguration_switch_times",
    "scheduling_schedulerconfiguration_switch_language", "scheduling_schedulerconfiguration_keys",
    "scheduling_schedulerconfiguration_dismiss_first_steps",
}  # fmt: skip
# A limited person sends what the others do, and it is refused: a plan without steps is nobody's, a branch is not seen.
ELSE_REFUSED = {"scheduling_plan_add"}


@pytest.fixture
def region(things):
    """An entity that is none of the things."""
    return make_configuration("region").entity


def own(role):
    """A browser of a person whose entities are those of all things."""
    return client_of(make_limited(role, "customer", "branch"))


def other(role):
    """A browser of a person whose entity is another one."""
    return client_of(make_limited(role, "region"))


def is_of_entities(pattern: str, name: str) -> bool:
    """Return whether an address is about entities, or things of them."""
    _, _, app, model, *_ = pattern.split("/")
    rows = apps.get_model(app, model)._default_manager.all()
    ids = frozenset(Entity.objects.values_list("pk", flat=True))
    return name not in FOR_ALL and visible(rows, ids).exists()


@pytest.mark.parametrize("role", some(ROLES, one_in=2))
def test_get_of_the_own_entity_shows_what_the_role_may_see(role, things, region):
    fail_a_step()
    mine, all_of_them, wrong = own(role), client_for(role), {}
    for pattern, name in OURS:
        address = filled(pattern, things)
        expected = is_of_entities(pattern, name) and not refused(all_of_them.get(address, {"task": 777}))
        response = mine.get(address, {"task": 777})
        if name and refused(response) is expected:
            wrong[name] = response.status_code
    assert wrong == {}


@pytest.mark.parametrize("role", some(ROLES, one_in=2))
def test_get_of_another_entity_is_forbidden_whether_it_is_there_or_not(role, things, region):
    fail_a_step()
    client, before, wrong = other(role), state(), {}
    for pattern, name in OURS:
        addresses = {filled(pattern, things)}
        if is_of_entities(pattern, name):
            addresses.add(re.sub(r"<[^>]+>", "999999", pattern))
        for address in addresses:
            response = client.get(address, {"task": 777})
            led_on = response.status_code == 302 and not name  # the bare number leads to the form, which refuses
            if "<" in pattern and response.status_code not in (403, 405) and not led_on:
                wrong[address] = response.status_code
            assert b"ustomer" not in response.content and b"ranch" not in response.content, address
    assert wrong == {} and state() == before


@pytest.mark.parametrize("role", some(ROLES, one_in=2))
def test_post_to_another_entity_changes_nothing(role, things, region):
    fail_a_step()
    client, before = other(role), state()
    for pattern, name in ((pattern, name) for pattern, name in OURS if name not in OF_PERSONS):
        response = client.post(filled(pattern, things), {**data_for(name, things), "task": "777", "select_across": "0"})
        assert response.status_code in (403, 405) or "<" not in pattern or not name, (pattern, response.status_code)
    assert state() == before


@pytest.mark.parametrize("role", some(ROLES, one_in=2))
def test_post_to_the_own_entity_changes_what_the_role_may_change(role, things, region):
    client, wrong = own(role), {}
    for pattern, name in ((pattern, name) for pattern, name in SCHEDULING if name not in OF_PERSONS):
        expected = role in door(name)[1] and is_of_entities(pattern, name) and name not in ELSE_REFUSED
        with transaction.atomic():
            BEFORE.get(name.removeprefix("scheduling_"), lambda: None)()
            before = state()
            response = client.post(filled(pattern, things), data_for(name, things))
            if (state() != before) is not expected:
                wrong[name] = response.status_code
            transaction.set_rollback(True)
    assert wrong == {}


@pytest.mark.parametrize("role", some(("Administrator", "Viewer", "Steward", "Operator"), one_in=4))
def test_post_to_the_own_entity_does_in_staging_what_the_role_does_for_all(role, things, region):
    """Which role may what tests/staging/admin/test_access.py tries; this one, that a limit takes nothing away."""
    wrong, changing = {}, set()

    def answered(client, pattern, name):
        with transaction.atomic():
            before = state()
            response = client.post(filled(pattern, things), data_for(name, things))
            found = refused(response), state() != before
            transaction.set_rollback(True)
        return found

    mine, all_of_them = own(role), client_for(role)
    for pattern, name in STAGING:
        is_refused, is_changed = answered(all_of_them, pattern, name)
        changing |= {name} if is_changed else set()
        expected = (is_refused, is_changed) if is_of_entities(pattern, name) else (True, False)
        if (found := answered(mine, pattern, name)) != expected:
            wrong[name] = found
    assert wrong == {} and (changing or role != "Administrator")


@pytest.mark.parametrize("action", ["process_selected", "pause_selected", "enable_selected"])
def test_an_action_leaves_out_what_the_person_only_sees(action, things, region):
    """A viewer of everything who is a steward of one entity acts on that one, and is told of the others."""
    user = make_limited("Steward", "region")
    user.groups.add(Group.objects.get(name="Viewer"))
    client, before = client_of(user), Run.objects.count()
    chosen = [region.configuration.pk, things["schedulerconfiguration"]]
    address = "/admin/scheduling/schedulerconfiguration/"
    shown = client.get(address).content.decode()
    assert "Customer" in shown and "Region" in shown
    data = {"action": action, "confirmed": "yes", "pause_reason": "Audit", "index": "0", "_selected_action": chosen}
    page = client.post(address, data, follow=True).content.decode()
    assert "Customer: you may not do this for it" in page
    customer = Entity.objects.get(code="customer").configuration
    assert customer.paused_at is None and not Run.objects.filter(entity=customer.entity).exists()
    assert Run.objects.count() - before == (action == "process_selected")


def test_the_links_of_a_list_are_those_of_each_row(things, region):
    user = make_limited("Operator", "region")
    user.groups.add(Group.objects.get(name="Viewer"))
    page = client_of(user).get("/admin/scheduling/schedulerconfiguration/").content.decode()
    assert f"/{region.configuration.pk}/process/" in page
    assert f"/{things['schedulerconfiguration']}/process/" not in page


@pytest.mark.parametrize(
    "page",
    ["scheduling/schedulerconfiguration/", "staging/entity/", "staging/batch/", "scheduling/run/", "scheduling/plan/"],
)
def test_a_list_of_many_entities_costs_as_much_as_one_of_few(page, db):
    """Rights are read once a request, and never for each row."""
    statements = []
    for number in (2, 9):
        codes = [f"e{number}_{place}" for place in range(number)]
        for code in codes:
            started = start_batch_now(make_configuration(code), started_by="someone", now=clock.now())
            save_plan(PlanDraft(Plan(name=f"Of {code}"), {}, [step(started.run.entity)]), now=clock.now())
        client = client_of(make_limited("Administrator", *codes))
        with CaptureQueriesContext(connection) as asked:
            text = client.get(f"/admin/{page}").content.decode()
        assert codes[-1].replace("_", " ").capitalize() in text or f"Of {codes[-1]}" in text
        statements.append(len(asked))
    assert statements[0] == statements[1]
