"""Pausing and resuming, one schedule or everything: who, why and until when.

What falls into a pause is neither missed nor run later: on resuming, a schedule starts from then.
"""

from __future__ import annotations

import logging
from datetime import datetime
from typing import Any

from scheduling import events
from scheduling.cadence.errors import CadenceError
from scheduling.errors import InvalidSchedule
from scheduling.models import Schedule, SchedulerState
from scheduling.models.schedule import all_schedules
from scheduling.schedules.change import advance
from scheduling.states import EventType

logger = logging.getLogger(__name__)

_BY_ITSELF = "the scheduler, at the end of the pause"
_NOT_PAUSED: dict[str, Any] = {"paused_at": None, "paused_by": "", "pause_reason": "", "paused_until": None}


def pause(schedule: Schedule, *, by: str, reason: str, until: datetime | None = None, now: datetime) -> bool:
    """Pause one schedule; False when it is paused already. What runs is not disturbed.

    Raises InvalidSchedule when there is no reason, or the end is not in the future.
    """
    facts = _facts(by, reason, until, now)
    not_paused = type(schedule)._default_manager.filter(pk=schedule.pk, paused_at__isnull=True)
    paused = not_paused.update(**facts, next_scheduled_run=None)
    if paused:
        events.record(EventType.PAUSED, now=now, **schedule.subject, message=_sentence("Paused", by, reason, until))
    return bool(paused)


def resume(schedule: Schedule, *, by: str, now: datetime) -> bool:
    """Let a paused schedule go on from `now`; False when it was not paused."""
    schedule.refresh_from_db()
    if schedule.paused_at is None:
        return False
    still_paused = type(schedule)._default_manager.filter(pk=schedule.pk, paused_at=schedule.paused_at)
    resumed = still_paused.update(**_NOT_PAUSED, **_rearmed(schedule, now))
    if resumed:
        events.record(EventType.RESUMED, now=now, **schedule.subject, message=f"Resumed by {by}.")
    return bool(resumed)


def pause_everything(*, by: str, reason: str, until: datetime | None = None, now: datetime) -> bool:
    """Pause all that the scheduler starts by itself; False when everything is paused already."""
    facts = _facts(by, reason, until, now)
    SchedulerState.objects.get_or_create(pk=1)
    paused = SchedulerState.objects.filter(pk=1, paused_at__isnull=True).update(**facts)
    if paused:
        events.record(EventType.PAUSED, now=now, message=_sentence("Everything paused", by, reason, until))
    return bool(paused)


def resume_everything(*, by: str, now: datetime) -> bool:
    """Let everything go on from `now`; False when it was not paused. Single pauses stay."""
    if not SchedulerState.objects.filter(pk=1, paused_at__isnull=False).update(**_NOT_PAUSED):
        return False
    for schedules in all_schedules():
        for schedule in schedules.automatic().filter(paused_at__isnull=True):
            _rearm_alone(schedule, now)
    events.record(EventType.RESUMED, now=now, message=f"Everything resumed by {by}.")
    return True


def resume_what_is_over(now: datetime) -> int:
    """Resume every pause whose end has come; return how many."""
    count = 0
    for schedules in all_schedules():
        for schedule in schedules.filter(paused_until__lte=now):
            try:
                count += resume(schedule, by=_BY_ITSELF, now=now)
            except Exception:
                logger.exception("could not resume %s; the next cycle tries again", schedule)
    if SchedulerState.objects.filter(pk=1, paused_until__lte=now).exists():
        count += resume_everything(by=_BY_ITSELF, now=now)
    return count


def _rearm_alone(schedule: Schedule, now: datetime) -> None:
    """Let one schedule start from `now`, unless it changed since it was read; one that is broken stays alone."""
    try:
        columns = _rearmed(schedule, now)
    except CadenceError:  # the next cycle logs it; the others go on
        logger.exception("could not compute the next run of %s", schedule)
        return
    type(schedule)._default_manager.filter(pk=schedule.pk, armed_from=schedule.armed_from).update(**columns)


def _facts(by: str, reason: str, until: datetime | None, now: datetime) -> dict[str, Any]:
    """Return the columns of a pause. Raises InvalidSchedule for facts that make no pause."""
    errors: dict[str, list[str]] = {}
    if not reason.strip():
        errors["pause_reason"] = ["Say why, so that others know."]
    if until is not None and until <= now:
        errors["paused_until"] = ["The end of a pause lies in the future; leave it empty to resume by hand."]
    if errors:
        raise InvalidSchedule(errors)
    return {"paused_at": now, "paused_by": by, "pause_reason": reason.strip()[:200], "paused_until": until}


def _rearmed(schedule: Schedule, now: datetime) -> dict[str, Any]:
    """Return the columns of a schedule that starts from `now`."""
    return {
        "armed_from": now,
        "caught_up_through": None,
        "next_scheduled_run": advance(schedule, now, ignore_pause=True),
    }


def _sentence(what: str, by: str, reason: str, until: datetime | None) -> str:
    """Return the log's sentence."""
    end = f", until {until:%Y-%m-%d %H:%M} UTC" if until else ""
    return f"{what} by {by}{end}: {reason.strip()}"
