"""Promise: a backfill runs each slot of a range once, as if it had been fired then; none is lost, none runs twice."""

from datetime import timedelta
from itertools import pairwise
from random import Random

import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Permission
from django.db import connection

from scheduling.dispatch.cycle import run_cycle
from scheduling.dispatch.firing import start_late_runs
from scheduling.errors import AlreadyRunning, CannotBackfill, NotAllowed
from scheduling.housekeeping.cleanup import cleanup
from scheduling.jobs.declare import daily, every
from scheduling.lifecycle.tasks import end_run
from scheduling.models import Backfill, JobSchedule, Plan, Run, SchedulerLog, Task
from scheduling.runs import backfill as room
from scheduling.runs.backfill import backfill_document, move_on
from scheduling.runs.cancel import cancel_backfill, cancel_everything, cancel_run
from scheduling.runs.fire import slot_key
from scheduling.runs.foresee import Range, foresee
from scheduling.schedules.pause import pause, pause_everything, resume_everything
from scheduling.states import RunKind, RunStatus, TaskStatus
from tests.scheduling.conftest import NOW, work_off
from tests.scheduling.plans.conftest import step
from tests.scheduling.runs.conftest import DAY, FIRST, WEEKEND, at, begin, end, live, plan_of, slots, state

pytestmark = pytest.mark.django_db

HOUR, MINUTE = timedelta(hours=1), timedelta(minutes=1)


def test_each_night_runs_after_the_one_before_with_its_own_slot(make_entity):
    plan = plan_of(step(make_entity("region").entity))
    backfill = begin(plan)
    for number in range(4):
        assert slots() == [FIRST + n * DAY for n in range(number + 1)]
        work_off(at(number))
        start_late_runs(at(number))
    assert state(backfill) == RunStatus.COMPLETED and backfill.finished_at == at(3)
    assert set(Run.objects.values_list("status", flat=True)) == {"completed"}
    run = Run.objects.first()
    assert run.fire_key == slot_key(plan, FIRST + 3 * DAY)
    assert (run.trigger_source, run.started_by) == ("Backfill by anna", "anna")
    told = SchedulerLog.objects.filter(plan=plan, run_id=run.pk)
    assert set(told.values_list("event_type", "starter")) == {("fired", "person"), ("completed", "person")}
    begun = SchedulerLog.objects.get(plan=plan, event_type="changed")
    assert begun.message.startswith(f"Backfill {backfill.pk} started by anna: 4 slots, from 2026-02-26 01:30")
    plan.refresh_from_db()
    assert not plan.is_running and plan.last_completed_at == at(3)


def test_a_cycle_moves_it_on_where_no_worker_did(nightly):
    backfill = begin(nightly)
    end_run(live()[0].pk, RunStatus.COMPLETED, now=at(1))
    assert run_cycle(at(2)).fired == ["plan Nightly"]
    assert run_cycle(at(3)).fired == [] and len(live()) == 1
    assert state(backfill) == RunStatus.RUNNING


def test_what_ran_is_left_out_unless_asked_and_what_failed_runs_once_more(nightly):
    for number, status in enumerate(("completed", "failed", "running")):
        slot = FIRST + number * DAY
        ends = {"finished_at": slot} if status != "running" else {}
        Run.objects.create(kind="plan", title="Plan Nightly", fire_key=slot_key(nightly, slot), scheduled_for=slot,
                           status=status, created_at=slot, **ends)  # fmt: skip
    states = [each.state for each in foresee(nightly, WEEKEND, NOW).slots]
    assert states == ["ran", "will_run", "under_way", "will_run"]
    again = Range(WEEKEND.since, WEEKEND.until, repeats=True)
    assert [each.state for each in foresee(nightly, again, NOW).slots] == [
        "will_run",
        "will_run",
        "under_way",
        "will_run",
    ]
    backfill = begin(nightly)
    run = backfill.runs.get()
    assert run.fire_key == f"{slot_key(nightly, FIRST + DAY)}:backfill:{backfill.pk}"
    end(run, RunStatus.FAILED)
    Run.objects.filter(status="failed").update(made_good_by=Run.objects.get(status="completed"))
    assert foresee(nightly, WEEKEND, NOW).slots[1].state == "ran"


@pytest.mark.parametrize("status", [RunStatus.FAILED, RunStatus.CANCELLED])
def test_a_run_that_does_not_complete_stops_the_rest(nightly, status):
    backfill = begin(nightly)
    end(live()[0])
    run = live()[0]
    end(run, status)
    assert live() == [] and state(backfill) == RunStatus.FAILED
    assert backfill.error == f"Run {run.pk} {status}."
    assert SchedulerLog.objects.filter(message__contains="2 slots do not run.", event_type="cancelled").exists()
    assert backfill.slots.filter(taken_at__isnull=True).count() == 2


def test_where_it_goes_on_the_others_run_and_it_ends_as_failed(nightly):
    backfill = begin(nightly, Range(WEEKEND.since, WEEKEND.until, stops_on_failure=False))
    for status in (RunStatus.FAILED, RunStatus.COMPLETED, RunStatus.CANCELLED, RunStatus.COMPLETED):
        end(live()[0], status)
    assert live() == [] and state(backfill) == RunStatus.FAILED
    assert slots() == [FIRST + n * DAY for n in range(4)]


