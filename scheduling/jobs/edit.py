"""The verbs by which users change what is theirs of a job: whether it fires, its jitter and calendar, its attempts.

Each writes only the columns it is about, so a reconciliation or a run at the same moment loses nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import transaction

from scheduling.cadence.words import a_whole_number, is_whole
from scheduling.errors import InvalidSchedule
from scheduling.lifecycle import arming
from scheduling.models import Job, JobSchedule
from scheduling.states import ScheduleType
from staging.models import OWNER_COLUMNS, owner_errors
from staging.versions.units import as_one_change
from staging.wording import say

OF_JOB = ("attempts", "retry_interval_seconds", *OWNER_COLUMNS)
OF_SCHEDULE = ("is_enabled", "jitter_seconds", "calendar")
_LIMITS = {"attempts": (1, 100), "retry_interval_seconds": (0, 86_400), "jitter_seconds": (0, 86_400)}


@as_one_change
def edit_job(job: Job, values: Mapping[str, Any]) -> list[str]:
    """Store how often a job is tried and who owns it; return what changed. Raises InvalidSchedule with every fault."""
    _check(values)
    changed = [name for name in OF_JOB if name in values and getattr(job, name) != values[name]]
    for name in changed:
        setattr(job, name, values[name])
    if errors := owner_errors(job):
        raise InvalidSchedule(errors)
    if changed:
        job.save(update_fields=changed)
    return changed


@as_one_change
def edit_schedule(schedule: JobSchedule, values: Mapping[str, Any], *, now: datetime, dry: bool = False) -> list[str]:
    """Store a user's settings of a schedule; return what changed. Raises InvalidSchedule with every fault.

    `dry` only judges.

    A schedule that changed counts from `now`: editing never fires and misses nothing. What a schedule is doing, and
    what code owns, stays.
    """
    _check(values)
    with transaction.atomic():
        stored = JobSchedule.objects.select_for_update(of=("self",)).select_related("job").get(pk=schedule.pk)
        changed = [name for name in OF_SCHEDULE if name in values and getattr(stored, name) != values[name]]
        if not changed:
            return []
        for name in changed:
            setattr(stored, name, values[name])
        arming.put(stored, arming.armed(stored, now))
        if changed == ["is_enabled"] and stored.is_enabled and _has_passed(stored):
            text = say(
                "{moment} ({zone}) has passed: it would never run.", moment=stored.run_once_at, zone=stored.timezone
            )
            raise InvalidSchedule({"is_enabled": [text]})
        if dry:
            return changed
        stored.save(update_fields=[*changed, *arming.ARMING])
    for name in (*changed, *arming.ARMING):
        setattr(schedule, name, getattr(stored, name))
    return changed


def _has_passed(schedule: JobSchedule) -> bool:
    """Return whether a schedule of a single moment has none to come."""
    is_over = schedule.next_scheduled_run is None and not schedule.is_paused and schedule.removed_at is None
    return schedule.schedule_type == ScheduleType.ONCE and is_over


def _check(values: Mapping[str, Any]) -> None:
    errors: dict[str, list[str]] = {}
    for name, (least, most) in _LIMITS.items():
        if not is_whole(values.get(name, least), least, most):
            errors[name] = [say("Write {number}.", number=a_whole_number(least, most))]
    if errors:
        raise InvalidSchedule(errors)
