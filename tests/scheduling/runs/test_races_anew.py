"""A person lets a step run anew while a worker, a cycle or another person is at the same run, again and again.

Whoever is first has it and the other is told: nothing is at work twice, and the run stands as what is left of it.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from scheduling.dispatch.recover import recover, release_silent_attempts
from scheduling.errors import CannotIntervene, CannotRestart
from scheduling.models import Attempt, Run, Task
from scheduling.queues import claim, claim_of
from scheduling.runs.advance import finish, hand_back
from scheduling.runs.cancel import cancel_run
from scheduling.runs.execute import run_attempt
from scheduling.runs.intervene import complete_step, hold_step, retry_now, run_from, run_only, skip_step
from scheduling.states import TaskStatus
from scheduling.workloads.outcome import Outcome
from tests.scheduling.conftest import NOW
from tests.scheduling.runs.pieces import item, of, states, status
from tests.scheduling.runs.test_items import listed
from tests.scheduling.runs.test_races import DONE, LATER, REPETITIONS, racers
from tests.scheduling.runs.test_races import repeat as repeat_often

__all__ = ["racers"]
pytestmark = pytest.mark.django_db(transaction=True)

FAILED = Outcome(TaskStatus.FAILED, "no")
repeat = partial(repeat_often, times=REPETITIONS // 2)  # there are many of them
either = pytest.mark.parametrize("verb", [run_only, run_from])


def by_hand(verb: Callable[..., None], run: Run, key: str) -> Callable[[], None]:
    """Return what a person does to a step, which is read as it stands then."""
    return lambda: verb(of(run, key), by="ann", now=LATER)


def taken(run: Run, key: str) -> Attempt:
    attempt = claim(of(run, key).pk, worker="w", now=NOW)
    assert attempt is not None
    return attempt


def done(run: Run, key: str) -> None:
    assert finish(taken(run, key), of(run, key), DONE, now=NOW)


def is_refused(result: Any) -> bool:
    """Return whether a person was told that this cannot be; any other error fails the test."""
    assert result is None or isinstance(result, CannotIntervene | CannotRestart), repr(result)
    return result is not None


@either
def test_and_the_end_of_the_same_step(racers, verb):
    """It is at work and the person is told so; or it has ended, and what comes after it waits for it once more."""

    def round_of(run):
        attempt = taken(run, "a")
        told, ended = racers.at_once(by_hand(verb, run, "a"), lambda: finish(attempt, of(run, "a"), DONE, now=NOW))
        assert ended is True, ended
        if is_refused(told):
            assert states(run) == {"a": "completed", "b": "queued", "c": "waiting"}
        else:
            assert states(run) == {"a": "queued", "b": "waiting", "c": "waiting"}
            assert isinstance(claim(of(run, "a").pk, worker="w", now=LATER), Attempt)
        assert status(run) == "running"

    repeat(round_of, item("a"), item("b", "a"), item("c", "b"))


@either
@pytest.mark.parametrize("outcome", [DONE, FAILED])
def test_and_the_end_of_the_run_by_another_step(racers, verb, outcome):
    """The run has ended and the person is told so; or it goes on until the step has run once more."""

    def round_of(run):
        done(run, "a")
        last = taken(run, "last")
        told, ended = racers.at_once(by_hand(verb, run, "a"), lambda: finish(last, of(run, "last"), outcome, now=NOW))
        assert ended is True, ended
        if is_refused(told):
            assert status(run) == outcome.status and of(run, "a").status == "completed"
            return
        assert status(run) == "running" and states(run) == {"a": "queued", "last": outcome.status}
        done(run, "a")
        assert status(run) == outcome.status

    repeat(round_of, item("a"), item("last"))


@either
def test_and_the_end_of_the_run_by_the_same_step(racers, verb):
    def round_of(run):
        attempt = taken(run, "a")
        told, ended = racers.at_once(by_hand(verb, run, "a"), lambda: finish(attempt, of(run, "a"), DONE, now=NOW))
        assert ended is True, ended
        assert is_refused(told) and (status(run), of(run, "a").status) == ("completed", "completed")

    repeat(round_of, item("a"))


@either
def test_and_the_failure_of_what_it_waits_for(racers, verb):
    """It runs, whether the failure had blocked it before or not; what comes after it waits for it."""

    def round_of(run):
        attempt = taken(run, "a")
        told, ended = racers.at_once(by_hand(verb, run, "b"), lambda: finish(attempt, of(run, "a"), FAILED, now=NOW))
        assert ended is True, ended
        if is_refused(told):  # that was the end of the run
            assert states(run) == {"a": "failed", "b": "blocked", "c": "blocked"} and status(run) == "failed"
            return
        assert states(run) == {"a": "failed", "b": "queued", "c": "waiting"}
        done(run, "b")
        done(run, "c")
        assert status(run) == "failed"

    repeat(round_of, item("a"), item("b", "a"), item("c", "b"))


@either
def test_and_a_worker_that_takes_what_comes_after_it(racers, verb):
    def round_of(run):
        done(run, "a")
        told, attempt = racers.at_once(by_hand(verb, run, "a"), lambda: claim(of(run, "b").pk, worker="w", now=LATER))
        if attempt is None:
            assert not is_refused(told) and states(run) == {"a": "queued", "b": "waiting", "c": "waiting"}
            return
        assert isinstance(attempt, Attempt), attempt
        assert is_refused(told) == (verb is run_from)
        assert states(run) == {"a": "completed" if told else "queued", "b": "running", "c": "waiting"}

    repeat(round_of, item("a"), item("b", "a"), item("c", "b"))


@either
def test_and_a_worker_that_takes_it_when_its_pause_is_over(racers, verb):
    """It is at work once: for the worker, or for the worker that comes after the person."""

    def round_of(run):
        assert finish(taken(run, "a"), of(run, "a"), FAILED, now=NOW)
        assert of(run, "a").next_attempt_at is not None
        told, attempt = racers.at_once(by_hand(verb, run, "a"), lambda: claim(of(run, "a").pk, worker="w", now=LATER))
        if is_refused(told):
            assert isinstance(attempt, Attempt), attempt
        elif attempt is None:
            attempt = claim(of(run, "a").pk, worker="w", now=LATER)
        assert isinstance(attempt, Attempt), attempt
        assert of(run, "a").attempts.filter(outcome="running").count() == 1 and states(run)["b"] == "waiting"
        assert finish(attempt, of(run, "a"), DONE, now=LATER) and states(run)["b"] == "queued"

    repeat(round_of, item("a", attempts=2, retry_interval_seconds=60), item("b", "a"))


@either
@pytest.mark.parametrize("other", [skip_step, complete_step, hold_step, retry_now])
def test_and_another_hand_on_the_same_step(racers, verb, other):
    """One after the other, or the second is told; it is never at work without a person who wants that."""

    def round_of(run):
        if other is retry_now:
            assert finish(taken(run, "b"), of(run, "b"), FAILED, now=NOW)
        key = "b" if other is retry_now else "c"
        ran, told = racers.at_once(by_hand(verb, run, key), by_hand(other, run, key))
        assert not (is_refused(ran) and is_refused(told)), (ran, told)
        step = of(run, key)
        if other is retry_now:
            assert step.status == "queued" and is_refused(ran) + is_refused(told) == 1
        elif other is hold_step:
            assert told is None and step.is_held and step.runs_anyway == (ran is None)
        else:  # an end by hand is taken back, or ends what was queued
            assert told is None and (step.status == "queued" or step.status == states(run)[key])
        assert status(run) in ("pending", "running")
        cancel_run(run, by="ann", now=LATER)

    repeat(round_of, item("a"), item("b"), item("c", "a"))


@pytest.mark.parametrize("verbs", [(run_only, run_only), (run_from, run_from), (run_only, run_from)])
def test_and_another_person_who_wants_the_same(racers, verbs):
    def round_of(run):
        done(run, "a")
        told = racers.at_once(*(by_hand(verb, run, "a") for verb in verbs))
        assert sorted(map(is_refused, told)) == [False, True], told
        assert states(run) == {"a": "queued", "b": "waiting"} and of(run, "a").attempts_allowed == 2

    repeat(round_of, item("a"), item("b", "a"))


@either
def test_and_another_person_who_wants_what_comes_after_it(racers, verb):
    """Both run now; or the one behind waits for its turn, which the first person asked for later."""

    def round_of(run):
        done(run, "a")
        done(run, "b")
        told = racers.at_once(by_hand(verb, run, "a"), by_hand(run_only, run, "b"))
        assert not any(map(is_refused, told)), told
        found = states(run)
        assert found["a"] == "queued" and found["b"] in ("queued", "waiting") and found["c"] == "waiting"
        assert verb is run_from or found["b"] == "queued"
        for key in ("a", "b", "c"):
            done(run, key)
        assert status(run) == "completed"

    repeat(round_of, item("a"), item("b", "a"), item("c", "b"))


@either
def test_and_a_cancel_of_the_run(racers, verb):
    """Cancelled is the end of it: what was let run is cancelled, or the person is told."""

    def round_of(run):
        done(run, "a")
        told, cancelled = racers.at_once(by_hand(verb, run, "a"), lambda: cancel_run(run, by="ben", now=LATER))
        assert cancelled is True, cancelled
        again = {} if is_refused(told) else {"a": "cancelled"}
        assert states(run) == {"a": "completed", "b": "cancelled", "c": "cancelled"} | again
        assert status(run) == "cancelled"

    repeat(round_of, item("a"), item("b", "a"), item("c", "b"))


@either
def test_and_a_cancel_of_a_run_of_which_something_is_at_work(racers, verb):
    def round_of(run):
        done(run, "a")
        attempt = taken(run, "long")
        told, cancelled = racers.at_once(by_hand(verb, run, "a"), lambda: cancel_run(run, by="ben", now=LATER))
        assert cancelled is True, cancelled
        assert of(run, "a").status == ("completed" if is_refused(told) else "cancelled")
        assert finish(attempt, of(run, "long"), DONE, now=LATER) and status(run) == "cancelled"

    repeat(round_of, item("a"), item("long"))


@either
def test_and_a_cycle_that_releases_the_step_of_a_dead_worker(racers, verb):
    """The worker still has it and the person is told; or it was released as failed, and runs once more."""

    def round_of(run):
        dead = taken(run, "a")
        told, released = racers.at_once(by_hand(verb, run, "a"), lambda: release_silent_attempts(LATER))
        assert released == 1, released
        assert not finish(dead, of(run, "a"), DONE, now=LATER), "it comes late"
        if is_refused(told):
            assert states(run) == {"a": "failed", "b": "blocked", "long": "queued"}
        else:
            assert states(run) == {"a": "queued", "b": "waiting", "long": "queued"}
        cancel_run(run, by="ann", now=LATER)

    repeat(round_of, item("a"), item("b", "a"), item("long"))


@either
def test_and_a_cycle_that_mends(racers, verb):
    """It finds nothing to mend in a run that a person has just changed, and ends none that goes on."""

    def round_of(run):
        done(run, "a")
        done(run, "b")
        told, mended = racers.at_once(by_hand(verb, run, "a"), lambda: recover(LATER))
        assert not is_refused(told) and mended.errors == [] and mended.zombies == 0, mended
        assert states(run)["a"] == "queued" and states(run)["b"] == ("waiting" if verb is run_from else "completed")
        for key in ("a", "b", "c") if verb is run_from else ("a", "c"):
            done(run, key)
        assert status(run) == "completed"

    repeat(round_of, item("a"), item("b", "a"), item("c", "b"))


@either
def test_and_a_worker_that_hands_back_what_comes_after_it(racers, verb):
    """What a worker gave back waits for its turn as well; what it still has refuses a person who would run that too."""

    def round_of(run):
        done(run, "a")
        attempt = taken(run, "b")
        told, back = racers.at_once(by_hand(verb, run, "a"), lambda: hand_back(attempt, of(run, "b"), now=LATER))
        assert back is True, back
        refused = is_refused(told)
        assert verb is run_from or not refused
        found = states(run)
        assert found["b"] == ("waiting" if verb is run_from and not refused else "queued")
        assert found["a"] == ("completed" if refused else "queued") and found["c"] == "waiting"

    repeat(round_of, item("a"), item("b", "a"), item("c", "b"))


@either
def test_and_the_end_of_an_item_of_the_step(racers, verb):
    """The step has items at work, or in line to say its end: it is told, or none of the old items is left."""

    def round_of(run):
        for key in ("load", "load [1]"):
            attempt = claim(of(run, key).pk, worker="w", now=NOW)
            if key == "load":
                run_attempt(attempt, time=lambda: NOW)
        told, ended = racers.at_once(
            by_hand(verb, run, "load"), lambda: finish(attempt, of(run, "load [1]"), DONE, now=NOW)
        )
        assert ended is True, ended
        assert is_refused(told) and states(run) == {"load": "queued", "load [1]": "completed", "b": "waiting"}

    repeat(round_of, listed("x"), item("b", "load"))


@either
def test_and_a_worker_that_takes_an_item_of_what_comes_after_it(racers, verb):
    def round_of(run):
        done(run, "a")
        run_attempt(taken(run, "load"), time=lambda: NOW)
        told, attempt = racers.at_once(
            by_hand(verb, run, "a"), lambda: claim(of(run, "load [1]").pk, worker="w", now=LATER)
        )
        if verb is run_only:
            assert not is_refused(told) and isinstance(attempt, Attempt), attempt
        elif is_refused(told):
            assert isinstance(attempt, Attempt) and states(run)["a"] == "completed"
        else:
            assert attempt is None or isinstance(attempt, Task.DoesNotExist), attempt
            assert states(run) == {"a": "queued", "load": "waiting"}

    repeat(round_of, item("a"), listed("x", "y", after="a"))


def test_many_workers_and_a_person_who_runs_steps_anew_all_the_while(racers):
    """Of what a person lets run again and again nothing is at work twice, and the run comes to its end."""

    def round_of(run):
        queue_id = of(run, "a").queue_id

        def work() -> int:
            number = 0
            while attempt := claim_of(queue_id, worker="w", now=LATER):
                run_attempt(attempt, time=lambda: LATER)
                number += 1
            return number

        def people() -> None:
            for verb, key in ((run_only, "b"), (run_from, "a"), (run_only, "c"), (run_from, "b")):
                try:
                    verb(of(run, key), by="ann", now=LATER)
                except CannotIntervene:
                    continue

        did, told = racers.at_once(work, people)
        assert told is None and isinstance(did, int), (told, did)
        work()
        assert status(run) == "completed" and set(states(run).values()) == {"completed"}

    repeat(round_of, item("a"), item("b", "a"), item("c", "b"))
