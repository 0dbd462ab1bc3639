"""Promise 6: after an outage at most N runs are late, the rest is told as missed, and then everything is on time."""

from datetime import timedelta

import pytest

from scheduling import clock
from scheduling.dispatch.cycle import run_cycle
from scheduling.dispatch.firing import start_late_runs
from scheduling.dispatch.local import LocalRunner
from scheduling.jobs.declare import every
from scheduling.lifecycle.guard import release_completed
from scheduling.lifecycle.tasks import end_run, end_task
from scheduling.models import JobSchedule, Plan, Run, SchedulerLog, Task
from scheduling.plans.draft import PlanDraft
from scheduling.plans.save import save_plan
from scheduling.queues import claim_next
from scheduling.schedules.pause import pause_everything
from scheduling.states import RunStatus
from scheduling.tasks import execute_task
from staging.models import Entity
from tests.scheduling.conftest import NOW
from tests.scheduling.plans.conftest import step

pytestmark = pytest.mark.django_db

MINUTE = timedelta(minutes=1)


@pytest.fixture
def make_plan(db):
    """Return a factory: a plan each `minutes`, whose schedule was last looked at before its slot `first`."""

    def make(first, minutes=1, **fields):
        region = Entity.objects.create(code="region", name="Region")
        schedule = {"schedule_type": "interval", "interval_minutes": minutes, **fields}
        plan = save_plan(PlanDraft(Plan(name="P"), schedule, [step(region)]), now=first - MINUTE)
        Plan.objects.filter(pk=plan.pk).update(next_scheduled_run=first, armed_from=first - MINUTE)
        return plan

    return make


def end_what_runs(now):
    for run in Run.objects.exclude(status__in=RunStatus.final()):
        end_run(run.pk, RunStatus.COMPLETED, now=now)


def late_runs():
    """Return the slots of runs that began a cycle or more after them."""
    slots = Run.objects.order_by("id").values_list("scheduled_for", "created_at")
    return [slot for slot, began in slots if began - slot >= MINUTE]


def missed():
    return sum(SchedulerLog.objects.filter(event_type="missed").values_list("details__count", flat=True))


@pytest.mark.parametrize("lasts", [0, 1, 3], ids="a run lasts {} cycles".format)
@pytest.mark.parametrize("outage", [2, 6])
def test_a_schedule_as_quick_as_the_cycle_is_on_time_again_after_n_late_runs(make_plan, outage, lasts):
    plan = make_plan(NOW - outage * MINUTE, catch_up="all", catch_up_limit=3)
    ends = None
    for cycle in range(24):
        now = NOW + cycle * MINUTE + timedelta(seconds=40)
        if ends is not None and now >= ends:
            end_what_runs(now)
            ends = None
        run_cycle(now)
        if ends is None and Run.objects.exclude(status__in=RunStatus.final()).exists():
            ends = now + lasts * MINUTE
            if not lasts:
                end_what_runs(now)
                ends = None
    fired = list(Run.objects.values_list("scheduled_for", flat=True))
    assert len(late_runs()) <= 3 and len(fired) == len(set(fired))
    skipped = SchedulerLog.objects.filter(event_type="skipped").count()
    assert len(fired) + missed() + skipped == outage + 24, "a slot passed in silence, or was told twice"
    plan.refresh_from_db()
    assert plan.late_runs_left is None and plan.next_scheduled_run > NOW + 23 * MINUTE


def test_the_end_of_a_late_run_starts_the_next(make_plan):
    make_plan(NOW - 24 * 60 * MINUTE, minutes=60, catch_up="all", catch_up_limit=24)
    now = NOW + 30 * MINUTE
    run_cycle(now)
    for second in range(1, 25):
        end_what_runs(now)
        start_late_runs(now + timedelta(seconds=second))
    assert Run.objects.count() == 24 and len(set(Run.objects.values_list("scheduled_for", flat=True))) == 24


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("worker", ["of Celery", "local"])
def test_a_worker_that_ends_a_late_run_starts_the_next_itself(make_job, monkeypatch, worker):
    """No cycle comes between: an hourly job works off a night in one go."""
    done = []
    make_job("Hourly", every("60m", catch_up=24), body=done.append)
    JobSchedule.objects.update(next_scheduled_run=NOW - timedelta(hours=8), armed_from=NOW - timedelta(hours=9))
    now = NOW + timedelta(minutes=30)
    monkeypatch.setattr(clock, "now", lambda: now)
    run_cycle(now)
    if worker == "local":
        LocalRunner(threads=1)._work(claim_next(worker="w", now=now, time=clock.now))
    while worker == "of Celery" and (queued := Task.objects.filter(status="queued").first()):
        execute_task(queued.pk)
    assert [context.scheduled_for.hour for context in done] == [22, 23, 0, 1, 2, 3, 4, 5, 6]
    assert missed() == 0 and JobSchedule.objects.get().late_runs_left is None


def test_nothing_starts_between_cycles_but_what_catches_up(make_plan):
    plan = make_plan(NOW - 6 * MINUTE)
    assert start_late_runs(NOW) == []
    run_cycle(NOW)
    end_what_runs(NOW)
    assert start_late_runs(NOW + 5 * MINUTE) == []
    Plan.objects.filter(pk=plan.pk).update(catch_up="all", late_runs_left=2)
    pause_everything(by="olga", reason="maintenance", now=NOW)
    assert start_late_runs(NOW + 5 * MINUTE) == []


def test_a_slot_whose_worker_died_does_not_make_all_after_it_late(make_entity, deposit):
    """Its rerun is the only late one: the slots of now stay on time under every policy."""
    make_entity(
        processing_mode="scheduled",
        schedule_type="interval",
        interval_minutes=1,
        next_scheduled_run=NOW,
        armed_from=NOW - MINUTE,
    )
    deposit()
    run_cycle(NOW)
    claim_next(worker="doomed", now=NOW)
    for minute in range(31, 40):
        run_cycle(NOW + minute * MINUTE)
        for task in [run.tasks.get() for run in Run.objects.filter(status="pending")]:
            end_task(task.pk, "completed", now=NOW + minute * MINUTE)
            end_run(task.run_id, RunStatus.COMPLETED, now=NOW + minute * MINUTE)
            release_completed(task, now=NOW + minute * MINUTE)
    assert late_runs() == [NOW]
