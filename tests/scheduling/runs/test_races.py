"""Two connections meet at the same row, again and again: exactly one of them wins, and nothing falls between."""

import threading
from collections.abc import Callable
from copy import copy
from datetime import timedelta
from typing import Any

import pytest
from django.db import connections
from django.db.models.base import ModelState

from scheduling import broker, queues
from scheduling.dag.manifest import ManifestTask
from scheduling.dispatch.recover import release_silent_attempts, resend
from scheduling.errors import CannotIntervene
from scheduling.models import Attempt, Queue, Run, SchedulerConfiguration, SchedulerLog, Task, TaskDependency
from scheduling.queues import claim, claim_of
from scheduling.runs.advance import finish
from scheduling.runs.cancel import cancel_run
from scheduling.runs.intervene import complete_step, hold_step, skip_step
from scheduling.runs.ordered import append
from scheduling.states import RunKind, RunStatus, TaskStatus
from scheduling.workloads.outcome import Outcome
from tests.depth import DEEP
from tests.scheduling.conftest import NOW
from tests.scheduling.runs.auditor import audit
from tests.scheduling.runs.pieces import item, of, start, states, status

pytestmark = pytest.mark.django_db(transaction=True)

# On SQLite a writing transaction shuts out all others from its start: each race has two outcomes only.
REPETITIONS = 400 if DEEP else 20
AT_ONCE = 50  # rounds whose runs lie side by side when the auditor comes
DONE = Outcome(TaskStatus.COMPLETED, "done")
LATER = NOW + timedelta(minutes=31)
PARKED = NOW + timedelta(days=1)


class Racers:
    """Threads with a connection each that wait for their next action and start it at the same instant."""

    def __init__(self, number: int):
        self._barrier = threading.Barrier(number + 1)
        self._actions: list[Callable[[], Any]] = []
        self._results: list[Any] = [None] * number
        self._threads = [threading.Thread(target=self._run, args=[n], daemon=True) for n in range(number)]
        for thread in self._threads:
            thread.start()

    def at_once(self, *actions: Callable[[], Any]) -> list[Any]:
        """Run one action in each thread and return their results; an error is a result."""
        self._actions = list(actions)
        self._barrier.wait()
        self._barrier.wait()
        return list(self._results)

    def stop(self) -> None:
        """End the threads and close their connections."""
        self._actions = []
        self._barrier.wait()
        for thread in self._threads:
            thread.join()

    def _run(self, number: int) -> None:
        while True:
            self._barrier.wait()
            if not self._actions:
                connections.close_all()
                return
            try:
                self._results[number] = self._actions[number]()
            except Exception as error:
                self._results[number] = error
            self._barrier.wait()


@pytest.fixture
def racers():
    """Two racers, and a queue with room."""
    Queue.objects.update_or_create(name="default", defaults={"max_running": 2 * AT_ONCE})
    two = Racers(2)
    yield two
    two.stop()


def repeat(
    round_of: Callable[..., None],
    *items: ManifestTask,
    kind: str = RunKind.PLAN,
    runs: int = 1,
    times: int = REPETITIONS,
) -> None:
    """Repeat a round, each with `runs` new runs of these items, and audit the tables now and then."""
    for first in range(0, times, AT_ONCE):
        rounds = min(AT_ONCE, times - first)
        copies = _copies(start(*items, kind=kind), rounds * runs)
        for number in range(rounds):
            chosen = copies[number * runs : (number + 1) * runs]
            Task.objects.filter(run__in=chosen, next_attempt_at=PARKED).update(next_attempt_at=None)
            round_of(*chosen)
        assert audit() == []
        Run.objects.all().delete()
        SchedulerLog.objects.all().delete()


def _copies(first: Run, number: int) -> list[Run]:
    """Return so many runs like this one, which is one of them; their queued tasks stand beside the line."""
    Task.objects.filter(run=first, status=TaskStatus.QUEUED).update(next_attempt_at=PARKED)
    tasks, pairs = list(first.tasks.all()), TaskDependency.objects.filter(task__run=first)
    place = {task.pk: n for n, task in enumerate(tasks)}
    order = [(place[task_id], place[prior_id]) for task_id, prior_id in pairs.values_list("task_id", "depends_on_id")]
    runs = [_copy(first, fire_key=f"copy {n}") for n in range(1, number)]
    Run.objects.bulk_create(runs)
    copied = [[_copy(task, run=run) for task in tasks] for run in runs]
    Task.objects.bulk_create(task for of_run in copied for task in of_run)
    TaskDependency.objects.bulk_create(
        TaskDependency(task=of_run[task], depends_on=of_run[prior]) for of_run in copied for task, prior in order
    )
    return [first, *runs]


