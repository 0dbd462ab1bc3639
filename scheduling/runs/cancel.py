"""Cancels a run: at once what has not started, at the next safe point what runs. Cancelled stays cancelled.

What runs and does not stop is given up after a grace period, by recovery.
"""

from collections import Counter
from datetime import datetime

from django.db import transaction

from scheduling.lifecycle import events
from scheduling.lifecycle.again import be_the_last, give_up
from scheduling.lifecycle.backfills import end_backfill, lock_backfill, tell_backfill
from scheduling.lifecycle.steps import is_being_cancelled
from scheduling.lifecycle.tasks import cancel_unstarted, lock_run, note_time_out, request_cancel
from scheduling.models import Backfill, Run, Task
from scheduling.queues import wake_lines_after_commit
from scheduling.runs.advance import settle_run, workload_of
from scheduling.states import EventType, RunKind, RunStatus, TaskStatus
from scheduling.workloads.outcome import Outcome
from staging.wording import say


def cancel_run(run: Run, *, by: str, now: datetime) -> bool:
    """Cancel what has not started and ask what runs to stop; return whether there was anything to cancel.

    Of a run that failed and waits for the next attempt of its plan that ends the wait for good; of one whose time is
    up, and which has not stopped yet, none comes.
    """
    with transaction.atomic():
        if lock_run(run.pk):
            be_the_last(run.pk)
            return _stop(run, say("Cancelled by {by} before it started.", by=by), now)
        return give_up(run, say("Cancelled by {by}.", by=by), event=EventType.CANCELLED, now=now)


def time_out_run(run: Run, now: datetime) -> bool:
    """End a run whose time is up, as a cancel does; it ends as failed and says why.

    False when it ended meanwhile, was noted before, or is being cancelled by a person, which stays a cancel.
    """
    with transaction.atomic():
        if not lock_run(run.pk) or is_being_cancelled(run.pk) or not note_time_out(run.pk, now=now):
            return False
        return _stop(run, say("Cancelled before it started: the time of its run was up."), now)


def _stop(run: Run, message: str, now: datetime) -> bool:
    """Cancel what has not started and ask what runs to stop; return whether there was any. With the run locked."""
    cancelled = _cancel_unstarted(run, message, now)
    asked = [pk for pk in _ids(run, TaskStatus.RUNNING) if request_cancel(pk, now=now)]
    if not asked:
        settle_run(run.pk, now)
    wake_lines_after_commit(Counter(task.queue_id for task in cancelled), now)
    return bool(asked or cancelled)


def cancel_backfill(backfill: Backfill, *, by: str, now: datetime) -> bool:
    """End a backfill and cancel what runs of it; what is still to come does not run. False when it had ended.

    Of one that was cancelled before it cancels what still runs: whoever did that may have died before all was asked.
    """
    has_ended_it = _end_by_hand(backfill, by, now)
    if not has_ended_it and not Backfill.objects.filter(pk=backfill.pk, status=RunStatus.CANCELLED).exists():
        return False
    live = backfill.runs.going_on()
    cancelled = [run.pk for run in live if cancel_run(run, by=by, now=now)]
    return has_ended_it or bool(cancelled)


def _end_by_hand(backfill: Backfill, by: str, now: datetime) -> bool:
    """End a backfill whose runs are cancelled next; False when it had ended."""
    with transaction.atomic():
        found = lock_backfill(backfill.pk)
        if found is None:
            return False
        end_backfill(found, RunStatus.CANCELLED, error=say("Cancelled by {by}.", by=by), now=now)
        message = say("{backfill} cancelled by {by}.", backfill=str(backfill), by=by)
        tell_backfill(found, EventType.CANCELLED, message, by=by, now=now)
    return True


def cancel_everything(*, by: str, now: datetime) -> list[int]:
    """Cancel every backfill and every run that goes on, each by itself; return the runs that there was to cancel.

    Backfills first, or the end of a run would start the next one. Where a run was read as it waited for the next
    attempt of its plan, and that began meanwhile, the attempt is cancelled.
    """
    for backfill in Backfill.objects.filter(status=RunStatus.RUNNING):
        _end_by_hand(backfill, by, now)
    cancelled, live = list[int](), Run.objects.going_on().order_by("pk")
    while live:
        missed = list[int]()
        for run in live:
            (cancelled if cancel_run(run, by=by, now=now) else missed).append(run.pk)
        live = Run.objects.going_on().filter(restart_of__in=missed).order_by("pk")
    return cancelled


def _cancel_unstarted(run: Run, message: str, now: datetime) -> list[Task]:
    """Cancel what no worker has claimed, put in order what it holds, and log each batch; return the tasks."""
    cancel_unstarted(run.pk, now=now, message=message)
    cancelled = list(run.tasks.filter(status=TaskStatus.CANCELLED, finished_at=now).select_related("run", "entity"))
    for task in cancelled:
        workload_of(task).ended(task, Outcome(TaskStatus.CANCELLED, message), now=now)
        if task.workload == RunKind.BATCH:
            events.record(EventType.CANCELLED, now=now, entity_id=task.entity_id, message=message, run_id=task.run_id)
    return cancelled


def _ids(run: Run, status: TaskStatus) -> list[int]:
    """Return the tasks of a run in this state."""
    return list(run.tasks.filter(status=status).values_list("id", flat=True))
