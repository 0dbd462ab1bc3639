"""Hands on a step of a live run: retry it, skip it, mark it as succeeded, hold it, let it go on, run it anew.

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
from scheduling.lifecycle.anew import at_work, behind_of, run_anyway, take_out_of_line, wait_anew
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
_RESTART_A_PART = gettext_noop("Run {run} has ended: restart it from this step on, or this step alone.")
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


def run_only(task: Task, *, by: str, person: Person | None = None, now: datetime) -> None:
    """Run a step that is not at work now, whatever it waits for and whatever it asks about others, also once more.

    It gets a new round of attempts. What comes after it and has not begun waits for it; what ended stays as it is.
    Raises CannotIntervene when a worker has it, it is queued already or held, or the run has ended, and NotAllowed.
    """
    with _live_run(task, person, ended=_RESTART_A_PART):
        _run_anew(task, set(), by, now)
        _tell(task, by, say("{task} run now by {by}, whatever stands before it.", task=task.key, by=by), now)


def run_from(task: Task, *, by: str, person: Person | None = None, now: datetime) -> None:
    """Run a step as `run_only`, and all that comes after it once more, in its order and with its conditions.

    Raises as `run_only`, also when something that comes after it is at work.
    """
    with _live_run(task, person, ended=_RESTART_A_PART):
        behind = behind_of(task)
        steps = Task.objects.filter(pk__in=behind).select_related("queue")
        refuse_without_right([item_of(step) for step in steps], person)
        _run_anew(task, behind, by, now)
        told = say("{task} run now by {by}, and all that comes after it ({number}).", task=task.key, by=by,
                   number=len(behind))  # fmt: skip
        _tell(task, by, told, now)


def _run_anew(task: Task, behind: set[int], by: str, now: datetime) -> None:
    """Queue a step, and let those that come after it, where there are any, wait for a new round. With the run locked.

    What one of those held (a batch that an interrupted worker left, the guard of its entity) is given back.
    """
    if task.mapped_by is not None:
        step = task.mapped_by.key
        raise CannotIntervene(say("{task} is a part of step {step}: run that step.", task=task.key, step=step))
    message = say("Run now by {by}, whatever stands before it.", by=by)
    queued = take_out_of_line(task, behind)
    if busy := at_work({task.pk, *behind}):
        raise CannotIntervene(say("{task} is at work: wait for its end, or cancel the run.", task=busy.key))
    for each in queued:
        workload_of(each).ended(each, Outcome(TaskStatus.CANCELLED, message), now=now)
    wait_anew(task.run_id, behind)
    (turn,) = next_turns(task.run_id, task.queue_id, task.priority, 1)
    if not run_anyway(task, turn=turn, now=now, message=message):
        raise CannotIntervene(_cannot_run(task))
    more = settle_run(task.run_id, now)
    more[task.queue_id] = more.get(task.queue_id, 0) + 1
    wake_lines_after_commit(more, now)


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


def _cannot_run(task: Task) -> str:
    """Return why a step that no worker has cannot be run now."""
    task.refresh_from_db(fields=["status", "held_at", "held_by", "next_attempt_at", "waits_since", "items"])
    if task.held_at is not None:
        return say("{task} is held, by {by}: let it go on first.", task=task.key, by=task.held_by)
    if task.is_awaiting:
        return say("{task} waits for its time already: retry it, and it looks now.", task=task.key)
    if task.status == TaskStatus.QUEUED:
        return say("{task} is queued already: it starts as soon as a worker is free.", task=task.key)
    if task.status == TaskStatus.WAITING:
        return say("{task} is at work: its items have not all ended.", task=task.key)
    return say("{task} is {status}: it cannot be run now.", task=task.key, status=task.status)


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
