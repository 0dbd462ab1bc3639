"""Promises of a call: only what declares itself is called, with its arguments, told when to stop."""

import pytest

from scheduling.models import Task
from scheduling.queues import claim_next
from scheduling.runs.cancel import cancel_run
from scheduling.runs.execute import run_attempt
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
        context.check_cancelled()
        context._asked_at = float("-inf")  # ask each time: no second must pass here


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


def test_a_cancel_ends_it_at_its_next_question():
    run = start(item("a", calls="test endless"))
    attempt = claim_next(worker="w", now=NOW)
    cancel_run(run, by="ann", now=NOW)
    run_attempt(attempt, time=lambda: NOW)
    assert (states(run)["a"], status(run)) == ("cancelled", "cancelled")


def test_two_functions_of_one_name_are_refused():
    with pytest.raises(ValueError, match="declared twice"):
        task("test endless")(looks_around)
    assert "test endless" in declared_calls()
