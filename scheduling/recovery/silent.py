"""Releases what claims to run but gives no sign of life: attempts of dead workers, guards nobody holds."""

import logging
from collections.abc import Callable
from datetime import datetime
from typing import TypeVar

from django.db import transaction
from django.db.models import Q

from scheduling import broker, conf, events, process
from scheduling.decisions.wording import duration
from scheduling.lifecycle.attempts import lose_attempt
from scheduling.lifecycle.guard import release_abandoned
from scheduling.lifecycle.run_guard import release_unheld
from scheduling.lifecycle.tasks import lock_run
from scheduling.models import Attempt, SchedulerConfiguration
from scheduling.recovery.outage import is_grace
from scheduling.runs.finish import conclude, wake_freed
from scheduling.states import AttemptOutcome, EventType, TaskStatus
from scheduling.workloads.outcome import Outcome
from staging.transactions import in_transaction

logger = logging.getLogger(__name__)

T = TypeVar("T")


def release_silent_attempts(now: datetime) -> int:
    """Release every attempt silent for longer than the zombie time-out, or whose process has ended; return how many.

    The work a released attempt may still do is fenced off; its entity is free to be evaluated in this very cycle. After
    an outage of the database silence counts anew.
    """
    running = Attempt.objects.filter(outcome=AttemptOutcome.RUNNING).select_related("task__run", "task__entity")
    ended = [attempt for attempt in running.exclude(process="") if process.is_gone(attempt.process)]
    silent = list(running.filter(heartbeat_at__lt=now - conf.zombie_timeout()).exclude(pk__in=[a.pk for a in ended]))
    if silent and is_grace(now):
        silent = []
    return sum(isolated(_release_ended, attempt, now) for attempt in ended) + sum(
        isolated(_release_attempt, attempt, now) for attempt in silent
    )


def release_abandoned_guards(now: datetime) -> int:
    """Free every guard that is held without a living task for longer than the zombie time-out; return how many."""
    nobody = Q(running_task__isnull=True) | Q(running_task__status__in=TaskStatus.final())
    held = SchedulerConfiguration.objects.filter(
        nobody, is_running=True, run_started_at__lt=now - conf.zombie_timeout()
    )
    released = sum(isolated(_release_guard, configuration, now) for configuration in held.select_related("entity"))
    return released + release_unheld(now)


def isolated(release: Callable[[T, datetime], bool], item: T, now: datetime) -> bool:
    """Release one item in a transaction of its own; one that cannot be (its row is locked, say) delays no other."""
    try:
        with transaction.atomic():
            return bool(release(item, now))
    except Exception:
        logger.exception("could not release %s; the next cycle tries again", item)
        return False


def _release_attempt(attempt: Attempt, now: datetime) -> bool:
    """End a silent attempt and move its task on; False when it beat meanwhile."""
    silence = now - attempt.heartbeat_at
    return release(attempt, f"No sign of life from {attempt.worker} for {duration(silence)}; released.", now)


def _release_ended(attempt: Attempt, now: datetime) -> bool:
    """End the attempt of a process that is gone."""
    return release(attempt, f"The process of {attempt.worker} has ended; released.", now)


@in_transaction
def release(attempt: Attempt, message: str, now: datetime) -> bool:
    """End an attempt as lost and move its task on; False when it beat since it was read."""
    lock_run(attempt.task.run_id)
    if not lose_attempt(attempt, now=now, message=message):
        return False
    task = attempt.task
    status = TaskStatus.CANCELLED if task.cancel_requested else TaskStatus.FAILED
    queued = conclude(task, Outcome(status, message, is_lost=True), now=now, event_type=EventType.ZOMBIE)
    broker.after_commit(lambda: wake_freed(task.queue_id, queued, now))
    return True


def _release_guard(configuration: SchedulerConfiguration, now: datetime) -> bool:
    """Free a guard that no living task holds."""
    if not release_abandoned(configuration):
        return False
    held = now - (configuration.run_started_at or now)
    message = f"The running mark was held for {duration(held)} without a living task; released."
    events.record(EventType.ZOMBIE, now=now, entity_id=configuration.entity_id, message=message)
    return True
