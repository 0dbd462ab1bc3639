"""Promises of jobs: after which errors they are tried again and when, and that what they print and return is kept."""

# ruff: noqa: T201

import logging
import sys
import threading
from datetime import date, timedelta
from decimal import Decimal

import pytest
from django.db import connection

from scheduling.errors import AttemptCancelled, FatalJobError, TimedOut
from scheduling.jobs.declare import on_failure, on_success, retry
from scheduling.models import Attempt, AttemptLog, Task
from scheduling.runs.by_hand import run_document, start_job_now
from scheduling.testing import call
from scheduling.workloads import job as job_workload
from tests.scheduling.conftest import NOW, work_off

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(job_workload, "LOOK_SECONDS", 0.02)


@pytest.mark.parametrize(
    ("error", "options", "tried"),
    [
        (FileNotFoundError, {"on": OSError}, True),
        (ValueError, {"on": OSError}, False),
        (ValueError, {"on": (OSError, ValueError)}, True),
        (FileNotFoundError, {"on": OSError, "not_on": FileNotFoundError}, False),
        (PermissionError, {"on": OSError, "not_on": FileNotFoundError}, True),
        (ValueError, {"not_on": (ValueError, KeyError)}, False),
        (FatalJobError, {"on": FatalJobError}, False),
        (ValueError, {}, True),
    ],
)
def test_a_job_is_tried_again_after_the_errors_that_it_names(make_job, error, options, tried):
    def body(context):
        raise error("shelf")

    job = make_job("Report", retry(3, 60, **options), body=body)
    run = start_job_now(job, started_by="ann", now=NOW)
    work_off(NOW)
    run.refresh_from_db()
    task = run.tasks.get()
    assert (task.status, run.status) == (("queued", "running") if tried else ("failed", "failed"))
    assert task.message.endswith(f"{error.__name__}: shelf"), "the error itself, not what was made of it"
    assert (task.next_attempt_at == NOW + timedelta(seconds=60)) is tried


def test_back_off_waits_no_longer_than_it_is_told(make_job):
    job = make_job("Report", retry(10, 60, backoff=True, max_wait=200), body=lambda context: 1 / 0)
    start_job_now(job, started_by="ann", now=NOW)
    waits, now = [], NOW
    for _ in range(5):
        work_off(now)
        following = Task.objects.get().next_attempt_at
        waits.append((following - now).total_seconds())
        now = following
    assert 60 <= waits[0] <= 72 and 120 <= waits[1] <= 144 and waits[2:] == [200, 200, 200]


def test_what_a_job_prints_stands_in_its_log_and_nothing_else_does(make_job, capsys):
    inside, outside = threading.Event(), threading.Event()

    def beside():
        assert inside.wait(10)
        print("of somebody else")
        outside.set()

    def body(context):
        print("first", 2, sep="\n")
        print("no end of", end="")
        print(" the line", end="")
        inside.set()
        assert outside.wait(10)

    other = threading.Thread(target=beside)
    other.start()
    job = make_job("Report", body=body)
    start_job_now(job, started_by="ann", now=NOW)
    before = sys.stdout
    work_off(NOW)
    other.join()
    assert sys.stdout is before
    lines = [line.partition(" INFO ")[2] for line in AttemptLog.objects.get().lines.splitlines()]
    assert lines == ["first", "2", "no end of the line"]
    assert capsys.readouterr().out == "of somebody else\n"


def test_a_handler_that_prints_goes_round_in_no_circle(capsys, monkeypatch):
    class Printing(logging.Handler):
        def emit(self, record):
            print("shown:", record.getMessage())

    monkeypatch.setattr(logging.getLogger("scheduling.jobs"), "handlers", [Printing()])
    assert call(lambda context: print("once")).lines == ["INFO once"]
    assert capsys.readouterr().out == "shown: once\n"


def test_jobs_side_by_side_do_not_mix_what_they_print(capsys):
    meet, lines = threading.Barrier(2), {}

    def work(name):
        def body(context):
            for number in range(50):
                print(name, number)
                if number == 25:
                    meet.wait(10)

        lines[name] = call(body).lines

    threads = [threading.Thread(target=work, args=(name,)) for name in ("left", "right")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert lines == {name: [f"INFO {name} {number}" for number in range(50)] for name in ("left", "right")}
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("returned", "kept"),
    [
        ({"shelves": [1, 2.5, None], "day": date(2026, 3, 2)}, {"shelves": [1, 2.5, None], "day": "2026-03-02"}),
        (0, 0),
        (False, False),
        (Decimal("1.10"), "1.10"),
        ([], []),
    ],
)
def test_a_value_that_a_job_returns_is_kept_and_told(make_job, returned, kept):
    job = make_job("Report", body=lambda context: returned)
    run = start_job_now(job, started_by="ann", now=NOW)
    work_off(NOW)
    task = Task.objects.get()
    assert (task.status, task.message, task.result) == ("completed", "Done.", kept)
    assert run_document(run)["tasks"][0]["result"] == kept


