"""The verbs that change a schedule; every door calls them, so the same rules hold and editing never fires."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import transaction

from scheduling.errors import InvalidSchedule
from scheduling.models import BlackoutCalendar, SchedulerConfiguration
from scheduling.schedules.columns import SETTINGS
from scheduling.schedules.rules import judged
from scheduling.states import IntervalAnchor, ProcessingMode

# Written beside the settings when a schedule changed. The guard and the tracking are never among them: a batch that
# runs while somebody edits keeps its guard.
_ARMING = ("armed_from", "caught_up_through", "next_scheduled_run", "consecutive_failures", "backoff_until")


def apply_schedule(configuration: SchedulerConfiguration, values: Mapping[str, Any], *, now: datetime) -> None:
    """Store the values as the entity's schedule; raises InvalidSchedule with every fault, and then stores nothing.

    Columns that `values` leaves out keep what is stored (not what the object in memory holds). The columns of other
    modes and types are set back. When anything changed, the next run is computed anew from `now`, slots before `now`
    are disowned (`armed_from`) and the back-off is lifted; when nothing did, nothing is written. A configuration
    that is not stored yet is inserted.
    """
    with transaction.atomic():
        before = _stored(configuration)
        wanted, errors = judged({**before, **values}, now=now, before=before if configuration.pk else None)
        if errors:
            raise InvalidSchedule(errors)
        for column, value in wanted.items():
            setattr(configuration, column, value)
        if configuration.pk is not None and wanted == before:
            return
        _arm(configuration, now)
        if configuration.pk is None:
            configuration.save()
        else:
            configuration.save(update_fields=[*SETTINGS, *_ARMING])


def set_enabled(configuration: SchedulerConfiguration, enabled: bool, *, now: datetime) -> None:
    """Switch a schedule on or off; on, it starts from `now`. Raises InvalidSchedule when it cannot be switched on.

    Switching off always works, also when the stored schedule breaks a rule.
    """
    if enabled:
        apply_schedule(configuration, {"is_enabled": True}, now=now)
    elif _stored(configuration)["is_enabled"]:
        configuration.is_enabled = False
        configuration.next_scheduled_run = None
        configuration.save(update_fields=["is_enabled", "next_scheduled_run"])


def advance(configuration: SchedulerConfiguration, now: datetime, *, ignore_pause: bool = False) -> datetime | None:
    """Return the next run strictly after `now`, None when there is none or it is paused; saves nothing.

    An interval after the last completion whose run has not completed yet counts from `now`, so that a run that never
    completes cannot end the schedule; it is advanced again at the completion. Raises CadenceError for broken columns.
    """
    if configuration.processing_mode != ProcessingMode.SCHEDULED or not configuration.is_enabled:
        return None
    if configuration.paused_at is not None and not ignore_pause:
        return None
    cadence = configuration.cadence()
    following = cadence.next_after(now) if cadence is not None else None
    if following is None and configuration.interval_anchor == IntervalAnchor.LAST_COMPLETION:
        cadence = configuration.cadence(since=now)
        following = cadence.next_after(now) if cadence is not None else None
    return following


def _stored(configuration: SchedulerConfiguration) -> dict[str, Any]:
    """Return the settings in the database, locked where it can; those of the object when it is not stored yet."""
    rows = SchedulerConfiguration.objects.filter(pk=configuration.pk)
    if configuration.pk is not None and transaction.get_connection().in_atomic_block:
        rows = rows.select_for_update()
    stored = rows.values(*SETTINGS).first() if configuration.pk is not None else None
    if stored is None:
        return {column: getattr(configuration, column) for column in SETTINGS}
    return stored | {"calendar": BlackoutCalendar.objects.filter(pk=stored["calendar"]).first()}


def _arm(configuration: SchedulerConfiguration, now: datetime) -> None:
    configuration.armed_from = now
    configuration.caught_up_through = None
    configuration.consecutive_failures = 0
    configuration.backoff_until = None
    configuration.next_scheduled_run = advance(configuration, now)
