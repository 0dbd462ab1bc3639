"""Pausing and resuming, one schedule, a job with all its schedules, or everything: who, why and until when.

What falls into a pause is neither missed nor run later: on resuming, a schedule starts from then, as when it is edited.
"""

from __future__ import annotations

import logging
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils.translation import gettext_noop

from scheduling.cadence.errors import CadenceError
from scheduling.errors import InvalidSchedule
from scheduling.lifecycle import arming, events
from scheduling.models import Job, JobSchedule, Schedule, SchedulerState
from scheduling.models.schedule import all_schedules
from scheduling.states import EventType
from staging.wording import Said, say

Pausable = Schedule | Job

logger = logging.getLogger(__name__)

_BY_ITSELF = "the scheduler, at the end of the pause"
_NOT_PAUSED: dict[str, Any] = {"paused_at": None, "paused_by": "", "pause_reason": "", "paused_until": None}


def pause(what: Pausable, *, by: str, reason: str, until: datetime | None = None, now: datetime) -> bool:
    """Pause one schedule, or a job; False when it is paused already. What runs is not disturbed.

    The pause of a job holds for all its schedules, those that come meanwhile included; their own pauses stay apart.
    Raises InvalidSchedule when there is no reason, or the end is not in the future.
    """
    facts, is_job = _facts(by, reason, until, now), isinstance(what, Job)
    not_paused = type(what)._default_manager.filter(pk=what.pk, paused_at__isnull=True)
    with transaction.atomic():
        paused = not_paused.update(**facts, **({} if is_job else arming.next_at(None)))
        if paused and is_job:
            JobSchedule.objects.filter(job=what.pk).update(**arming.next_at(None))
    if paused:
        sentence = _sentence(_JOB_PAUSED if is_job else _PAUSED, by, reason, until)
        events.record(EventType.PAUSED, now=now, **what.subject, message=sentence, details=_whose(what))
    return bool(paused)


def resume(what: Pausable, *, by: str, now: datetime) -> bool:
    """Let a paused schedule or job go on from `now`; False when it was not paused. Other pauses stay."""
    what.refresh_from_db()
    if what.paused_at is None:
        return False
    is_job = isinstance(what, Job)
    still_paused = type(what)._default_manager.filter(pk=what.pk, paused_at=what.paused_at)
    with transaction.atomic():
        resumed = still_paused.update(
            **_NOT_PAUSED, **({} if isinstance(what, Job) else arming.armed(what, now, resumes=True))
        )
        if resumed and is_job:
            for schedule in JobSchedule.objects.automatic().readable().filter(job=what.pk, paused_at__isnull=True):
                _rearm_alone(schedule, now)
    if resumed:
        text = say("Job resumed by {by}.", by=by) if is_job else say("Resumed by {by}.", by=by)
        events.record(EventType.RESUMED, now=now, **what.subject, message=text, details=_whose(what))
    return bool(resumed)


def pause_everything(*, by: str, reason: str, until: datetime | None = None, now: datetime) -> bool:
    """Pause all that the scheduler starts by itself; False when everything is paused already."""
    facts = _facts(by, reason, until, now)
    SchedulerState.objects.get_or_create(pk=1)
    paused = SchedulerState.objects.filter(pk=1, paused_at__isnull=True).update(**facts)
    if paused:
        events.record(EventType.PAUSED, now=now, message=_sentence(_EVERYTHING_PAUSED, by, reason, until))
    return bool(paused)


def resume_everything(*, by: str, now: datetime) -> bool:
    """Let everything go on from `now`; False when it was not paused. Single pauses stay."""
    if not SchedulerState.objects.filter(pk=1, paused_at__isnull=False).update(**_NOT_PAUSED):
        return False
    for schedules in all_schedules():
        for schedule in schedules.automatic().readable().filter(paused_at__isnull=True):
            _rearm_alone(schedule, now)
    events.record(EventType.RESUMED, now=now, message=say("Everything resumed by {by}.", by=by))
    return True


def resume_what_is_over(now: datetime) -> bool:
    """Resume every pause whose end has come; return whether everything is paused still."""
    for pausable in (*all_schedules(), Job.objects.all()):
        for what in pausable.filter(paused_until__lte=now):
            try:
                resume(what, by=_BY_ITSELF, now=now)
            except Exception:
                logger.exception(
                    "could not resume %s; the next cycle tries again", what, extra={"event": "resume_failed"}
                )
    everything = SchedulerState.current()
    if everything.paused_until is not None and everything.paused_until <= now:
        resume_everything(by=_BY_ITSELF, now=now)
        everything.refresh_from_db()
    return everything.paused_at is not None


def _whose(what: Pausable) -> dict[str, str]:
    """Return what tells the log of a job whose pause it was: the job's, or that of one of its schedules."""
    if isinstance(what, Job):
        return {"of": "job"}
    return {"of": "schedule", "schedule": what.own_name} if what.own_name else {}


def _rearm_alone(schedule: Schedule, now: datetime) -> None:
    """Let one schedule start from `now`, unless it changed since it was read; one that is broken stays alone."""
    try:
        columns = arming.armed(schedule, now, resumes=True)
    except CadenceError:  # the next cycle logs it; the others go on
        logger.exception("could not compute the next run of %s", schedule, extra={"event": "next_run_unknown"})
        return
    type(schedule)._default_manager.filter(pk=schedule.pk, armed_from=schedule.armed_from).update(**columns)


def check_pause(*, reason: str, until: datetime | None, now: datetime) -> None:
    """Raise InvalidSchedule for facts that make no pause."""
    errors: dict[str, list[str]] = {}
    if not reason.strip():
        errors["pause_reason"] = [say("Say why, so that others know.")]
    if until is not None and until <= now:
        errors["paused_until"] = [say("The end of a pause lies in the future; leave it empty to resume by hand.")]
    if errors:
        raise InvalidSchedule(errors)


def _facts(by: str, reason: str, until: datetime | None, now: datetime) -> dict[str, Any]:
    """Return the columns of a pause. Raises as `check_pause` does."""
    check_pause(reason=reason, until=until, now=now)
    return {"paused_at": now, "paused_by": by, "pause_reason": reason.strip()[:200], "paused_until": until}


_PAUSED = gettext_noop("Paused by {by}{end}: {reason}")
_JOB_PAUSED = gettext_noop("Job paused by {by}{end}: {reason}")
_EVERYTHING_PAUSED = gettext_noop("Everything paused by {by}{end}: {reason}")


def _sentence(words: str, by: str, reason: str, until: datetime | None) -> Said:
    """Return the log's sentence."""
    end = say(", until {until}", until=until) if until else ""
    return say(words, by=by, end=end, reason=reason.strip())
