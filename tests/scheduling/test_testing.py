"""Promises of `scheduling.testing`: a call is that of a worker, queued work is done here, and faults are readable."""

import asyncio
from datetime import UTC, date, datetime, timedelta
from time import sleep

import pytest

from scheduling import clock
from scheduling.errors import AttemptCancelled, InvalidArguments
from scheduling.models import AttemptLog
from scheduling.runs.cancel import cancel_run
from scheduling.runs.enqueue import enqueue
from scheduling.testing import (
    assert_enqueued,
    assert_nothing_enqueued,
    call,
    clock_at,
    enqueued,
    run_inline,
)
from scheduling.workloads import job as job_workload

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


def letter(context, member: int, day: date = date(2026, 1, 1)):
    context.logger.info("first\nsecond")
    context.progress(1, 2, "half")
    context.check_cancelled()
    return (context.slot, context.now, context.attempt, context.last_completed_at, member, day)


def test_a_call_gives_the_job_what_a_worker_gives_it():
    earlier = NOON - timedelta(days=1)
    done = call(letter, member=5, day=date(2026, 2, 3), slot=earlier, now=NOON, attempt=2, last_completed_at=earlier)
    assert done.result == (earlier, NOON, 2, earlier, 5, date(2026, 2, 3))
    assert done.progress == (1, 2, "half") and done.lines == ["INFO first", "second"]


def test_a_call_refuses_what_a_worker_refuses_and_hears_of_a_cancel():
    with pytest.raises(InvalidArguments):
        call(letter, member="five")
    with pytest.raises(AttemptCancelled):
        call(letter, member=5, cancelled=True)


def test_a_call_runs_an_async_job_to_its_end():
    async def later(context):
        await asyncio.sleep(0)
        return "done"

    assert call(later).result == "done"


def test_the_clock_stands_still_until_it_is_moved():
    with clock_at(NOON) as frozen:
        assert clock.now() == clock.now() == NOON
        frozen.move(minutes=5)
        assert clock.now() == NOON + timedelta(minutes=5)
    assert abs(clock.now() - clock.of_this_host()) < timedelta(minutes=1)
    with pytest.raises(TypeError, match="no zone"), clock_at(NOON.replace(tzinfo=None)):
        pass


IN_AND_OUT = pytest.mark.parametrize(
    "transaction", [True, False], ids=["with its own connections", "inside the test's transaction"]
)


@IN_AND_OUT
def test_queued_work_is_done_here_with_what_it_enqueues(transaction, request):
    request.getfixturevalue("transactional_db" if transaction else "db")
    make_job = request.getfixturevalue("make_job")

    def count_down(context, number: int):
        context.logger.info("at %s", number)
        if number:
            enqueue(make_job.function("Count down"), {"number": number - 1})
        return f"It was {number}."

    make_job("Count down", body=count_down)
    with clock_at(NOON) as frozen:
        enqueue(make_job.function("Count down"), {"number": 2}, after=timedelta(hours=1), key="down")
        assert run_inline() == []
        assert_enqueued(make_job.function("Count down"), number=2, key="down", at=NOON + timedelta(hours=1))
        frozen.move(hours=1)
        assert [(task.status, task.message) for task in run_inline()] == [
            ("completed", f"It was {number}.") for number in (2, 1, 0)
        ]
        kept = {lines.partition(" INFO ")[2] for lines in AttemptLog.objects.values_list("lines", flat=True)}
        assert kept == {"at 0", "at 1", "at 2"}
        assert_nothing_enqueued()


def ask_until_it_is_to_stop(context):
    """Ask as a job does in its loop."""
    for _ in range(1_000):
        context.check_cancelled()
        sleep(0.01)
    return "It heard nothing."


@IN_AND_OUT
def test_a_job_that_is_done_here_hears_of_a_cancel(transaction, request, monkeypatch):
    monkeypatch.setattr(job_workload, "LOOK_SECONDS", 0.02)
    request.getfixturevalue("transactional_db" if transaction else "db")

    def work(context):
        cancel_run(context.run, by="ann", now=NOON)
        assert transaction or context.cancelled
        return ask_until_it_is_to_stop(context)

    make_job = request.getfixturevalue("make_job")
    make_job("Long", body=work)
    with clock_at(NOON):
        enqueue(make_job.function("Long"))
        (task,) = run_inline()
    assert (task.status, task.message) == ("cancelled", "Cancelled on request.")


@IN_AND_OUT
def test_a_job_that_is_done_here_hears_that_its_time_is_up(transaction, request, monkeypatch):
    monkeypatch.setattr(job_workload, "LOOK_SECONDS", 0.02)
    request.getfixturevalue("transactional_db" if transaction else "db")
    with clock_at(NOON) as frozen:

        def work(context):
            context.progress(1)
            context.check_cancelled()
            frozen.move(seconds=90)
            return ask_until_it_is_to_stop(context)

        make_job = request.getfixturevalue("make_job")
        make_job("Long", body=work, timeout_seconds=60)
        enqueue(make_job.function("Long"))
        (task,) = run_inline()
    assert task.status == "failed" and "It took longer than" in task.message


def test_an_async_job_that_is_done_here_asks_and_hears_nothing(make_job):
    async def work(context):
        context.check_cancelled()
        return f"cancelled: {context.cancelled}"

    make_job("Async", body=work)
    enqueue(make_job.function("Async"))
    assert [task.message for task in run_inline()] == ["cancelled: False"]


def test_what_enqueues_itself_for_ever_is_told(make_job):
    make_job("Ever", body=lambda context: enqueue(make_job.function("Ever")) and "again")
    enqueue(make_job.function("Ever"))
    with pytest.raises(AssertionError, match="3 tasks were done and more is queued"):
        run_inline(limit=3)


def test_what_was_not_enqueued_is_told_beside_what_was(make_job):
    make_job("Report", body=lambda context, member: None)
    report = make_job.function("Report")
    with pytest.raises(AssertionError, match=r"shop.jobs.report\(member=5\) was not enqueued. Nothing waits."):
        assert_enqueued(report, member=5)
    enqueue(report, {"member": 6}, key="six")
    with pytest.raises(
        AssertionError, match=r"was not enqueued. These wait:\n- shop.jobs.report\(member=6, key='six'\)"
    ):
        assert_enqueued(report, member=5)
    with pytest.raises(AssertionError, match="These wait"):
        assert_nothing_enqueued(report)
    assert [each.key for each in enqueued(report)] == ["six"] and enqueued(letter) == []