def test_side_by_side_no_more_than_so_many_at_once_and_none_holds_the_guard(nightly):
    backfill = begin(nightly, Range(WEEKEND.since, WEEKEND.until, side_by_side=2))
    assert slots() == [FIRST, FIRST + DAY]
    nightly.refresh_from_db()
    assert not nightly.is_running and nightly.fire_count == 0
    end(live()[1])
    assert len(live()) == 2
    Plan.objects.update(next_scheduled_run=NOW)
    assert run_cycle(NOW).fired == ["plan Nightly"], "its own slot runs beside them"
    for run in live():
        end(run)
    while live():
        end(live()[0])
    assert state(backfill) == RunStatus.COMPLETED


def test_in_order_waits_for_what_runs_and_for_a_slot_that_is_due(nightly):
    backfill = begin(nightly)
    Plan.objects.update(next_scheduled_run=at(1), overlap="queue_one")
    assert run_cycle(at(1)).fired == []
    first = live()[0]
    end(first, now=at(2))
    assert live() == [], "its own slot goes first"
    assert run_cycle(at(3)).fired == ["plan Nightly"]
    own = live()[0]
    assert own.scheduled_for == at(1)
    start_late_runs(at(4))
    assert len(live()) == 1
    end(own, now=at(5))
    assert live()[0].scheduled_for == FIRST + DAY and state(backfill) == RunStatus.RUNNING


def test_a_slot_that_somebody_else_ran_meanwhile_is_left_out(nightly):
    backfill = begin(nightly)
    slot = FIRST + DAY
    other = Run.objects.create(kind="plan", title="Plan Nightly", fire_key=slot_key(nightly, slot), scheduled_for=slot,
                               status="completed", created_at=NOW, finished_at=NOW)  # fmt: skip
    end(live()[0])
    assert live()[0].scheduled_for == FIRST + 2 * DAY
    left_out = backfill.slots.get(slot=slot)
    assert left_out.is_left_out and left_out.run == other
    document = backfill_document(backfill)
    assert (document["slots_done"], document["slots_total"]) == (2, 4)
    end(live()[0])
    end(live()[0])
    assert state(backfill) == RunStatus.COMPLETED


def test_cancelling_ends_it_and_what_runs_of_it(nightly):
    backfill = begin(nightly)
    assert cancel_backfill(backfill, by="ben", now=at(1))
    assert live() == [] and state(backfill) == RunStatus.CANCELLED and backfill.error == "Cancelled by ben."
    assert not cancel_backfill(backfill, by="ben", now=at(2))
    assert run_cycle(at(3)).fired == [] and Run.objects.count() == 1
    assert SchedulerLog.objects.filter(message=f"Backfill {backfill.pk} cancelled by ben.").exists()


def test_cancelling_everything_ends_backfills_too(nightly):
    backfill = begin(nightly)
    run = live()[0]
    assert cancel_everything(by="ben", now=at(1)) == [run.pk]
    assert state(backfill) == RunStatus.CANCELLED and run_cycle(at(2)).fired == []


def test_a_pause_of_everything_holds_it_a_pause_of_the_plan_does_not(nightly, region):
    pause(nightly, by="ben", reason="x", now=NOW)
    backfill = begin(Plan.objects.get())
    pause_everything(by="ben", reason="x", now=at(1))
    end(live()[0], now=at(2))
    assert live() == [] and run_cycle(at(3)).fired == []
    begin(plan_of(step(region), name="Other"))
    assert live() == [], "nor does one start that is begun meanwhile"
    resume_everything(by="ben", now=at(4))
    assert run_cycle(at(5)).fired == ["plan Nightly", "plan Other"] and state(backfill) == RunStatus.RUNNING


def test_one_backfill_of_a_plan_at_a_time(nightly):
    begin(nightly)
    with pytest.raises(AlreadyRunning, match="Another backfill of plan Nightly is under way"):
        begin(nightly, Range(WEEKEND.since - 9 * DAY, WEEKEND.since))


def test_a_range_without_a_slot_to_run_starts_nothing(nightly):
    with pytest.raises(CannotBackfill, match="No slot of this range would run"):
        begin(nightly, Range(FIRST + MINUTE, FIRST + HOUR))
    assert not Backfill.objects.exists()


def test_it_needs_the_right_for_everything_in_the_plan(nightly):
    person = get_user_model().objects.create_user("carl")
    person.user_permissions.add(Permission.objects.get(codename="run_plan"))
    with pytest.raises(NotAllowed, match="process an entity"):
        begin(nightly, person=person)
    assert not Backfill.objects.exists() and not Run.objects.exists()


def test_a_plan_that_cannot_run_any_more_stops_it_and_says_why(nightly):
    backfill = begin(nightly)
    Plan.objects.update(is_cancelled=True)
    end(live()[0])
    assert live() == [] and state(backfill) == RunStatus.FAILED and "cancelled" in backfill.error


