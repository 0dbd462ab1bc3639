"""Promise: Copy fills the form of a new plan with everything of another; it stores nothing, and every rule applies."""

import pytest
from django.contrib.auth.models import User

from scheduling.admin.plans.steps import AT_ONCE
from scheduling.model_files.steps import plan_section
from scheduling.models import Plan, Queue, Run, SqlScript
from scheduling.plans.draft import PlanDraft
from scheduling.plans.save import save_plan
from scheduling.runs.by_hand import start_plans_now
from staging.models import Entity
from tests.scheduling.admin.conftest import NOW, client_of, make_limited
from tests.scheduling.admin.plans.test_admin import address, errors_of
from tests.scheduling.plans.conftest import step

pytestmark = pytest.mark.django_db

DAILY = {"schedule_type": "daily", "run_times": "02:30", "timezone": "Europe/Amsterdam", "starts_on": "2026-01-01"}

ASKED = [{"step": "region", "path": "rejected", "is": ">", "value": 0}]


@pytest.fixture
def entities():
    return {code: Entity.objects.create(code=code, name=code.capitalize()) for code in ("region", "branch", "till")}


@pytest.fixture
def plan(entities):
    """A plan with something of everything, that ran."""
    queue = Queue.objects.create(name="night")
    retried = {"attempts": 3, "retry_interval_seconds": 30, "retry_backoff": True, "retry_on": "OSError"}
    steps = [
        step(entities["region"], priority=3, queue=queue, timeout_seconds=60, continue_on_failure=True, **retried),
        step(entities["branch"], "region", step_index=2, is_cancelled=True),
        step(entities["till"], step_index=3, run_if="any_failed", insists_on=["attempts"], only_when=ASKED),
    ]
    plan = Plan(
        name="Nightly", description="All of it.", order="both", overlap="queue_one", is_enabled=True,
        parameters={"day": {"type": "text", "default": "x"}}, owner=User.objects.create_user("owner", is_staff=True),
        default_queue=queue, default_attempts=2, default_retry_interval_seconds=0, default_timeout_seconds=90,
        run_timeout_seconds=3600, run_attempts=4, run_retry_interval_seconds=90, run_retry_backoff=True,
    )  # fmt: skip
    plan = save_plan(PlanDraft(plan, DAILY, steps), now=NOW)
    start_plans_now(["Nightly"], started_by="someone", now=NOW)
    return plan


def opened(client, plan):
    return client.get(address("add"), {"copy": plan.pk})


def sent(response, **changes):
    """Return what a browser sends of the form that it was shown, with these changes."""
    formset = response.context["inline_admin_formsets"][0].formset
    data = {"steps-copied": ",".join(str(each.pk) for each in formset.stored_copied)}
    data |= {f"steps-{name}": value for name, value in formset.management_form.initial.items()}
    for each in [response.context["adminform"].form, *formset.forms]:
        shown = {each.add_prefix(name): each[name].value() for name in each.fields}
        data |= {name: value for name, value in shown.items() if value is not None and value is not False}
    return {**data, **changes}


def saved(client, plan, **changes):
    return client.post(f"{address('add')}?copy={plan.pk}", sent(opened(client, plan), **changes))


def test_a_copy_is_the_plan_under_another_name_switched_off(plan, steward):
    page = steward.get(address("change", plan.pk)).content.decode()
    assert f'href="{address("add")}?copy={plan.pk}"' in page
    response = saved(steward, plan)
    assert response.status_code == 302, errors_of(response)
    copied, stored = Plan.objects.get(name="Copy of Nightly"), Plan.objects.get(pk=plan.pk)
    was, now = plan_section(PlanDraft.of(stored)), plan_section(PlanDraft.of(copied))
    assert now == {**was, "name": "Copy of Nightly", "schedule": {**was["schedule"], "is_enabled": False}}
    assert now["default_queue"] == "night" and now["steps"][2]["attempts"] == 1
    assert len(now["steps"]) == 3 and now["owner"] == "owner" and now["steps"][1]["depends_on"] == ["region"]
    assert not copied.is_running and copied.last_result == "" and copied.next_scheduled_run is None
    assert Run.objects.count() == 1 and stored.is_enabled, "what is copied stays as it is"


def test_opening_the_form_stores_nothing_and_shows_what_is_copied(plan, steward):
    page = opened(steward, plan).content.decode()
    assert "Copy plan Nightly" in page and "Below stands everything of plan Nightly, switched off." in page
    assert 'value="Copy of Nightly"' in page and "Every day at 02:30, Europe/Amsterdam" in page
    assert Plan.objects.count() == 1


