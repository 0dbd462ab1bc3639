"""Expected durations and deadlines of plans and steps: what is late is shown everywhere, and nothing is stopped."""

from datetime import UTC, datetime, time, timedelta
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from django.urls import reverse

from scheduling.alerts.conditions import find
from scheduling.alerts.findings import Round
from scheduling.dag.manifest import Due
from scheduling.dispatch.cycle import run_cycle
from scheduling.errors import InvalidPlan
from scheduling.model_files.dump import dump
from scheduling.model_files.load import load
from scheduling.models import AlertRule, Plan, Run, SqlScript, Task
from scheduling.plans.copied import copied_steps, copy_of
from scheduling.plans.draft import PlanDraft
from scheduling.plans.save import save_plan
from scheduling.runs.backfill import start_backfill
from scheduling.runs.by_hand import run_document, start_plans_now
from scheduling.runs.foresee import Range
from scheduling.runs.restart import restart_run
from scheduling.schedules.deadlines import due_at, late_runs, late_since
from staging.errors import InvalidDefinition
from staging.model_files.read import parse_yaml
from tests.scheduling.admin.conftest import client_for
from tests.scheduling.conftest import NOW
from tests.scheduling.plans.conftest import step

pytestmark = pytest.mark.django_db

MINUTE, DAY = timedelta(minutes=1), timedelta(days=1)
NIGHTLY = {"schedule_type": "daily", "run_times": "06:30", "timezone": "Europe/Amsterdam"}


@pytest.fixture
def script(db):
    return SqlScript.objects.create(name="S", sql="SELECT 1")


def nightly(script, of_step=None, **fields):
    draft = PlanDraft(Plan(name="P", **fields), NIGHTLY, [step(script, **(of_step or {}))])
    return save_plan(draft, now=NOW)


def fired(now=NOW):
    """Let the plan fire and its step begin; return the run and the step."""
    Plan.objects.update(next_scheduled_run=now)
    assert run_cycle(now).fired == ["plan P"]
    run = Run.objects.latest("pk")
    Run.objects.filter(pk=run.pk).update(status="running", started_at=now)
    Task.objects.filter(run=run).update(started_at=now, status="running")
    return Run.objects.get(pk=run.pk), Task.objects.get(run=run)


@pytest.mark.parametrize(
    ("slot", "by", "zone", "at"),
    [
        ("2026-03-02 05:30", "08:00", "Europe/Amsterdam", "2026-03-02 07:00"),  # the same day
        ("2026-03-02 21:00", "06:00", "Europe/Amsterdam", "2026-03-03 05:00"),  # the next one
        ("2026-03-28 21:00", "06:00", "Europe/Amsterdam", "2026-03-29 04:00"),  # over a change of the clocks
        ("2026-03-28 21:00", "02:30", "Europe/Amsterdam", "2026-03-29 01:00"),  # a time that does not exist
        ("2026-03-28 22:30", "06:00", "Europe/Amsterdam", "2026-03-29 04:00"),  # a day of 23 hours is the next one
        ("2026-10-24 22:30", "00:15", "Europe/Amsterdam", "2026-10-25 23:15"),  # one of 25 hours is none by itself
        ("2026-03-02 08:00", "08:00", "UTC", "2026-03-03 08:00"),  # strictly later
    ],
)
def test_a_time_of_day_is_the_first_one_after_the_slot(slot, by, zone, at):
    slot, at = (datetime.fromisoformat(text).replace(tzinfo=UTC) for text in (slot, at))
    assert due_at(Due(by, None, zone), slot) == at


def test_a_run_and_its_steps_have_their_deadlines_from_the_slot(script):
    nightly(script, {"due_after_minutes": 20, "expected_minutes": 5}, due_by=time(8), expected_minutes=30)
    run, task = fired()
    assert run.deadline_at == datetime(2026, 3, 2, 7, tzinfo=UTC) and run.expected == 30 * MINUTE
    assert task.deadline_at == NOW + 20 * MINUTE and task.expected == 5 * MINUTE
    assert run_document(run)["tasks"][0]["deadline_at"] == task.deadline_at.isoformat()


