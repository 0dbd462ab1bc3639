"""When a failed attempt is followed by another: the rule of a step's retries."""

import hashlib
from datetime import datetime, timedelta

from scheduling.models import Task
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
    return now + wait(task)


def wait(task: Task) -> timedelta:
    """Return the wait after the attempts made so far.

    The same each time, or twice the one before up to a day, then with up to a fifth more: a stable hash of task and
    attempt, so that what failed together is not tried again at the same instant.
    """
    interval = timedelta(seconds=task.retry_interval_seconds)
    if not task.retry_backoff:
        return interval
    doubled = min(interval * 2 ** min(task.attempts_made - 1, 20), _LONGEST)
    digest = hashlib.sha256(f"{task.run_id}:{task.key}:{task.attempts_made}".encode()).digest()
    return doubled * (1 + _JITTER * int.from_bytes(digest[:4], "big") / 2**32)
