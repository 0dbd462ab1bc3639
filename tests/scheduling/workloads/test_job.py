"""What an attempt of a job may do and say, how it hears of a cancel, and how each end is told."""

import asyncio
import logging
import sys
import threading
import time as real_time
import tracemalloc
from datetime import timedelta

import pytest
from django.db import connections

from scheduling import clock
from scheduling.errors import FatalJobError
from scheduling.jobs.declare import retry
from scheduling.models import Attempt, AttemptLog, Job, SchedulerLog, Task
from scheduling.queues import claim_next
from scheduling.runs.by_hand import start_job_now
from scheduling.runs.cancel import cancel_run
from scheduling.runs.execute import run_attempt
from scheduling.workloads import job as job_workload
from tests.depth import DEEP
from tests.scheduling.conftest import NOW, work_off

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(job_workload, "LOOK_SECONDS", 0.02)


@pytest.fixture
def run_job(make_job):
    """Return a function that declares, starts and works off a job with this body."""

    def run(body, *decorators, **settings):
        job = make_job("Report", *decorators, body=body, **settings)
        run = start_job_now(job, started_by="ann", now=NOW)
        work_off(NOW)
        run.refresh_from_db()
        return run

    return run


def wait_for(condition, seconds=10.0):
    until = real_time.monotonic() + seconds
    while not condition():
        assert real_time.monotonic() < until, "it did not come about"
        real_time.sleep(0.01)


def test_a_job_gets_its_context_and_what_it_returns_is_its_message(run_job):
    seen = {}

    def body(context):
        seen.update(job=context.job, attempt=context.attempt, now=context.now, run=context.run.pk)
        seen["cancelled"] = context.cancelled
        context.check_cancelled()
        return "3 shelves\nclean"

    run = run_job(body)
    assert (run.status, run.title) == ("completed", "Report")
    assert seen == {"job": "Report", "attempt": 1, "now": NOW, "run": run.pk, "cancelled": False}
    task = run.tasks.get()
    assert (task.key, task.status, task.message) == ("job Report", "completed", "3 shelves clean")
    assert [event.event_type for event in SchedulerLog.objects.filter(job__name="Report").order_by("id")] == [
        "fired",
        "completed",
    ]


def test_an_async_job_runs_to_its_end_and_may_use_its_context(run_job):
    async def body(context):
        await asyncio.sleep(0.01)
        context.check_cancelled()
        context.progress(1, 2)
        context.logger.info("from a coroutine")
        return "awaited"

    assert run_job(body).tasks.get().message == "awaited"
    assert "from a coroutine" in AttemptLog.objects.get().lines


def test_lines_of_its_logger_and_of_all_others_of_its_thread_are_kept(run_job):
    def body(context):
        context.logger.info("mine %s", 1)
        logging.getLogger("shop.stock").warning("theirs")
        context.logger.debug("too small to keep")
        other = threading.Thread(target=lambda: logging.getLogger("other").error("not of this job"))
        other.start()
        other.join()

    run_job(body)
    lines = AttemptLog.objects.get().lines
    assert "INFO mine 1" in lines and "WARNING theirs" in lines
    assert "too small" not in lines and "not of this job" not in lines
    assert not [handler for handler in logging.getLogger().handlers if type(handler).__name__ == "Captured"]


LINES = 1_000_000 if DEEP else 50_000


def test_very_many_lines_stay_within_bounds(run_job):
    def body(context):
        context.logger.parent = None  # so many lines need not be on the screen
        for number in range(LINES):
            context.logger.info("line %d", number)

    run_job(body)
    log = AttemptLog.objects.get()
    lines = log.lines.split("\n")
    assert len(lines) == 501 and log.dropped == LINES - 500
    assert lines[0].endswith("line 0") and lines[-1].endswith(f"line {LINES - 1}")
    assert lines[100] == f"… {LINES - 500:,} lines left out …"


def test_long_lines_nul_and_lone_surrogates_are_kept_as_they_can_be(run_job):
    run_job(lambda context: context.logger.info("a\x00b \ud800 %s", "x" * 1_000_000))
    text = AttemptLog.objects.get().lines
    assert len(text) < 1000 and "\x00" not in text and "\\ud800" in text


def test_progress_is_seen_while_it_works(make_job):
    go_on, job = threading.Event(), None

    def body(context):
        context.progress(3, 10, "third shelf")
        assert go_on.wait(10)

    job = make_job("Report", body=body)
    start_job_now(job, started_by="ann", now=NOW)
    worker = in_thread(lambda: work_off(NOW))
    wait_for(lambda: AttemptLog.objects.filter(progress="third shelf").exists())
    assert Task.objects.values_list("rows_done", "rows_total").get() == (3, 10)
    go_on.set()
    worker.join()
    assert Task.objects.get().status == "completed"


def in_thread(work):
    def run():
        try:
            work()
        finally:
            connections.close_all()

    thread = threading.Thread(target=run)
    thread.start()
    return thread


@pytest.mark.parametrize("kind", ["plain", "async"])
def test_a_cancel_is_heard_within_seconds_and_ends_without_a_retry(make_job, kind):
    def body(context):
        while True:
            context.check_cancelled()
            real_time.sleep(0.01)

    async def slow(context):
        while not context.cancelled:
            await asyncio.sleep(0.01)
        context.check_cancelled()

    job = make_job("Report", retry(attempts=3), body=body if kind == "plain" else slow)
    run = start_job_now(job, started_by="ann", now=NOW)
    worker = in_thread(lambda: work_off(NOW))
    wait_for(lambda: Attempt.objects.filter(outcome="running").exists())
    began = real_time.monotonic()
    cancel_run(run, by="bob", now=NOW)
    worker.join(10)
    assert not worker.is_alive() and real_time.monotonic() - began < 5
    run.refresh_from_db()
    assert (run.status, run.tasks.get().status, run.tasks.get().attempts_made) == ("cancelled", "cancelled", 1)