@pytest.mark.parametrize(
    ("of_plan", "of_step", "minutes"),
    [
        ({"due_after_minutes": 30}, {}, 30),
        ({"expected_minutes": 10}, {}, 10),
        ({"expected_minutes": 10, "due_after_minutes": 30}, {}, 10),
        ({}, {"due_after_minutes": 5}, 5),
        ({}, {"expected_minutes": 7}, 7),
    ],
)
def test_it_is_late_from_the_first_of_both_on_and_goes_on(script, of_plan, of_step, minutes):
    nightly(script, of_step, **of_plan)
    run, task = fired()
    for late, now in ((False, NOW + minutes * MINUTE), (True, NOW + minutes * MINUTE + timedelta(seconds=1))):
        assert Run.objects.filter(late_runs(now)).exists() is late
        assert (late_since(run if of_plan else task, now) == NOW + minutes * MINUTE) is late
    assert late_since(run if of_plan else task, NOW + 60 * MINUTE) == NOW + minutes * MINUTE, "the first stays it"
    run_cycle(NOW + 60 * MINUTE)
    assert Run.objects.get().status == "running"
    run.finished_at = NOW + minutes * MINUTE
    assert late_since(run, NOW + DAY) is None, "it ended in time"


def test_a_restart_and_a_backfill_have_no_deadline(script):
    plan = nightly(script, {"due_after_minutes": 5}, due_after_minutes=10, expected_minutes=3)
    run = start_plans_now(["P"], started_by="ann", now=NOW)
    assert run.deadline_at == NOW + 10 * MINUTE
    Task.objects.update(status="failed", finished_at=NOW)
    Run.objects.update(status="failed", finished_at=NOW)
    Plan.objects.update(is_running=False, run_started_at=None, running_run=None)
    again = restart_run(Run.objects.get(), only_failed=False, started_by="ann", now=NOW + MINUTE)
    assert (again.deadline_at, again.expected) == (None, 3 * MINUTE)
    assert not Task.objects.filter(run=again, deadline_at__isnull=False).exists()
    Plan.objects.update(is_running=False, run_started_at=None, running_run=None)
    start_backfill(Plan.objects.get(pk=plan.pk), Range(NOW - 2 * DAY, NOW - DAY), started_by="ann", now=NOW)
    assert Run.objects.latest("pk").deadline_at is None


def test_the_model_file_keeps_them_and_refuses_what_is_none(script):
    nightly(script, {"due_by": time(7, 15), "expected_minutes": 5}, due_after_minutes=90, expected_minutes=30)
    document = dump()
    section = next(each for each in document["plans"] if each["name"] == "P")
    assert (section["due_after_minutes"], section["expected_minutes"]) == (90, 30)
    assert section["steps"][0] == {"script": "S", "due_by": "07:15", "expected_minutes": 5}
    assert load(document, now=NOW).changes == {}
    text = "{version: 1, plans: [{name: P, due_by: '08:00', steps: [{script: S}]}]}"
    changes = load(parse_yaml(text), now=NOW).changes["plan P"]
    assert changes["due_by"] == {"from": None, "to": "08:00"}
    for wrong, path in (
        ("due_by: noon, steps: [{script: S}]", "plans[0].due_by"),
        ("due_by: '08:00', due_after_minutes: 5, steps: [{script: S}]", "plans[0].due_after_minutes"),
        ("expected_minutes: 0, steps: [{script: S}]", "plans[0].expected_minutes"),
        ("steps: [{script: S, due_by: '08:00', due_after_minutes: 5}]", "plans[0].steps[0].due_after_minutes"),
    ):
        with pytest.raises(InvalidDefinition) as refused:
            load(parse_yaml(f"{{version: 1, plans: [{{name: P, {wrong}}}]}}"), now=NOW)
        assert list(refused.value.errors) == [path]


