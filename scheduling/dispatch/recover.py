"""Everything a cycle mends before it decides, each step apart from the others.

An outage of the database is told from work that died: while nobody could give a sign of life, silence is no proof.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, TypeVar

from django.db import connection, transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from scheduling import broker, clock, conf, statements
from scheduling.errors import NothingToRelease, TimedOut
from scheduling.lifecycle import events
from scheduling.lifecycle import tasks as process
from scheduling.lifecycle.guard import release_abandoned, release_unheld
from scheduling.lifecycle.tasks import end_attempt, lock_run, lose_attempt
from scheduling.models import Attempt, Heartbeat, Plan, Queue, Run, SchedulerConfiguration, SchedulerState, Task
from scheduling.models.attempt import IS_TRIED_AGAIN
from scheduling.models.run import IS_HELD
from scheduling.queues import next_in_line, put_in_line, wake_freed, wake_line, wake_lines
from scheduling.runs.advance import conclude, settle_run
from scheduling.runs.cancel import time_out_run
from scheduling.states import BY_ITSELF, AttemptOutcome, EventType, RunStatus, TaskStatus
from scheduling.workloads.batch import retry_late_rows
from scheduling.workloads.outcome import Outcome, failure
from staging.transactions import after_commit, in_transaction
from staging.wording import say

logger = logging.getLogger(__name__)

T = TypeVar("T")

_last_cycle: dict[str, float] = {}
_SINCE_START = "SELECT extract(epoch FROM clock_timestamp() - pg_postmaster_start_time())"


@dataclass(frozen=True)
class Recovered:
    """How much was mended, and what could not be: entities, or the names of steps."""

    zombies: int
    resent: int
    errors: list[str]


def recover(now: datetime) -> Recovered:
    """Release what is dead, give up what does not stop, advance what is stuck, send again what was lost.

    A step that fails does not stop the others.
    """
    errors: list[str] = []
    is_work_live = _safely(_any_running, now, errors)
    zombies = _safely(release_silent_attempts, now, errors) if is_work_live else 0
    zombies += _safely(release_abandoned_guards, now, errors)
    late = (give_up_overdue_attempts, give_up_cancelled_attempts) if is_work_live else ()
    for step in (*late, advance_stuck_runs, wake_due):
        _safely(step, now, errors)
    errors += retry_late_rows(now)
    return Recovered(zombies=zombies, resent=_safely(resend, now, errors), errors=errors)


def _safely(step: Callable[[datetime], int], now: datetime, errors: list[str]) -> int:
    """Run one step; log what it could not do, and add it to the errors."""
    try:
        return step(now)
    except Exception:
        logger.exception(
            "recovery step %s failed; the next cycle tries again", step.__name__, extra={"event": "recovery_failed"}
        )
        errors.append(step.__name__)
        return 0


def _any_running(now: datetime) -> int:
    """Return 1 when any attempt runs: where none does, nothing can be silent, late or deaf."""
    return int(Attempt.objects.filter(outcome=AttemptOutcome.RUNNING).exists())


def release_silent_attempts(now: datetime) -> int:
    """Release every attempt silent for longer than the zombie time-out, or whose process has ended; return how many.

    The work a released attempt may still do is fenced off; its entity is free to be evaluated in this very cycle. After
    an outage of the database silence counts anew.
    """
    _bring_back_from_the_future(now)
    running = Attempt.objects.filter(outcome=AttemptOutcome.RUNNING).select_related("task__run", "task__entity")
    ended = [attempt for attempt in running.exclude(process="") if process.is_gone(attempt.process)]
    silent = list(
        silent_attempts(now).select_related("task__run", "task__entity").exclude(pk__in=[a.pk for a in ended])
    )
    if silent and is_grace(now):
        silent = []
    return sum(isolated(_release_ended, attempt, now) for attempt in ended) + sum(
        isolated(_release_attempt, attempt, now) for attempt in silent
    )


def _bring_back_from_the_future(now: datetime) -> None:
    """Let signs of life that are ahead of the clock be of now: after it went back they would hold the dead alive."""
    latest = max(now, clock.now())
    ahead = Attempt.objects.filter(outcome=AttemptOutcome.RUNNING, heartbeat_at__gt=latest + conf.clock_tolerance())
    if count := ahead.update(heartbeat_at=latest):
        text = "%s signs of life are ahead of the clock, which went back; their silence counts from now on"
        logger.warning(text, count, extra={"event": "clock_went_back"})


def release_abandoned_guards(now: datetime) -> int:
    """Free every guard that is held without a living task for longer than the zombie time-out; return how many."""
    held = abandoned_guards(now).select_related("entity")
    return sum(isolated(_release_guard, configuration, now) for configuration in held) + release_unheld(now)


def silent_attempts(now: datetime) -> QuerySet[Attempt]:
    """Return the running attempts that have been silent for longer than the zombie time-out."""
    return Attempt.objects.filter(outcome=AttemptOutcome.RUNNING, heartbeat_at__lt=now - conf.zombie_timeout())


def abandoned_guards(now: datetime) -> QuerySet[SchedulerConfiguration]:
    """Return the configurations that are marked as running for that long though no living task is behind it."""
    nobody = Q(running_task__isnull=True) | Q(running_task__status__in=TaskStatus.final())
    return SchedulerConfiguration.objects.filter(
        nobody, is_running=True, run_started_at__lt=now - conf.zombie_timeout()
    )


def stuck_runs() -> QuerySet[Run]:
    """Return the runs that have not ended though nothing of them is queued, running, or held by a person."""
    return Run.objects.exclude(status__in=RunStatus.final()).filter(~_moves())


def _moves() -> Exists:
    """Return whether anything of a run is queued, running, or held by a person."""
    moving = IS_HELD | Q(status__in=[TaskStatus.QUEUED, TaskStatus.RUNNING])
    return Exists(Task.objects.filter(moving, run=OuterRef("pk")))


def isolated(release: Callable[[T, datetime], bool], item: T, now: datetime) -> bool:
    """Release one item in a transaction of its own; one that cannot be (its row is locked, say) delays no other."""
    try:
        with transaction.atomic():
            return bool(release(item, now))
    except Exception:
        logger.exception("could not release %s; the next cycle tries again", item, extra={"event": "release_failed"})
        return False


def _release_attempt(attempt: Attempt, now: datetime) -> bool:
    """End a silent attempt and move its task on; False when it beat meanwhile."""
    silence = now - attempt.heartbeat_at
    return release(
        attempt,
        say("No sign of life from {worker} for {silence}; released.", worker=attempt.worker, silence=silence),
        now,
    )


def _release_ended(attempt: Attempt, now: datetime) -> bool:
    """End the attempt of a process that is gone."""
    return release(attempt, say("The process of {worker} has ended; released.", worker=attempt.worker), now)


@in_transaction
def release(attempt: Attempt, message: str, now: datetime) -> bool:
    """End an attempt as lost and move its task on; False when it beat since it was read."""
    lock_run(attempt.task.run_id)
    if not lose_attempt(attempt, now=now, message=message):
        return False
    task = attempt.task
    status = TaskStatus.CANCELLED if task.cancel_requested else TaskStatus.FAILED
    queued = conclude(task, Outcome(status, message, is_lost=True), now=now, event_type=EventType.ZOMBIE)
    after_commit(lambda: wake_freed(task.queue_id, queued, now))
    return True


def _release_guard(configuration: SchedulerConfiguration, now: datetime) -> bool:
    """Free a guard that no living task holds."""
    if not release_abandoned(configuration):
        return False
    held = now - (configuration.run_started_at or now)
    message = say("The running mark was held for {held} without a living task; released.", held=held)
    events.record(EventType.ZOMBIE, now=now, entity_id=configuration.entity_id, message=message)
    return True


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
    late = failure(TimedOut(say("It may take {limit} seconds and did not stop after that; given up.", limit=limit)))
    return _give_up(attempt, AttemptOutcome.LOST, late, now)


def _cancel(attempt: Attempt, now: datetime) -> bool:
    """End an attempt that ignores a cancel, and its task with it."""
    message = say("Cancelled. It did not stop by itself and was given up.")
    return _give_up(attempt, AttemptOutcome.CANCELLED, Outcome(TaskStatus.CANCELLED, message), now)


def _give_up(attempt: Attempt, end: AttemptOutcome, outcome: Outcome, now: datetime) -> bool:
    """End the attempt and move its task on; False when it ended meanwhile."""
    task = attempt.task
    lock_run(task.run_id)
    if not end_attempt(attempt.token, end, now=now, message=outcome.message):
        return False
    queued = conclude(task, outcome, now=now)
    after_commit(lambda: wake_freed(task.queue_id, queued, now))
    return True


def advance_stuck_runs(now: datetime) -> int:
    """Advance every run that has not ended though nothing of it is queued or running; return how many moved.

    Those whose time is up are ended. One statement finds both.
    """
    may_be_late = Q(timeout_seconds__isnull=False, timed_out_at__isnull=True, started_at__isnull=False)
    live = Run.objects.exclude(status__in=RunStatus.final()).annotate(moves=_moves())
    run: Any  # with `moves`
    moved = 0
    for run in live.filter(Q(moves=False) | may_be_late):
        is_over = run.timed_out_at is None and run.has_to_end_by is not None and run.has_to_end_by <= now
        if is_over and isolated(time_out_run, run, now):
            moved += 1
        elif not run.moves:
            moved += isolated(_advance, run, now)
    return moved


def _advance(run: Run, now: datetime) -> bool:
    """Advance one run; False when it ended meanwhile."""
    if not lock_run(run.pk):
        return False
    queued = settle_run(run.pk, now)
    after_commit(lambda: wake_lines(queued, now))
    return True


def resend(now: datetime) -> int:
    """Wake workers for tasks queued and unclaimed since their last wake-up grew old; return how many.

    No more than their queue has room for: the worker that ends a task goes on with the next one. Those that `wake_due`
    has not put in line yet are not meant.
    """
    return sum(_resend(queue, now) for queue in Queue.objects.all())


def _resend(queue: Queue, now: datetime) -> int:
    """Wake workers for the stale ones of the tasks that are next in this queue."""
    due = now - conf.resend_after()
    stale = list(Task.objects.filter(pk__in=next_in_line(queue.pk, now), sent_at__lte=due).values_list("id", flat=True))
    if stale and broker.wake(stale, queue.celery_queue):
        Task.objects.filter(pk__in=stale).update(sent_at=now)
    return len(stale)


def wake_due(now: datetime) -> int:
    """Put tasks whose waiting time is over in line and wake workers for them; return how many.

    Workers call this now and then, so that a second attempt does not wait for the next cycle.
    """
    due = Task.objects.filter(status=TaskStatus.QUEUED, next_attempt_at__lte=now)
    queues = set(due.values_list("queue_id", flat=True))
    number = put_in_line(now) if queues else 0
    for queue_id in queues:
        wake_line(queue_id, now, number)
    return number


def attempts_due(now: datetime) -> QuerySet[Run]:
    """Return the runs whose wait for the next attempt of their plan is over, the longest due first; one statement."""
    return attempts_ahead().filter(next_attempt_at__lte=now).order_by("next_attempt_at", "pk")


def attempts_ahead() -> QuerySet[Run]:
    """Return the runs that are tried again as soon as their wait is over.

    What a schedule or the end of others began waits on while its plan is switched off or paused.
    """
    resting = Plan.objects.filter(Q(is_enabled=False) | Q(paused_at__isnull=False), running_run=OuterRef("pk"))
    resting = resting.filter(is_cancelled=False)  # what was cancelled just as its run failed is given up
    return Run.objects.filter(IS_TRIED_AGAIN).exclude(Exists(resting), started_by=BY_ITSELF)


def note_cycle(now: datetime) -> None:
    """Note that a cycle of this process reached the database; after a long gap, that the database is back since now.

    A clock that went ahead at once, or a host that slept, is such a gap: nobody was silent for so long.
    Call before the cycle gives its own sign of life. A gap of this process alone is none: other cycles ran meanwhile.
    """
    last, told = _last_cycle.get("at"), _last_cycle.get("told")
    _last_cycle["at"], _last_cycle["told"] = clock.monotonic(), clock.now().timestamp()
    if last is None or told is None:
        return
    long, gap = conf.zombie_timeout() / 2, _last_cycle["at"] - last
    if _last_cycle["told"] - told - gap > long.total_seconds():
        logger.warning("the clock went ahead at once; silence counts anew", extra={"event": "clock_went_ahead"})
        SchedulerState.objects.update_or_create(pk=1, defaults={"database_back_at": now})
        return
    if gap < long.total_seconds():
        return
    seen = Heartbeat.objects.filter(name=Heartbeat.DISPATCHER).values_list("seen_at", flat=True).first()
    if seen is None or now - seen > long:
        SchedulerState.objects.update_or_create(pk=1, defaults={"database_back_at": now})


def is_grace(now: datetime) -> bool:
    """Return whether the database came back, or was started, less than a zombie time-out ago.

    Living work needs some time then to give its next sign of life.
    """
    timeout = conf.zombie_timeout()
    back_at = SchedulerState.current().database_back_at
    if back_at is not None and timedelta() <= now - back_at < timeout:
        return True
    if connection.vendor != "postgresql":
        return False
    return float(statements.rows(_SINCE_START)[0][0]) < timeout.total_seconds()


def release_task(task_id: int, *, by: str, now: datetime) -> Run:
    """Release a running task as recovery does; return its run. Whatever its worker still writes is refused.

    Raises NothingToRelease when the task does not run.
    """
    running = Attempt.objects.filter(task_id=task_id, outcome=AttemptOutcome.RUNNING)
    attempt = running.select_related("task__run", "task__entity").first()
    if attempt is not None:
        with transaction.atomic():
            if release(
                attempt,
                say("Released by {by}: its worker {worker} is taken for dead.", by=by, worker=attempt.worker),
                now,
            ):
                return attempt.task.run
    raise NothingToRelease(
        say("Task {task_id} does not run, or gave a sign of life just now: nothing was released.", task_id=task_id)
    )