def test_the_name_of_a_copy_is_free_and_fits(plan, steward):
    for name in ("Copy of Nightly", "Copy of Nightly (2)"):
        assert saved(steward, plan).status_code == 302
        assert Plan.objects.filter(name=name).exists()
    long = save_plan(PlanDraft(Plan(name="x" * 100), {}, []), now=NOW)
    for _ in range(2):
        assert saved(steward, long).status_code == 302
    assert {len(name) for name in Plan.objects.filter(name__startswith="Copy of x").values_list("name", flat=True)} == {
        100
    }


def test_a_step_is_changed_or_left_out_before_the_copy_is_stored(plan, steward, entities):
    other = Entity.objects.create(code="other", name="Other")
    changed = {"steps-0-priority": 9, "steps-1-what": "", "steps-3-what": f"entity:{other.pk}"}
    response = saved(steward, plan, **changed)
    assert response.status_code == 302, errors_of(response)
    steps = Plan.objects.get(name="Copy of Nightly").steps.select_related("entity")
    assert {each.key: each.priority for each in steps} == {"region": 9, "till": 0, "other": 0}
    refused = saved(steward, plan, **{"steps-0-what": ""})
    assert errors_of(refused) == {"1.after": ["There is no step 'region' in this plan."]}


def test_a_cancelled_plan_is_copied_into_force(plan, steward):
    Plan.objects.filter(pk=plan.pk).update(is_cancelled=True, is_enabled=False)
    assert saved(steward, plan).status_code == 302
    assert not Plan.objects.get(name="Copy of Nightly").is_cancelled


def test_a_long_plan_is_copied_whole_with_a_page_of_its_steps_to_change(steward):
    entities = Entity.objects.bulk_create(Entity(code=f"e{number:03}", name=f"E {number}") for number in range(130))
    steps = [step(one, *(["e000"] if place == 129 else []), step_index=place) for place, one in enumerate(entities)]
    long = save_plan(PlanDraft(Plan(name="Long"), {}, steps), now=NOW)
    page = opened(steward, long)
    assert "105 more steps are copied as they are." in page.content.decode()
    assert len(page.context["inline_admin_formsets"][0].formset.forms) == AT_ONCE + 2
    response = saved(steward, long, **{"steps-3-priority": 7})
    assert response.status_code == 302, errors_of(response)
    copied = plan_section(PlanDraft.of(Plan.objects.get(name="Copy of Long")))
    was = plan_section(PlanDraft.of(long))
    was["steps"][3]["priority"] = 7
    assert copied["steps"] == was["steps"] and len(copied["steps"]) == 130


def test_only_steps_of_the_copied_plan_are_taken_over(plan, steward, entities):
    other = save_plan(PlanDraft(Plan(name="Other"), {}, [step(entities["till"])]), now=NOW)
    foreign = ",".join(str(each.pk) for each in [*other.steps.all(), *plan.steps.all()])
    response = saved(steward, plan, **{"steps-copied": f"{foreign},x,"})
    assert response.status_code == 302, errors_of(response)
    assert Plan.objects.get(name="Copy of Nightly").steps.count() == 3


@pytest.mark.parametrize("deep", [False, True])
def test_who_may_not_run_scripts_copies_no_script_step(deep, plan, steward, administrator):
    script = SqlScript.objects.create(name="Refresh", sql="SELECT 1")
    runs = save_plan(PlanDraft(Plan(name="Runs"), {}, [step(script)]), now=NOW)
    if deep:
        runs = save_plan(PlanDraft(Plan(name="Around"), {}, [step(runs)]), now=NOW)
    before = Plan.objects.count()
    refused = saved(steward, runs)
    assert "only people who may run scripts may save that" in errors_of(refused)["0.what"][0]
    assert Plan.objects.count() == before
    assert saved(administrator, runs).status_code == 302
    assert Plan.objects.count() == before + 1


def test_who_is_limited_to_entities_copies_their_plans_and_no_others(plan, entities):
    own = save_plan(PlanDraft(Plan(name="Own"), {}, [step(entities["till"])]), now=NOW)
    client = client_of(make_limited("Steward", "till"))
    assert saved(client, own).status_code == 302
    for key in (plan.pk, 99_999, "x"):
        assert client.get(address("add"), {"copy": key}).status_code == 403
    person = make_limited("Steward", "region")
    person.groups.add(make_limited("Viewer", "till").groups.get())
    response = saved(client_of(person), own)
    assert "There is nothing called 'till' that a step may do." in errors_of(response)["steps"][0]
    assert Plan.objects.filter(name__startswith="Copy of").count() == 1


def test_only_who_may_add_plans_is_offered_a_copy(plan, operator, viewer):
    for client in (operator, viewer):
        assert "?copy=" not in client.get(address("change", plan.pk)).content.decode()
        assert opened(client, plan).status_code == 403
        assert client.post(f"{address('add')}?copy={plan.pk}", {"name": "x"}).status_code == 403


def test_a_plan_that_is_not_there_is_not_copied(steward):
    for key in ("99999", "x", "9" * 40, ""):
        assert steward.get(address("add"), {"copy": key}).status_code == 404
