"""The overlap guard and the tracking of a schedule: taken by a fire, given back by the end of its task or run."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db.models import F, Q

from scheduling import conf
from scheduling.cadence.errors import CadenceError
from scheduling.models import Run, Schedule, SchedulerConfiguration, Task
from scheduling.states import IntervalAnchor, TaskStatus
from staging.transactions import in_transaction


@in_transaction
def take_guard(
    seen: Schedule,
    *,
    task: Task | None = None,
    run: Run | None = None,
    source: str,
    now: datetime,
    by_itself: bool,
    slots: Mapping[str, Any],
) -> bool:
    """Take the guard for a batch's `task`, or else for a `run`, if nothing changed since `seen` was read; else False.

    A fire that the scheduler decides (`by_itself`) also names what it decided on: an edit, a switch-off, a pause or
    another dispatcher in between makes it lose. A person's start needs only the guard to be free. `slots` are the
    columns by which the schedule moves on with this fire.
    """
    claim = Q(pk=seen.pk, is_running=False)
    if by_itself:
        claim &= Q(**seen.believed())
    held_by: dict[str, Any] = {"running_task": task} if task is not None else {"running_run": run}
    return bool(
        type(seen)
        ._default_manager.filter(claim)
        .update(
            is_running=True,
            run_started_at=now,
            run_started_by=source[:200],
            **held_by,
            last_fired_at=now,
            fire_count=F("fire_count") + 1,
            **slots,
        )
    )


def holds_guard(task: Task) -> bool:
    """Return whether the guard of its entity was taken for this task."""
    return SchedulerConfiguration.objects.filter(
        entity=task.entity_id or 0, running_task=task, is_running=True
    ).exists()


def take_guard_for_task(task: Task, *, now: datetime) -> bool:
    """Take the guard of its entity for a task that is about to start; False when another batch of the entity runs."""
    configuration = SchedulerConfiguration.objects.filter(entity=task.entity_id or 0).first()
    source = task.run.trigger_source or task.run.title
    return configuration is not None and take_guard(
        configuration, task=task, source=source, now=now, by_itself=False, slots={}
    )


def release_completed(task: Task, *, now: datetime) -> bool:
    """Give the guard back after success: failures are counted anew."""
    tracking = {"last_completed_at": now, "consecutive_failures": 0, "backoff_until": None}
    return _release(task, last_result=TaskStatus.COMPLETED, **tracking)


def release_cancelled(task: Task) -> bool:
    """Give the guard back after a cancel: neither a success nor a failure."""
    return _release(task, last_result=TaskStatus.CANCELLED)


def release_failed(task: Task, *, now: datetime) -> datetime | None:
    """Give the guard back after a failure and back off; return the moment before which it does not start again.

    None when the guard was not this task's any more.
    """
    failures = _failures(task.entity_id) + 1
    until = now + conf.backoff(failures)
    released = _release(task, last_result=TaskStatus.FAILED, consecutive_failures=failures, backoff_until=until)
    return until if released else None


def release_lost(task: Task, *, slot: datetime | None, now: datetime) -> bool:
    """Give the guard back for a task whose worker died. The slot it was to serve is due again, if it still counts.

    The first loss is evaluated again at once; from the second failure in a row on there is a back-off, or work
    that kills its worker would do so every minute.
    """
    failures = _failures(task.entity_id) + 1
    changes: dict[str, Any] = {
        "last_result": TaskStatus.FAILED,
        "consecutive_failures": failures,
        "backoff_until": now + conf.backoff(failures - 1) if failures > 1 else None,
    }
    held = SchedulerConfiguration.objects.filter(running_task=task, is_running=True).first()
    if not _release(task, **changes):
        return False
    if held is not None and slot is not None:
        give_slot_back(held, slot)
    return True


def give_slot_back(schedule: Schedule, slot: datetime) -> bool:
    """Let a slot that came to nothing be due again; False when the schedule has disowned it.

    The one way a schedule goes back in time. An edit, a switch-off, a pause or a resume counts from its own moment:
    what was due before is neither fired nor missed.
    """
    current = type(schedule)._default_manager.filter(pk=schedule.pk, is_enabled=True, paused_at__isnull=True)
    owned = current.filter(Q(armed_from__isnull=True) | Q(armed_from__lte=slot))
    return bool(owned.update(next_scheduled_run=slot))


def count_from_completion(schedule: Schedule, *, now: datetime) -> bool:
    """Plan the next run of a schedule that counts from the end of its last run; False when it does not, or was edited.

    `schedule` is read before the end is written; an edit since then has planned the next run by itself.
    """
    if schedule.interval_anchor != IntervalAnchor.LAST_COMPLETION:
        return False
    schedule.last_completed_at = now
    try:
        following = schedule.planned_after(now)
    except CadenceError:  # the next cycle tells it
        return False
    unchanged = type(schedule)._default_manager.filter(
        pk=schedule.pk, armed_from=schedule.armed_from, is_enabled=schedule.is_enabled, paused_at=schedule.paused_at
    )
    return bool(unchanged.update(next_scheduled_run=following))


def release_abandoned(configuration: SchedulerConfiguration) -> bool:
    """Give back a guard that no living task holds, unless it changed hands since `configuration` was read."""
    return bool(
        SchedulerConfiguration.objects.filter(
            pk=configuration.pk, is_running=True, run_started_at=configuration.run_started_at
        ).update(is_running=False, run_started_at=None, run_started_by="", running_task=None)
    )


def back_off(schedule: Schedule, *, now: datetime, failures: int) -> datetime:
    """Note a failure that happened before anything started; return the moment before which it is not tried again."""
    until = now + conf.backoff(failures)
    type(schedule)._default_manager.filter(pk=schedule.pk).update(
        consecutive_failures=failures, backoff_until=until, last_result=TaskStatus.FAILED
    )
    return until


def pass_slots(seen: Schedule, slots: Mapping[str, Any]) -> bool:
    """Move a schedule on from what was `seen` without a fire; False when someone moved it before."""
    return bool(
        type(seen)
        ._default_manager.filter(pk=seen.pk, next_scheduled_run=seen.next_scheduled_run, armed_from=seen.armed_from)
        .update(**slots)
    )


def stamp_trigger_check(configuration_ids: list[int], *, now: datetime) -> None:
    """Note that these configurations were looked at; for information only, no rule reads it."""
    if configuration_ids:
        SchedulerConfiguration.objects.filter(pk__in=configuration_ids).update(last_trigger_check=now)


def _failures(entity_id: int | None) -> int:
    """Return how many times in a row this entity failed so far."""
    if entity_id is None:
        return 0
    values = SchedulerConfiguration.objects.filter(entity_id=entity_id).values_list("consecutive_failures", flat=True)
    return values.first() or 0


def _release(task: Task, **changes: Any) -> bool:
    """Free the guard if `task` holds it, and call back the tasks that wait for its entity."""
    released = SchedulerConfiguration.objects.filter(running_task=task, is_running=True).update(
        is_running=False, run_started_at=None, run_started_by="", running_task=None, **changes
    )
    if released:
        Task.objects.filter(entity=task.entity_id or 0, status=TaskStatus.QUEUED, waits_for_entity=True).update(
            next_attempt_at=None, waits_for_entity=False
        )
    return bool(released)