def test_a_copy_has_them_and_a_plan_as_a_step_says_them_itself(script):
    inner = nightly(script, {"due_after_minutes": 5}, due_by=time(8))
    copy = copy_of(Plan.objects.get())
    assert copy.due_by == time(8)
    (copied,) = copied_steps(inner.steps.all())
    assert copied.step.due_after_minutes == 5
    with pytest.raises(InvalidPlan) as refused:
        save_plan(PlanDraft(Plan(name="Q"), {}, [step(inner, expected_minutes=5)]), now=NOW)
    assert list(refused.value.errors) == ["steps.0.expected_minutes"]


def test_pages_show_what_is_late(script, monkeypatch):
    nightly(script, {"expected_minutes": 5}, due_after_minutes=10)
    run, _ = fired()
    client = client_for("Viewer")
    monkeypatch.setattr("scheduling.clock.now", lambda: NOW + 30 * MINUTE)
    late = '<span class="badge badge-bad"><span class="sign" aria-hidden="true">!</span> late</span>'
    page = client.get(reverse("admin:scheduling_run_change", args=[run.pk])).content.decode()
    assert page.count(late) == 2 and "Late since" in page and "Done by" in page
    runs = reverse("admin:scheduling_run_changelist")
    assert late in client.get(runs).content.decode()
    assert late in client.get(runs, {"status": "late"}).content.decode()
    home = client.get(reverse("admin:index")).content.decode()
    assert "Runs that are late" in home and f"{runs}?status=late" in home
    Run.objects.update(deadline_at=None)
    Task.objects.update(expected=None)
    assert late not in client.get(runs).content.decode()
    assert late not in client.get(runs, {"status": "late"}).content.decode()
    assert "Runs that are late" not in client.get(reverse("admin:index")).content.decode()


def test_every_view_of_a_run_says_whether_a_step_is_late(script, monkeypatch):
    nightly(script, {"expected_minutes": 5})
    run, task = fired()
    client, at_top = client_for("Viewer"), "state-line"
    monkeypatch.setattr("scheduling.clock.now", lambda: NOW + 30 * MINUTE)

    def is_late(view, **asked):
        page = client.get(reverse(f"admin:scheduling_run_{view}", args=[run.pk]), asked).content.decode()
        return " late</span>" in page[page.index(at_top) :].split("</p>")[0]

    assert is_late("change") and is_late("times") and is_late("order")
    assert is_late("change", state="completed"), "the page shows no step that is late"
    Task.objects.create(run=run, key="next", workload="script", queue=task.queue, status="waiting")
    Task.objects.filter(pk=task.pk).update(status="completed", finished_at=NOW + 20 * MINUTE)
    assert not is_late("change") and not is_late("order"), "it ended, and the list says the same"


def test_the_timeline_has_a_mark_of_its_own_for_what_is_late(script, monkeypatch):
    nightly(script, {"expected_minutes": 5})
    run, _ = fired()
    monkeypatch.setattr("scheduling.clock.now", lambda: NOW + 30 * MINUTE)
    page = client_for("Viewer").get(reverse("admin:index")).content.decode()
    assert 'class="bar-late"' in page and f"/run/{run.pk}/change/" in page
    assert "a full bar with a dotted edge" in page, "the legend tells it"
    assert ".bar-late" in Path(finders.find("scheduling/home.css")).read_text()


def test_an_alert_tells_it_until_it_has_ended(script):
    nightly(script, {"expected_minutes": 5})
    run, _ = fired()
    rule = AlertRule(name="R", condition="past_deadline")
    rule.save()
    assert find(rule, Round(NOW + MINUTE)).breaches == ()
    (breach,) = find(rule, Round(NOW + 6 * MINUTE)).breaches
    assert breach.subject == f"run:{run.pk}" and "which runs since {at}, is late" in repr(breach.said)
