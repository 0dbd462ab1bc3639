"""Hands on a step of a live run: retry it, skip it, mark it as succeeded, hold it, let it go on.

What comes after a step that was skipped or marked goes on as if the step had been done. What a worker has is not
touched: it is cancelled with its run, or released when the worker is dead.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext_noop

from scheduling.errors import CannotIntervene, CannotRestart, SchedulingError
from scheduling.lifecycle import events
from scheduling.lifecycle.steps import end_by_hand, hold, is_being_cancelled, let_go, release_again
from scheduling.lifecycle.tasks import lock_run
from scheduling.models import Task
from scheduling.queues import next_turns, wake_freed, wake_lines_after_commit
from scheduling.runs.advance import settle_run, workload_of
from scheduling.runs.fire import refuse_without_right
from scheduling.runs.restart import item_of
from scheduling.states import EventType, RunKind, Starter, TaskStatus
from scheduling.workloads.outcome import Outcome
from staging.rights import Person
from staging.transactions import after_commit
from staging.wording import say

_ENDED_BEFORE = gettext_noop("Run {run} has ended; restart it, and leave out what is done.")
_RESTART_INSTEAD = gettext_noop("Run {run} has ended: restart the run instead.")
_ENDED = {
    TaskStatus.SKIPPED: (
        gettext_noop("Skipped by {by}."),
        gettext_noop("{task} skipped by {by}."),
        gettext_noop("{task} is {status}: only a step that waits, or failed, can be skipped."),
    ),
    TaskStatus.COMPLETED: (
        gettext_noop("Marked as succeeded by {by}."),
        gettext_noop("{task} marked as succeeded by {by}."),
        gettext_noop("{task} is {status}: only a step that waits, or failed, can be marked as succeeded."),
    ),
}


def retry_now(task: Task, *, by: str, person: Person | None = None, now: datetime) -> None:
    """Release a failed task of a live run again, or let one that waits for its next attempt start at once.

    What it had blocked waits for it again. Raises CannotRestart when the run has ended or is being cancelled, or the
    task did not fail, and NotAllowed when `person`, who asked, may not start such work.
    """
    with _live_run(task, person, CannotRestart, ended=_RESTART_INSTEAD):
        if Task.objects.filter(pk=task.mapped_by_id or 0, status__in=TaskStatus.final()).exists():
            raise CannotRestart(say("{task} belongs to a step that has ended: release that step again.", task=task.key))
        delayed = Task.objects.filter(pk=task.pk, status=TaskStatus.QUEUED, next_attempt_at__isnull=False)
        if not delayed.update(next_attempt_at=None, waits_for_entity=False):
            (turn,) = next_turns(task.run_id, task.queue_id, task.priority, 1)
            if not release_again(task, turn=turn, now=now, message=say("Released again by {by}.", by=by)):
                raise CannotRestart(
                    say(
                        "{task} is {status}: only a task that failed can be released again.",
                        task=task.key,
                        status=task.status,
                    )
                )
        queued = settle_run(task.run_id, now)
        queued[task.queue_id] = queued.get(task.queue_id, 0) + 1
        message = say("{task} released again by {by}.", task=task.key, by=by)
        events.record(EventType.RETRIED, now=now, entity_id=task.entity_id, message=message, run_id=task.run_id)
        wake_lines_after_commit(queued, now)


def skip_step(task: Task, *, by: str, person: Person | None = None, now: datetime) -> None:
    """End a step that no worker has, or that failed, as skipped; what comes after it goes on as after a success.

    Raises CannotIntervene when the run has ended or the step does not wait, and NotAllowed when `person`, who asked,
    may not start such work.
    """
    _end(task, TaskStatus.SKIPPED, by, person, now)


def complete_step(task: Task, *, by: str, person: Person | None = None, now: datetime) -> None:
    """End a step that no worker has, or that failed, as completed: somebody did its work. Raises as `skip_step`."""
    _end(task, TaskStatus.COMPLETED, by, person, now)


def hold_step(task: Task, *, by: str, person: Person | None = None, now: datetime) -> None:
    """Let no worker claim a step that waits until `let_step_go_on`; the run stays alive. Raises as `skip_step`."""
    with _live_run(task, person):
        if not hold(task.pk, by=by, now=now):
            raise CannotIntervene(_cannot_be_held(task))
        queued = settle_run(task.run_id, now) if task.mapped_by_id is not None else {}  # another item has its place
        _tell(task, by, say("{task} held by {by}.", task=task.key, by=by), now)
        wake_lines_after_commit(queued, now)


def let_step_go_on(task: Task, *, by: str, person: Person | None = None, now: datetime) -> None:
    """Let a held step start as soon as it waits for nothing else. Raises as `skip_step`, also when nobody holds it."""
    with _live_run(task, person):
        if not let_go(task.pk, now=now):
            raise CannotIntervene(say("Nobody holds {task}.", task=task.key))
        queued = settle_run(task.run_id, now)
        _tell(task, by, say("{task} let go on by {by}.", task=task.key, by=by), now)
        wake_lines_after_commit(queued, now)


def _end(task: Task, status: TaskStatus, by: str, person: Person | None, now: datetime) -> None:
    """End a step by hand and move its run on.

    What its work holds (a batch that was opened, the guard of its entity) is given back as by a cancel: nothing was
    processed, so that the entity has neither a success nor a failure.
    """
    message, told, refusal = _ENDED[status]
    with _live_run(task, person):
        reason = say(message, by=by)
        if not end_by_hand(task, status, now=now, message=reason):
            task.refresh_from_db(fields=["status"])
            raise CannotIntervene(say(refusal, task=task.key, status=task.status))
        workload_of(task).ended(task, Outcome(TaskStatus.CANCELLED, reason), now=now)
        queued = settle_run(task.run_id, now)
        _tell(task, by, say(told, task=task.key, by=by), now)
        after_commit(lambda: wake_freed(task.queue_id, queued, now))


@contextmanager
def _live_run(
    task: Task, person: Person | None, refusal: type[SchedulingError] = CannotIntervene, *, ended: str = _ENDED_BEFORE
) -> Iterator[None]:
    """Keep the run of a step locked. Raises the refusal when it has ended or is being cancelled, and NotAllowed."""
    refuse_without_right([item_of(task)], person)
    with transaction.atomic():
        if not lock_run(task.run_id):
            raise refusal(say(ended, run=task.run_id))
        if is_being_cancelled(task.run_id):
            raise refusal(say("Run {run} is being cancelled.", run=task.run_id))
        yield


def _cannot_be_held(task: Task) -> str:
    task.refresh_from_db(fields=["status", "held_at", "held_by"])
    if task.is_held:
        return say("{task} is held already, by {by}.", task=task.key, by=task.held_by)
    return say("{task} is {status}: only a step that waits can be held.", task=task.key, status=task.status)


def _tell(task: Task, by: str, message: str, now: datetime) -> None:
    """Log what a person did."""
    events.record(
        EventType.CHANGED,
        now=now,
        entity_id=task.entity_id,
        job_id=task.target_id if task.workload == RunKind.JOB else None,
        trigger_source=by[:200],
        starter=Starter.PERSON,
        message=message,
        run_id=task.run_id,
    )