def _copy(row: Any, **changes: Any) -> Any:
    """Return a copy of a row that is not stored yet."""
    new = copy(row)
    new.pk, new._state = None, ModelState()
    for name, value in changes.items():
        setattr(new, name, value)
    return new


def test_claim_and_claim(racers):
    def round_of(run):
        task = of(run, "a")
        won = racers.at_once(*(lambda: claim(task.pk, worker="w", now=NOW) for _ in range(2)))
        assert sum(isinstance(result, Attempt) for result in won) == 1 and None in won

    repeat(round_of, item("a"))


def test_claim_and_claim_of_the_last_place_in_the_queue(racers):
    def round_of(run):
        Queue.objects.update(max_running=Task.objects.filter(status="running").count() + 1)
        won = racers.at_once(*(lambda key=key: claim(of(run, key).pk, worker="w", now=NOW) for key in "ab"))
        assert sum(isinstance(result, Attempt) for result in won) == 1

    repeat(round_of, item("a"), item("b"))


def test_finish_and_finish_of_two_parents(racers):
    def round_of(run):
        held = [(claim(of(run, key).pk, worker="w", now=NOW), of(run, key)) for key in "ab"]
        ended = racers.at_once(*(lambda a=a, t=t: finish(a, t, DONE, now=NOW) for a, t in held))
        assert ended == [True, True] and states(run)["join"] == "queued"

    repeat(round_of, item("a"), item("b"), item("join", "a b"))


def test_release_and_finish(racers):
    def round_of(run):
        task = of(run, "a")
        attempt = claim(task.pk, worker="w", now=NOW)
        released, finished = racers.at_once(
            lambda: release_silent_attempts(LATER), lambda: finish(attempt, task, DONE, now=LATER)
        )
        assert (released, finished) in ((1, False), (0, True))
        assert states(run) == ({"a": "completed", "b": "queued"} if finished else {"a": "failed", "b": "blocked"})
        cancel_run(run, by="ann", now=LATER)

    repeat(round_of, item("a"), item("b", "a"))


def test_cancel_and_finish(racers):
    def round_of(run):
        task = of(run, "a")
        attempt = claim(task.pk, worker="w", now=NOW)
        _, finished = racers.at_once(
            lambda: cancel_run(run, by="ann", now=NOW), lambda: finish(attempt, task, DONE, now=NOW)
        )
        assert finished is True
        assert states(run) == {"a": "completed", "b": "cancelled"} and status(run) == "cancelled"

    repeat(round_of, item("a"), item("b", "a"))


def test_cancel_and_claim(racers):
    def round_of(run):
        task = of(run, "a")
        cancelled, attempt = racers.at_once(
            lambda: cancel_run(run, by="ann", now=NOW), lambda: claim(task.pk, worker="w", now=NOW)
        )
        assert cancelled is True, cancelled
        stored = of(run, "a")
        if attempt is None:
            assert (stored.status, status(run)) == ("cancelled", "cancelled")
        else:
            assert (stored.status, stored.cancel_requested, status(run)) == ("running", True, "running")
            assert finish(attempt, task, Outcome(TaskStatus.CANCELLED, "heard"), now=NOW)

    repeat(round_of, item("a"))


@pytest.mark.parametrize("verb", [skip_step, complete_step])
def test_an_end_by_hand_and_claim(racers, verb):
    """The worker has it, and the person is told so; or it has ended, and no worker gets it."""

    def round_of(run):
        task = of(run, "a")
        refused, attempt = racers.at_once(
            lambda: verb(of(run, "a"), by="ann", now=NOW), lambda: claim(task.pk, worker="w", now=NOW)
        )
        if attempt is None:
            assert refused is None and states(run)["b"] == "queued"
        else:
            assert isinstance(refused, CannotIntervene), refused
            assert states(run) == {"a": "running", "b": "waiting"}

    repeat(round_of, item("a"), item("b", "a"))


def test_a_hold_and_claim(racers):
    def round_of(run):
        task = of(run, "a")
        refused, attempt = racers.at_once(
            lambda: hold_step(of(run, "a"), by="ann", now=NOW), lambda: claim(task.pk, worker="w", now=NOW)
        )
        stored = of(run, "a")
        assert (stored.status, stored.is_held) == (("waiting", True) if attempt is None else ("running", False))
        assert (refused is None) == stored.is_held

    repeat(round_of, item("a"), item("b", "a"))


