"""Promises of wait steps on the form of a plan: they are set, read and copied there, and refused at their field."""

from datetime import time

import pytest
from django.contrib.auth.models import Permission

from scheduling.models import Plan, PlanStep, SqlScript
from scheduling.plans.draft import PlanDraft, StepDraft
from scheduling.plans.save import save_plan
from staging.models import Entity
from tests.scheduling.admin.conftest import NOW
from tests.scheduling.admin.plans.test_admin import address, errors_of, form
from tests.scheduling.admin.plans.test_copy import saved
from tests.scheduling.admin.plans.test_steps import opened
from tests.scheduling.admin.plans.test_steps import sent as sent_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def branch():
    return Entity.objects.create(code="branch", name="Branch")


@pytest.fixture
def script():
    return SqlScript.objects.create(name="Ready", sql="SELECT %(year)s = 2026", parameters={"year": "integer"})


@pytest.fixture
def writer(steward):
    """Return a steward who may run scripts, and the client."""
    person = steward.get("/admin/").wsgi_request.user
    person.user_permissions.add(Permission.objects.get(codename="run_sqlscript"))
    return steward


@pytest.fixture
def plan(branch, script):
    steps = [
        StepDraft(PlanStep(wait_until=time(14), wait_days=1, timeout_seconds=7200)),
        StepDraft(PlanStep(wait_minutes=30, wait_name="cool down"), ["wait until 14:00 + 1"]),
        StepDraft(PlanStep(entity=branch, wait_rows=100)),
        StepDraft(PlanStep(script=script, wait_query=True, arguments={"year": 2026})),
        StepDraft(PlanStep(entity=branch, step_index=2)),
    ]
    return save_plan(PlanDraft(Plan(name="Long"), {}, steps), now=NOW)


def keys(plan):
    return [step.key for step in plan.steps.all()]


def test_each_kind_of_wait_is_set_on_the_form(writer, branch, script):
    rows = [
        {"what": "wait:time", "wait_until": "14:00", "wait_days": 1},
        {"what": "wait:time", "wait_minutes": 30, "wait_name": "cool down"},
        {"what": f"entity:{branch.pk}", "wait_rows": 100},
        {"what": f"script:{script.pk}", "wait_query": "on", "arguments": '{"year": 2026}'},
    ]
    response = writer.post(address("add"), form(None, *rows))
    assert response.status_code == 302, errors_of(response)
    assert keys(Plan.objects.get()) == [
        "wait until 14:00 + 1", "wait 30 minutes (cool down)", "wait for 100 rows of branch",
        "wait for script Ready (year=2026)",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"what": "wait:time"}, "wait_until"),
        ({"what": "wait:time", "wait_until": "soon"}, "wait_until"),
        ({"what": "wait:time", "wait_minutes": 0}, "wait_minutes"),
        ({"what": "wait:time", "wait_minutes": 5, "wait_until": "14:00"}, "wait_minutes"),
        ({"what": "wait:time", "wait_minutes": 5, "wait_rows": 2}, "wait_rows"),
        ({"what": "wait:time", "wait_minutes": 5, "attempts": 3}, "attempts"),
        ({"what": "wait:time", "wait_minutes": 5, "timeout_seconds": 60}, "timeout_seconds"),
        ({"wait_query": "on"}, "wait_query"),
        ({"wait_minutes": 5}, "what"),
        ({"wait_rows": -1}, "wait_rows"),
        ({"wait_days": 2}, "wait_days"),
    ],
)
def test_a_fault_stands_at_its_field_and_nothing_is_stored(steward, branch, fields, field):
    row = {"what": f"entity:{branch.pk}", **fields}
    errors = errors_of(steward.post(address("add"), form(None, row)))
    assert f"0.{field}" in errors, errors
    assert not Plan.objects.exists()


def test_what_is_stored_stands_in_the_form_and_a_save_changes_nothing(writer, plan):
    page = opened(writer, plan)
    text = page.content.decode()
    assert "waits until 14:00; 1 day later; at most 7200 s" in text and "waits for 100 rows" in text
    assert writer.post(address("change", plan.pk), sent_of(page)).status_code == 302
    assert keys(plan) == keys(Plan.objects.get())
    until = plan.steps.get(wait_until__isnull=False)
    assert (until.wait_days, until.timeout_seconds) == (1, 7200)
    assert writer.post(address("change", plan.pk), sent_of(page, **{"steps-0-wait_until": "15:30"})).status_code == 302
    until.refresh_from_db()
    assert until.wait_until == time(15, 30)
    after = plan.steps.get(wait_minutes=30).depends_on.all()
    assert [prior.key for prior in after] == ["wait until 15:30 + 1"], "what comes after it still does"


def test_a_copy_waits_alike_and_a_wait_is_left_out_as_any_step(writer, plan):
    assert saved(writer, plan).status_code == 302
    assert keys(Plan.objects.get(name="Copy of Long")) == keys(plan)
    again = saved(writer, plan, **{"steps-2-what": "", "name": "Less"})
    assert again.status_code == 302, errors_of(again)
    assert "wait for 100 rows of branch" not in keys(Plan.objects.get(name="Less"))


def test_people_who_only_look_read_what_it_waits_for(viewer, plan):
    text = opened(viewer, plan).content.decode()
    for words in ("Wait for a time", "waits 30 minutes; called cool down", "waits until its query is true"):
        assert words in text, words
    assert "wait for 100 rows of branch" in text, "in the drawing of the order"


def test_whoever_may_not_run_scripts_does_not_change_what_a_query_is(steward, plan):
    page = opened(steward, plan)
    wrong = steward.post(address("change", plan.pk), sent_of(page, **{"steps-3-wait_query": ""}))
    assert "3.what" in errors_of(wrong)


def test_many_at_once_are_work_only(steward, plan):
    text = opened(steward, plan).content.decode()
    assert "wait:time" not in text.split('id="id_many-what"')[1].split("</select>")[0]


def test_the_history_tells_what_was_changed_about_a_wait(writer, plan):
    page = opened(writer, plan)
    assert writer.post(address("change", plan.pk), sent_of(page, **{"steps-2-wait_rows": 5})).status_code == 302
    text = writer.get(address("history", plan.pk)).content.decode()
    assert "Wait for so many rows" in text and "100" in text
