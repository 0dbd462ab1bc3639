"""When failed work is tried again: a task after its attempt, and what failed of a run of a plan after its end."""

import hashlib
from datetime import datetime, timedelta

from django.db.models import Q

from scheduling.models import Plan, Run, Task
from scheduling.states import TaskStatus
from scheduling.workloads.outcome import Outcome

_LONGEST = timedelta(hours=24)
_JITTER = 0.2


def next_attempt_at(task: Task, outcome: Outcome, now: datetime) -> datetime | None:
    """Return when a task whose attempt ended so is tried again; None when it is not.

    Not after a success or a cancel, nor when a person asked to cancel, nor when the work said it is pointless, nor when
    the attempts are used up, nor when the step names the classes of error it retries and this is none of them. A lost
    worker is no error of the work, and is always retried while attempts are left.
    """
    if outcome.status != TaskStatus.FAILED or outcome.is_fatal or task.cancel_requested:
        return None
    if task.attempts_made >= task.attempts_allowed:
        return None
    if task.retry_on and not outcome.is_lost and not set(task.retry_on) & set(outcome.error_classes):
        return None
    return now + max(wait(task, outcome.longest_wait), min(outcome.shortest_wait, _LONGEST))


def wait(task: Task, longest: timedelta | None = None) -> timedelta:
    """Return the wait after the attempts made so far; `longest`: what back-off comes to at most.

    The same each time, or twice the one before of its round up to a day, then with up to a fifth more: a stable hash of
    task and attempt, so that what failed together is not tried again at the same instant.
    """
    interval = timedelta(seconds=task.retry_interval_seconds)
    if not task.retry_backoff:
        return interval
    doubled = _doubled(interval, _made_in_round(task))
    digest = hashlib.sha256(f"{task.run_id}:{task.key}:{task.attempts_made}".encode()).digest()
    spread = doubled * (1 + _JITTER * int.from_bytes(digest[:4], "big") / 2**32)
    return spread if longest is None else min(spread, longest)


def _made_in_round(task: Task) -> int:
    """Return how many attempts of its round were made; those that were interrupted are none of them."""
    before = 0 if task.attempts_ordered is None else task.attempts_allowed - task.attempts_ordered
    return max(task.attempts_made - before, 1)


def _doubled(interval: timedelta, made: int) -> timedelta:
    """Return a wait that is twice the one before after each of the attempts made, up to a day."""
    return min(interval * 2 ** min(made - 1, 20), _LONGEST)


def next_run_at(run: Run, now: datetime) -> datetime | None:
    """Return when what failed of a run that failed is tried again by a linked run; None when it is not.

    Not when the attempts of its plan are used up, nor when a step that failed said that trying again is pointless, nor
    when nothing of it is left to do, nor when its plans are cancelled. One that holds no plan, as a run of a backfill
    that works beside others, has nothing that would keep its work from being done twice.
    """
    if run.attempt_number >= run.attempts_allowed:
        return None
    held = list(Plan.objects.filter(running_run=run.pk, is_running=True).values_list("is_cancelled", flat=True))
    if not held or any(held) or _is_pointless(run):
        return None
    interval = timedelta(seconds=run.retry_interval_seconds)
    return now + (_doubled(interval, run.attempt_number) if run.retry_backoff else interval)


def _is_pointless(run: Run) -> bool:
    """Return whether no further attempt can help; items that failed count with the step that failed for them."""
    unended = run.tasks.steps().exclude(status__in=[TaskStatus.COMPLETED, TaskStatus.SKIPPED])
    with_its_step = Q(mapped_by__isnull=True) | Q(mapped_by__status=TaskStatus.FAILED)
    fatal = run.tasks.filter(with_its_step, status=TaskStatus.FAILED, is_fatal=True)
    return fatal.exists() or not unended.exists()