def test_a_skip_of_a_failed_step_and_the_end_of_its_run(racers):
    """Either the run ends as failed and the person is told, or it goes on with what the failure had blocked."""

    def round_of(run):
        failed, last = (claim(of(run, key).pk, worker="w", now=NOW) for key in ("a", "c"))
        assert finish(failed, of(run, "a"), Outcome(TaskStatus.FAILED, "no"), now=NOW)
        refused, ended = racers.at_once(
            lambda: skip_step(of(run, "a"), by="ann", now=NOW), lambda: finish(last, of(run, "c"), DONE, now=NOW)
        )
        assert ended is True, ended
        if refused is None:
            assert states(run) == {"a": "skipped", "b": "queued", "c": "completed"} and status(run) == "running"
        else:
            assert isinstance(refused, CannotIntervene), refused
            assert states(run) == {"a": "failed", "b": "blocked", "c": "completed"} and status(run) == "failed"

    repeat(round_of, item("a"), item("b", "a"), item("c"))


def test_a_hold_and_the_end_of_what_it_waits_for(racers):
    """It is held, whether it was queued in between or not."""

    def round_of(run):
        task = of(run, "a")
        attempt = claim(task.pk, worker="w", now=NOW)
        refused, ended = racers.at_once(
            lambda: hold_step(of(run, "b"), by="ann", now=NOW), lambda: finish(attempt, task, DONE, now=NOW)
        )
        assert (refused, ended) == (None, True)
        assert states(run) == {"a": "completed", "b": "waiting"} and of(run, "b").is_held

    repeat(round_of, item("a"), item("b", "a"))


def test_append_and_the_end_of_the_run(racers):
    def round_of(run):
        task = of(run, "a")
        attempt = claim(task.pk, worker="w", now=NOW)
        appended, _ = racers.at_once(
            lambda: append(run, [(2, item("b"))], now=NOW), lambda: finish(attempt, task, DONE, now=NOW)
        )
        if isinstance(appended, list):
            assert states(run) == {"a": "completed", "b": "queued"} and status(run) == RunStatus.RUNNING
        else:
            assert states(run) == {"a": "completed"} and status(run) == RunStatus.COMPLETED

    repeat(round_of, item("a", step_index=1), kind=RunKind.ORDERED)


def test_two_plans_that_want_one_entity(racers, make_entity):
    entity = make_entity().entity
    batch = ManifestTask(entity.code, RunKind.BATCH, entity.pk)

    def round_of(*runs):
        won = racers.at_once(*(lambda run=run: claim(of(run, "branch").pk, worker="w", now=NOW) for run in runs))
        (attempt,) = (result for result in won if result is not None)
        task = Task.objects.select_related("run", "entity").get(pk=attempt.task_id)
        assert finish(attempt, task, Outcome(TaskStatus.CANCELLED, "enough"), now=NOW)
        assert not SchedulerConfiguration.objects.get().is_running
        for run in runs:
            cancel_run(run, by="ann", now=NOW)

    repeat(round_of, batch, runs=2)


def test_a_doubled_message_and_the_worker_that_goes_on(racers):
    """Both mean the queue: each gets another task, or one of them none."""

    def round_of(run):
        queue_id = of(run, "a").queue_id
        won = racers.at_once(*(lambda: claim_of(queue_id, worker="w", now=NOW) for _ in range(2)))
        assert all(isinstance(result, Attempt) for result in won), won
        assert states(run) == {"a": "running", "b": "running"}

    repeat(round_of, item("a"), item("b"))


def test_a_message_sent_again_and_the_start(racers, monkeypatch):
    sent: list[int] = []
    monkeypatch.setattr(broker, "wake", lambda ids, celery_queue="": sent.extend(ids) or len(ids))

    def round_of(run):
        task = of(run, "a")
        attempt, _ = racers.at_once(lambda: claim(task.pk, worker="w", now=LATER), lambda: resend(LATER))
        assert isinstance(attempt, Attempt), attempt
        assert claim(task.pk, worker="woken again", now=LATER) is None
        assert of(run, "a").status == "running"

    repeat(round_of, item("a"))


def test_claim_of_the_queue_and_cancel_of_a_run_that_has_not_begun(racers):
    def round_of(run):
        queue_id = of(run, "a").queue_id
        attempt, cancelled = racers.at_once(
            lambda: claim_of(queue_id, worker="w", now=NOW), lambda: cancel_run(run, by="ann", now=NOW)
        )
        assert cancelled is True, cancelled
        stored = of(run, "a")
        assert (attempt is None) == (stored.status == "cancelled"), (attempt, stored.status)
        if attempt is not None:
            assert stored.cancel_requested
            assert finish(attempt, stored, Outcome(TaskStatus.CANCELLED, "heard"), now=NOW)

    repeat(round_of, item("a"))


@pytest.mark.postgresql
def test_the_races_see_a_claim_that_counts_without_the_lock(racers, monkeypatch):
    """The limit without the queue's lock, kept as a proof: both see the last free place."""
    monkeypatch.setattr(queues, "lock_queue", lambda queue_id: None)
    with pytest.raises(AssertionError):
        test_claim_and_claim_of_the_last_place_in_the_queue(racers)
