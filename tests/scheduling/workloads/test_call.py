"""Promises of a call: only what declares itself is called, with its arguments, told when to stop."""

import sys
import time
from datetime import date
from decimal import Decimal

import pytest

from scheduling.errors import InvalidManifest
from scheduling.models import AttemptLog, Task
from scheduling.queues import claim_next
from scheduling.runs.cancel import cancel_run
from scheduling.runs.execute import run_attempt
from scheduling.runs.ordered import call, submit
from scheduling.workloads import job
from scheduling.workloads.call import declared_calls, task
from tests.scheduling.conftest import NOW
from tests.scheduling.runs.pieces import item, of, start, states, status, work

pytestmark = pytest.mark.django_db(transaction=True)

SEEN: list = []


@task("test looks around")
def looks_around(context, day="sunday"):
    SEEN.append((context.task.key, context.run.title, context.now, context.cancelled, day))
    context.progress(3, 10)
    return f"looked on {day}"


@task("test endless")
def endless(context):
    while True:
        context.progress(1, None)  # where a task stops
        time.sleep(0.01)


def test_it_is_called_with_its_arguments_and_its_text_is_the_message():
    SEEN.clear()
    run = start(item("look", calls="test looks around"))
    Task.objects.update(arguments={"call": "test looks around", "arguments": {"day": "monday"}})
    work()
    assert SEEN == [("look", "Test", NOW, False, "monday")]
    assert of(run, "look").message == "looked on monday"


@pytest.mark.parametrize("name", ["os.system", "", "test nothing"])
def test_what_nobody_declared_is_never_called(name):
    run = start(item("a", calls=name, attempts=4))
    work()
    assert states(run) == {"a": "failed"} and of(run, "a").attempts_made == 1


@task("test well-behaved")
async def well_behaved(context, day: date, factor: Decimal = Decimal(1)):
    context.logger.info("It is %s.", day.strftime("%A"))
    sys.stdout.write("printed\n")
    context.warn("Two rows have no price.")
    context.progress(5, 5, "all of it")
    return {"day": day, "factor": factor, "attempt": context.attempt, "arguments": sorted(context.arguments)}


def test_it_works_as_a_job_does_with_typed_arguments_a_log_warnings_and_a_result():
    run = submit([(1, call("test well-behaved", day=date(2026, 3, 2)))], title="Month end", submitted_by="ann", now=NOW)
    assert run.tasks.get().arguments["arguments"] == {"day": "2026-03-02"}
    work()
    done = run.tasks.get()
    assert done.result == {"day": "2026-03-02", "factor": "1", "attempt": 1, "arguments": ["day"]}
    assert (done.status, done.warnings, done.rows_done, done.rows_total) == ("completed", 1, 5, 5)
    log = AttemptLog.objects.get(attempt__task=done)
    assert log.progress == "all of it"
    assert all(line in log.lines for line in ("It is Monday.", "INFO printed", "WARNING Two rows have no price."))


def test_what_it_raises_stands_in_its_log_with_its_trace():
    @task("test broken")
    def broken(context):
        raise ValueError("no such shelf")

    run = submit([(1, call("test broken"))], title="Month end", submitted_by="ann", now=NOW)
    work()
    assert run.tasks.get().message == "ValueError: no such shelf"
    assert "no such shelf" in AttemptLog.objects.get(attempt__task__run=run).lines


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        ({}, "day is missing."),
        ({"day": "tomorrow"}, "day is .tomorrow.; it must be a date"),
        ({"day": "2026-03-02", "size": 1}, "There is no argument 'size'"),
        ({"day": "2026-03-02", "factor": "many"}, "it must be a decimal number"),
    ],
)
def test_arguments_that_it_does_not_take_are_refused_before_anything_starts(arguments, fault):
    with pytest.raises(InvalidManifest, match=fault):
        call("test well-behaved", **arguments)


def test_what_a_function_takes_by_any_name_comes_as_json_has_it():
    @task("test open")
    def open_ended(context, **given):
        return given

    run = submit([(1, call("test open", day=date(2026, 3, 2), size=3))], title="R", submitted_by="ann", now=NOW)
    work()
    assert run.tasks.get().result == {"day": "2026-03-02", "size": 3}


def test_a_cancel_ends_it_at_its_next_question(monkeypatch):
    monkeypatch.setattr(job, "LOOK_SECONDS", 0.05)
    run = start(item("a", calls="test endless"))
    attempt = claim_next(worker="w", now=NOW)
    cancel_run(run, by="ann", now=NOW)
    run_attempt(attempt, time=lambda: NOW)
    assert (states(run)["a"], status(run)) == ("cancelled", "cancelled")


def test_two_functions_of_one_name_are_refused():
    with pytest.raises(ValueError, match="declared twice"):
        task("test endless")(looks_around)
    assert "test endless" in declared_calls()
