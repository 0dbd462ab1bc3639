"""Promise: what else happens to its slots, its job or whoever works on it makes a backfill neither double nor stuck."""

import pytest

from scheduling.dispatch.cycle import run_cycle
from scheduling.jobs.declare import daily
from scheduling.models import JobSchedule, Run
from scheduling.runs import backfill as room
from scheduling.runs.cancel import cancel_backfill
from scheduling.runs.fire import slot_key
from scheduling.runs.foresee import Range, foresee
from scheduling.states import RunStatus
from tests.scheduling.conftest import NOW
from tests.scheduling.runs.conftest import DAY, FIRST, WEEKEND, at, begin, end, live, slots, state

pytestmark = pytest.mark.django_db


def test_a_slot_whose_run_is_being_repeated_is_under_way(nightly):
    failed = None
    for key in (slot_key(nightly, FIRST), "restart:1", "restart:2"):
        done = {"status": "failed", "finished_at": NOW} if key != "restart:2" else {}
        failed = Run.objects.create(
            kind="plan", title="Plan Nightly", plans=["Nightly"], fire_key=key, restart_of=failed, created_at=NOW,
            scheduled_for=FIRST if failed is None else None, **done
        )  # fmt: skip
    wanted = Range(WEEKEND.since, WEEKEND.until, side_by_side=4)
    first = foresee(nightly, wanted, NOW).slots[0]
    assert (first.state, first.run_id) == ("under_way", failed.pk)
    backfill = begin(nightly, wanted)
    assert slots(backfill.runs) == [FIRST + n * DAY for n in (1, 2, 3)]
    for run in live():
        end(run, RunStatus.FAILED)
    assert {each.state for each in foresee(nightly, wanted, NOW).slots} == {"will_run"}, "nobody repeats it any more"


def test_one_that_is_repeated_since_it_began_is_left_out(nightly):
    slot = FIRST + 3 * DAY
    failed = Run.objects.create(kind="plan", title="Plan Nightly", fire_key=slot_key(nightly, slot), created_at=NOW,
                                scheduled_for=slot, status="failed", finished_at=NOW)  # fmt: skip
    backfill = begin(nightly, Range(WEEKEND.since, WEEKEND.until, side_by_side=2))
    again = Run.objects.create(kind="plan", title="Plan Nightly", fire_key="again", restart_of=failed, created_at=NOW)
    for run in backfill.runs:
        end(run)
    assert slots(backfill.runs) == [FIRST + n * DAY for n in range(3)]
    assert backfill.slots.get(slot=slot).run == again


def test_a_job_that_is_taken_away_stops_it_and_says_why(make_job):
    make_job("Report", daily("02:30"))
    schedule = JobSchedule.objects.select_related("job").get()
    backfill = begin(schedule, Range(WEEKEND.since, WEEKEND.until, stops_on_failure=False))
    JobSchedule.objects.update(removed_at=NOW)
    end(live()[0])
    assert live() == [] and state(backfill) == RunStatus.FAILED
    assert backfill.error == "Job Report does not run any more."


def test_a_cancel_that_died_halfway_is_finished_by_the_next_one(nightly, monkeypatch):
    backfill = begin(nightly)
    with monkeypatch.context() as dying:
        dying.setattr("scheduling.runs.cancel.cancel_run", lambda *_, **__: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            cancel_backfill(backfill, by="ben", now=at(1))
    assert state(backfill) == RunStatus.CANCELLED and len(live()) == 1
    assert cancel_backfill(backfill, by="ben", now=at(2)) and live() == []
    assert not cancel_backfill(backfill, by="ben", now=at(3))


def test_what_keeps_the_first_run_from_starting_keeps_no_backfill_from_beginning(nightly, monkeypatch):
    with monkeypatch.context() as locked:
        locked.setattr("scheduling.runs.backfill.lock_backfill", lambda pk: 1 / 0)
        backfill = begin(nightly)
    assert live() == [] and state(backfill) == RunStatus.RUNNING
    assert run_cycle(at(1)).fired == ["plan Nightly"]


def test_many_side_by_side_start_a_few_in_a_transaction(nightly, monkeypatch):
    locked = []
    original = room.lock_backfill
    monkeypatch.setattr(room, "lock_backfill", lambda pk: locked.append(pk) or original(pk))
    begin(nightly, Range(FIRST - 30 * DAY, FIRST, side_by_side=25))
    assert len(live()) == 25 and len(locked) == 3