def test_its_time_is_up(make_job):
    def body(context):
        while True:
            context.check_cancelled()
            real_time.sleep(0.01)

    job = make_job("Report", body=body, timeout_seconds=1)
    run = start_job_now(job, started_by="ann", now=NOW)
    run_attempt(claim_next(worker="test", now=NOW), time=clock.starting_at(NOW))
    run.refresh_from_db()
    assert run.status == "failed" and "TimedOut" in run.error


@pytest.mark.parametrize(("attempts", "made"), [(1, 1), (3, 3)])
def test_attempts_are_the_total_number_of_runs(make_job, attempts, made):
    def body(context):
        raise ValueError(f"shelf {context.attempt}")

    job = make_job("Report", retry(attempts=attempts, interval_seconds=60), body=body)
    run = start_job_now(job, started_by="ann", now=NOW)
    for minute in range(6):
        work_off(NOW + timedelta(minutes=minute))
    run.refresh_from_db()
    assert (run.status, run.error) == ("failed", f"ValueError: shelf {made}")
    assert list(Attempt.objects.order_by("number").values_list("outcome", flat=True)) == ["failed"] * made
    assert "Traceback" in AttemptLog.objects.order_by("id").first().lines
    kinds = [event.event_type for event in SchedulerLog.objects.order_by("id")]
    assert kinds == ["fired", *["retried"] * (made - 1), "error"]


def test_a_job_that_fails_once_is_tried_again_after_the_interval_and_not_before(make_job):
    job = make_job("Report", retry(attempts=2, interval_seconds=120), body=lambda c: 1 / (c.attempt - 1))
    run = start_job_now(job, started_by="ann", now=NOW)
    assert work_off(NOW) == 1 and work_off(NOW + timedelta(seconds=119)) == 0
    assert work_off(NOW + timedelta(seconds=120)) == 1
    run.refresh_from_db()
    assert run.status == "completed"


def test_a_fatal_error_ends_retries(run_job):
    def body(context):
        raise FatalJobError("no shelf at all")

    run = run_job(body, retry(attempts=5))
    assert (run.status, run.tasks.get().attempts_made) == ("failed", 1)
    assert "no shelf at all" in run.error


@pytest.mark.parametrize("end", [lambda: sys.exit(3), lambda: (_ for _ in ()).throw(asyncio.CancelledError())])
def test_a_job_that_would_end_its_worker_fails_and_the_worker_goes_on(run_job, end):
    run = run_job(lambda context: end())
    assert run.status == "failed" and "tried to end its worker" in run.error


def test_a_job_that_the_code_does_not_have_fails_for_good(make_job, run_job):
    job = make_job("Report", retry(attempts=5))
    Job.objects.update(path="shop.jobs.never_declared")
    run = start_job_now(job, started_by="ann", now=NOW)
    work_off(NOW)
    run.refresh_from_db()
    assert run.status == "failed" and "does not declare Report" in run.error
    assert run.tasks.get().attempts_made == 1


def test_an_attempt_that_was_given_up_writes_nothing_and_is_told_so(make_job):
    heard = []

    def body(context):
        Attempt.objects.update(outcome="lost", finished_at=NOW)
        wait_for(lambda: context.cancelled)
        context.progress(9, 9, "too late")
        real_time.sleep(0.1)
        try:
            context.check_cancelled()
        except Exception as error:
            heard.append(type(error).__name__)
            raise

    start_job_now(make_job("Report", body=body), started_by="ann", now=NOW)
    run_attempt(claim_next(worker="test", now=NOW), time=lambda: NOW)
    assert heard == ["AttemptLost"]
    assert not AttemptLog.objects.filter(progress="too late").exists()
    assert Task.objects.get().status == "running" and Task.objects.get().rows_done == 0


def test_two_jobs_at_once_keep_their_lines_apart(make_job):
    barrier = threading.Barrier(2)

    def body(context):
        barrier.wait(10)
        for _ in range(50):
            logging.getLogger("shared").info("from %s", context.job)
        barrier.wait(10)

    for name in ("One", "Two"):
        start_job_now(make_job(name, body=body), started_by="ann", now=NOW)
    attempts = [claim_next(worker="test", now=NOW) for _ in range(2)]
    threads = [in_thread(lambda attempt=each: run_attempt(attempt, time=lambda: NOW)) for each in attempts]
    for thread in threads:
        thread.join()
    for log in AttemptLog.objects.select_related("attempt__task"):
        own = log.attempt.task.key.removeprefix("job ")
        assert log.lines.count(f"from {own}") == 50 and log.lines.count("from") == 50


def test_memory_does_not_grow_with_lines(run_job):
    def body(context):
        handler = next(each for each in logging.getLogger().handlers if type(each).__name__ == "Captured")
        record = logging.makeLogRecord({"msg": "x" * 300, "levelno": logging.INFO, "levelname": "INFO"})
        for _ in range(1000):
            handler.handle(record)
        tracemalloc.start()
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(20_000):
            handler.handle(record)
        grown = tracemalloc.get_traced_memory()[0] - before
        tracemalloc.stop()
        return f"{grown}"

    assert int(run_job(body).tasks.get().message) < 2_000_000
