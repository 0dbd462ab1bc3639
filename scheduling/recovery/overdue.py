"""Gives up what was asked to stop and did not: attempts past their time-out, tasks past the grace of a cancel.

Their workers may still run: whatever they write is fenced off.
"""

from datetime import datetime

from django.db.models import QuerySet

from scheduling import broker, conf
from scheduling.errors import TimedOut
from scheduling.lifecycle.attempts import end_attempt
from scheduling.lifecycle.tasks import lock_run
from scheduling.models import Attempt
from scheduling.recovery.silent import isolated
from scheduling.runs.finish import conclude, wake_freed
from scheduling.states import AttemptOutcome, TaskStatus
from scheduling.workloads.outcome import Outcome, failure


def give_up_overdue_attempts(now: datetime) -> int:
    """Give up attempts whose time was up a grace period ago; return how many."""
    limit = now - conf.cancel_grace()
    overdue = Attempt.objects.filter(outcome=AttemptOutcome.RUNNING, deadline_at__lte=limit)
    return sum(isolated(_time_out, attempt, now) for attempt in _with_tasks(overdue))


def give_up_cancelled_attempts(now: datetime) -> int:
    """Give up attempts that were asked to stop a grace period ago and did not; return how many."""
    limit = now - conf.cancel_grace()
    asked = Attempt.objects.filter(
        outcome=AttemptOutcome.RUNNING, task__status=TaskStatus.RUNNING, task__cancel_requested_at__lte=limit
    )
    return sum(isolated(_cancel, attempt, now) for attempt in _with_tasks(asked))


def _with_tasks(attempts: QuerySet[Attempt]) -> QuerySet[Attempt]:
    """Read the attempts with what their end needs."""
    return attempts.select_related("task__run", "task__entity")


def _time_out(attempt: Attempt, now: datetime) -> bool:
    """Fail an attempt that ignores its time-out; its task may be tried again."""
    limit = attempt.task.timeout_seconds
    late = failure(TimedOut(f"It may take {limit} seconds and did not stop after that; given up."))
    return _give_up(attempt, AttemptOutcome.LOST, late, now)


def _cancel(attempt: Attempt, now: datetime) -> bool:
    """End an attempt that ignores a cancel, and its task with it."""
    message = "Cancelled. It did not stop by itself and was given up."
    return _give_up(attempt, AttemptOutcome.CANCELLED, Outcome(TaskStatus.CANCELLED, message), now)


def _give_up(attempt: Attempt, end: AttemptOutcome, outcome: Outcome, now: datetime) -> bool:
    """End the attempt and move its task on; False when it ended meanwhile."""
    task = attempt.task
    lock_run(task.run_id)
    if not end_attempt(attempt.token, end, now=now, message=outcome.message):
        return False
    queued = conclude(task, outcome, now=now)
    broker.after_commit(lambda: wake_freed(task.queue_id, queued, now))
    return True
