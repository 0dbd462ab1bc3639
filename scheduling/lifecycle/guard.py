"""The overlap guard and the tracking of a configuration: taken by a fire, given back by the end of its task."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db.models import F, Q

from scheduling import conf
from scheduling.models import SchedulerConfiguration, Task
from scheduling.states import TaskStatus


def take_guard(
    seen: SchedulerConfiguration,
    *,
    task: Task,
    source: str,
    now: datetime,
    by_itself: bool,
    slots: Mapping[str, datetime | None],
) -> bool:
    """Take the guard for `task` if nothing changed since `seen` was read; False when someone was faster.

    A fire that the scheduler decides (`by_itself`) also names the mode and the slot it decided on: an edit, a
    switch-off, a pause or another dispatcher in between makes it lose. A person's start needs only the guard to be
    free. `slots` are the columns by which the schedule moves on with this fire.
    """
    claim = Q(pk=seen.pk, is_running=False)
    if by_itself:
        claim &= Q(
            is_enabled=True,
            processing_mode=seen.processing_mode,
            fire_count=seen.fire_count,
            next_scheduled_run=seen.next_scheduled_run,
            armed_from=seen.armed_from,
            paused_at=None,
        )
    return bool(
        SchedulerConfiguration.objects.filter(claim).update(
            is_running=True,
            run_started_at=now,
            run_started_by=source[:200],
            running_task=task,
            last_fired_at=now,
            fire_count=F("fire_count") + 1,
            **slots,
        )
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
    """Give the guard back for a task whose worker died. The slot it was to serve is due again.

    The first loss is evaluated again at once; from the second failure in a row on there is a back-off, or work
    that kills its worker would do so every minute.
    """
    failures = _failures(task.entity_id) + 1
    changes: dict[str, Any] = {
        "last_result": TaskStatus.FAILED,
        "consecutive_failures": failures,
        "backoff_until": now + conf.backoff(failures - 1) if failures > 1 else None,
    }
    if slot is not None:
        changes["next_scheduled_run"] = slot
    return _release(task, **changes)


def release_abandoned(configuration: SchedulerConfiguration) -> bool:
    """Give back a guard that no living task holds, unless it changed hands since `configuration` was read."""
    return bool(
        SchedulerConfiguration.objects.filter(
            pk=configuration.pk, is_running=True, run_started_at=configuration.run_started_at
        ).update(is_running=False, run_started_at=None, run_started_by="", running_task=None)
    )


def back_off(configuration_id: int, *, now: datetime, failures: int) -> datetime:
    """Note a failure that happened before anything started; return the moment before which it is not tried again."""
    until = now + conf.backoff(failures)
    SchedulerConfiguration.objects.filter(pk=configuration_id).update(
        consecutive_failures=failures, backoff_until=until, last_result=TaskStatus.FAILED
    )
    return until


def pass_slots(seen: SchedulerConfiguration, slots: Mapping[str, datetime | None]) -> bool:
    """Move a schedule on from what was `seen` without a fire; False when someone moved it before."""
    return bool(
        SchedulerConfiguration.objects.filter(
            pk=seen.pk, next_scheduled_run=seen.next_scheduled_run, armed_from=seen.armed_from
        ).update(**slots)
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
    """Free the guard if `task` holds it."""
    return bool(
        SchedulerConfiguration.objects.filter(running_task=task, is_running=True).update(
            is_running=False, run_started_at=None, run_started_by="", running_task=None, **changes
        )
    )