def test_jobs_get_their_slot_in_order_and_side_by_side(make_job):
    seen = []
    make_job("Report", daily("02:30"), body=lambda context: seen.append(context.slot))
    schedule = JobSchedule.objects.select_related("job").get()
    backfill = begin(schedule)
    for number in range(4):
        assert work_off(at(number)) == 1
        start_late_runs(at(number))
    assert seen == [each.slot for each in backfill.slots.order_by("slot")] and len(seen) == 4
    assert state(backfill) == RunStatus.COMPLETED
    begin(schedule, Range(FIRST, NOW, side_by_side=3, repeats=True))
    assert len(live()) == 3 and Task.objects.filter(side_by_side=True).count() == 3
    assert not JobSchedule.objects.filter(is_running=True).exists()


def test_previous_slots_are_those_of_the_schedule_and_later_runs_look_at_slots(make_job):
    make_job("Report", body=lambda context, since, until: None)
    arguments = {"since": "{{previous_slot}}", "until": "{{slot}}"}
    plan = plan_of(step("Report", arguments=arguments))
    begin(plan, Range(WEEKEND.since, WEEKEND.until, side_by_side=4))
    given = list(Task.objects.order_by("pk").values_list("arguments__since", "arguments__until"))
    days = [(FIRST + n * DAY).isoformat() for n in range(-1, 4)]
    assert given == list(pairwise(days))
    for run in live():
        end(run)
    Plan.objects.update(next_scheduled_run=NOW)
    run_cycle(NOW)
    own = live()[0]
    assert own.parameters["previous_slot"] == days[-1]
    end(own)
    begin(plan, Range(FIRST - 3 * DAY, FIRST))
    end(live()[0])
    Plan.objects.update(next_scheduled_run=at(10))
    for run in live():
        end(run, RunStatus.CANCELLED)
    run_cycle(at(10))
    assert live()[0].parameters["previous_slot"] == NOW.isoformat(), "not the slot of the backfill, which ran last"


def test_runs_that_retention_deleted_leave_no_slot_to_come(nightly):
    backfill = begin(nightly)
    end(live()[0])
    Run.objects.filter(status="completed").delete()
    document = backfill_document(backfill)
    assert (document["slots_done"], document["slots"][0]["run"]) == (1, None)
    for _ in range(3):
        end(live()[0])
    assert state(backfill) == RunStatus.COMPLETED and Run.objects.count() == 3
    Backfill.objects.update(finished_at=NOW - 400 * DAY)
    cleanup(NOW)
    assert not Backfill.objects.exists()


def test_what_keeps_one_from_going_on_keeps_no_other(nightly, make_job, monkeypatch):
    make_job("Report", every(60))
    begin(nightly)
    begin(JobSchedule.objects.select_related("job").get(), Range(NOW - 2 * HOUR, NOW))
    original = room._fire
    monkeypatch.setattr(room, "_fire", lambda of, *rest: 1 / 0 if of.plan_id else original(of, *rest))
    Task.objects.update(status=TaskStatus.COMPLETED, finished_at=NOW)
    for run in live():
        end_run(run.pk, RunStatus.COMPLETED, now=at(1))
    assert run_cycle(at(2)).fired == ["job Report"]


@pytest.mark.parametrize("seed", range(12))
def test_whatever_happens_in_whatever_order_each_slot_has_one_run(nightly, seed):
    dice = Random(seed)
    at_once = dice.choice([None, 2, 3])
    stops = dice.random() < 0.3
    backfill = begin(nightly, Range(FIRST - 4 * DAY, FIRST + 4 * DAY, at_once, stops))
    for minute in range(1, 60):
        what = dice.random()
        if what < 0.5 and live():
            status = dice.choice([RunStatus.COMPLETED, RunStatus.COMPLETED, RunStatus.FAILED])
            end(dice.choice(live()), status, at(minute))
        elif what < 0.6:
            run_cycle(at(minute))
        elif what < 0.7:
            move_on(backfill.pk, at(minute))
        elif what < 0.72 and live():
            cancel_run(dice.choice(live()), by="ben", now=at(minute))
        assert len(live()) <= (at_once or 1)
        assert len(set(slots())) == len(slots()), "no slot twice"
        assert slots() == sorted(slots()), "oldest first"
        if state(backfill) != RunStatus.RUNNING:
            break
    done = backfill.slots.filter(taken_at__isnull=False).count()
    assert done == Run.objects.filter(kind=RunKind.PLAN).count()
    if not stops:
        assert state(backfill) == RunStatus.RUNNING or done == 8


@pytest.mark.django_db(transaction=True)
def test_two_processes_that_move_it_on_at_once_start_each_slot_once(nightly):
    from concurrent.futures import ThreadPoolExecutor

    def move(pk):
        try:
            return len(move_on(pk, NOW))
        finally:
            connection.close()

    backfill = begin(nightly, Range(FIRST - 20 * DAY, FIRST + 4 * DAY, side_by_side=5))
    for run in live():
        end_run(run.pk, RunStatus.COMPLETED, now=NOW)
    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(move, [backfill.pk] * 4)) == 5
    assert len(live()) == 5 and len(set(slots())) == 10