@pytest.mark.parametrize(
    ("returned", "why"),
    [
        ("a text", ""),
        (None, ""),
        (object(), "JSON does not have it: object"),
        ({1: 2}, "JSON does not have it: dict"),
        (float("nan"), "JSON does not have it"),
        ("\ud800".join("ab").split("b"), "JSON does not have it"),
        (["\x00"], "it has a NUL in it"),
        (["x" * 65_536], "it is longer than 65,536 bytes"),
    ],
    ids=["text", "nothing", "an object", "keys", "not a number", "surrogate", "NUL", "long"],
)
def test_what_cannot_be_kept_is_told_in_the_log_and_fails_nothing(make_job, returned, why):
    job = make_job("Report", body=lambda context: returned)
    run = start_job_now(job, started_by="ann", now=NOW)
    work_off(NOW)
    task = Task.objects.get()
    assert (task.status, task.result) == ("completed", None) and "result" not in run_document(run)["tasks"][0]
    lines = AttemptLog.objects.values_list("lines", flat=True).first() or ""
    assert ("is not kept" in lines) is bool(why) and why in lines


def test_the_page_of_a_run_shows_what_its_job_returned_as_text(make_job, admin_client):
    job = make_job("Report", body=lambda context: {"html": "<b>é</b>"})
    run = start_job_now(job, started_by="ann", now=NOW)
    work_off(NOW)
    page = admin_client.get(f"/admin/scheduling/run/{run.pk}/change/").text
    assert "What job Report returned" in page and "&quot;html&quot;: &quot;&lt;b&gt;é&lt;/b&gt;&quot;" in page


@pytest.fixture
def told():
    """What hooks were told, and the hooks."""
    heard = []

    def hook(name):
        return lambda context, end: heard.append((name, context.attempt, end.status, end.message, end.result))

    return heard, hook


def test_hooks_are_called_once_when_a_job_ended_for_good(make_job, told):
    heard, hook = told
    hooks = on_failure(hook("bad")), on_success(hook("good")), on_failure(hook("bad too"))

    def body(context, times: int = 0):
        if context.attempt <= times:
            raise ValueError("shelf")
        return {"tries": context.attempt}

    job = make_job("Report", retry(2, 60), *hooks, body=body)
    for times, expected in (
        (0, [("good", 1, "completed", "Done.", {"tries": 1})]),
        (1, [("good", 2, "completed", "Done.", {"tries": 2})]),
        (2, [(name, 2, "failed", "ValueError: shelf", None) for name in ("bad", "bad too")]),
    ):
        heard.clear()
        start_job_now(job, started_by="ann", now=NOW, arguments={"times": times})
        for minute in range(3):
            work_off(NOW + timedelta(minutes=minute))
        assert heard == expected


def test_a_fatal_error_and_a_time_out_are_told_and_a_cancel_is_not(make_job, told):
    heard, hook = told
    for error in (FatalJobError("never"), TimedOut("too long"), AttemptCancelled("asked")):

        def body(context, error=error):
            raise error

        name = f"Report {type(error).__name__}"
        job = make_job(name, on_failure(hook(name)), on_success(hook(name)), body=lambda context, f=body: f(context))
        start_job_now(job, started_by="ann", now=NOW)
        work_off(NOW)
    assert [(name, message) for name, _, _, message, _ in heard] == [
        ("Report FatalJobError", "FatalJobError: never"),
        ("Report TimedOut", "TimedOut: too long"),
    ]


def test_a_hook_sees_the_outcome_and_its_fault_changes_nothing(make_job, caplog):
    seen = []

    def broken(context, end):
        raise RuntimeError("no mail today")

    def looks(context, end):
        seen.append((Task.objects.get().status, connection.in_atomic_block))

    job = make_job("Report", on_success(broken), on_success(looks), body=lambda context: "fine")
    run = start_job_now(job, started_by="ann", now=NOW)
    work_off(NOW)
    run.refresh_from_db()
    assert (run.status, seen) == ("completed", [("completed", False)]) and "no mail today" in caplog.text


def test_an_attempt_that_was_given_up_calls_no_hook(make_job, told):
    heard, hook = told

    def body(context):
        Attempt.objects.update(outcome="lost", finished_at=NOW)

    job = make_job("Report", on_failure(hook("bad")), on_success(hook("good")), body=body)
    start_job_now(job, started_by="ann", now=NOW)
    work_off(NOW)
    assert heard == []
