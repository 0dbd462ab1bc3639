"""Moves stored next runs when governments, and so the time zone data, have changed their minds."""

from __future__ import annotations

import logging
from datetime import datetime, timedelta

import tzdata

from scheduling.lifecycle import events
from scheduling.lifecycle.arming import next_at
from scheduling.lifecycle.guard import pass_slots
from scheduling.models import Schedule, SchedulerState
from scheduling.models.schedule import all_schedules
from scheduling.states import EventType, ProcessingMode
from staging.wording import counted, say

logger = logging.getLogger(__name__)

_TICK = timedelta(microseconds=1)


def installed_version() -> str:
    """Return the version of the pinned time zone data, such as 2026f; all zones come from it (settings.py)."""
    return str(tzdata.IANA_VERSION)


def recompute_after_tzdata_change(now: datetime) -> int:
    """Move every next run that the installed time zone data puts elsewhere; return how many moved.

    Does nothing when the data is what it was at the last call. A slot that is due already stays as it is, and so does
    a schedule that somebody edits, fires or pauses meanwhile: it is computed from the new data anyway. One event tells
    of each schedule that moved and one of the change itself. A crash on the way is made good by the next call.
    """
    version = installed_version()
    state, _ = SchedulerState.objects.get_or_create(pk=1)
    before = state.tzdata_version
    if before == version:
        return 0
    change = (
        say("Time zone data changed from {before} to {version}", before=before, version=version)
        if before
        else say("Time zone data is now {version}", version=version)
    )
    waiting = [
        schedule
        for schedules in all_schedules()
        for schedule in schedules.automatic().filter(next_scheduled_run__gt=now).readable()
        if schedule.processing_mode == ProcessingMode.SCHEDULED
    ]
    moved = sum(_move(schedule, change, now) for schedule in waiting)
    first_told = SchedulerState.objects.filter(pk=1, tzdata_version=before).update(tzdata_version=version)
    if first_told and (before or moved):
        schedules = counted(moved, "schedule", "schedules")
        events.record(
            EventType.MOVED,
            now=now,
            message=say("{change}; the next run of {schedules} moved.", change=change, schedules=schedules),
            details={"from": before, "to": version, "moved": moved},
        )
    return moved


def _move(schedule: Schedule, change: str, now: datetime) -> bool:
    """Move one next run, unless it is where it belongs or somebody was faster; a broken schedule stays alone."""
    old = schedule.next_scheduled_run
    try:
        following = _next_run(schedule, now)
        if old is None or following is None or following == old:
            return False
        if not pass_slots(schedule, next_at(following)):
            return False
    except Exception:
        logger.exception("could not recompute the next run of %s", schedule.what, extra={"event": "next_run_unknown"})
        return False
    events.record(
        EventType.MOVED,
        now=now,
        **schedule.subject,
        message=say("{change}; next run moved from {old} to {new}.", change=change, old=old, new=following),
        details={"from": old.isoformat(), "to": following.isoformat()},
    )
    return True


def _next_run(schedule: Schedule, now: datetime) -> datetime | None:
    """Return the next run after `now` by the zones of today, None when only the stored one knows.

    A slot that a blackout moved to its end is still to run, although the cadence is past it.
    """
    cadence = schedule.cadence()
    if cadence is None:
        return None
    following = cadence.next_after(now)
    blackout = schedule.blackout()
    if blackout is None or not blackout.rolls:
        return following
    last = cadence.previous_before(now + _TICK)
    if last is None or (schedule.armed_from is not None and last < schedule.armed_from):
        return following
    rolled = blackout.end_of(last)
    if rolled is None or rolled <= now:
        return following
    return min(rolled, following) if following else rolled
