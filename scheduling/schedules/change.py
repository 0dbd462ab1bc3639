"""The verbs that change a schedule; every door calls them, so the same rules hold and editing never fires."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import transaction

from scheduling.errors import InvalidSchedule
from scheduling.lifecycle import arming
from scheduling.models import BlackoutCalendar, Schedule
from scheduling.schedules.rules import judged
from scheduling.schedules.settings import SETTINGS
from scheduling.states import ProcessingMode
from staging.versions.units import as_one_change


@as_one_change
def apply_schedule(schedule: Schedule, values: Mapping[str, Any], *, now: datetime) -> None:
    """Store the values as the schedule's settings; raises InvalidSchedule with every fault, and then stores nothing.

    Columns that `values` leaves out keep what is stored (not what the object in memory holds). The columns of other
    modes and types are set back. When anything changed, the next run is computed anew from `now`, slots before `now`
    are disowned (`armed_from`) and the back-off is lifted; when nothing did, nothing is written. A schedule that is
    not stored yet is inserted.
    """
    with transaction.atomic():
        before = _stored(schedule)
        wanted, errors = _judged(schedule, {**before, **values}, now, before)
        if errors:
            raise InvalidSchedule(errors)
        if not take_over(schedule, wanted, before, now):
            return
        # The guard and the tracking are never written: a batch that runs while somebody edits keeps its guard.
        schedule.save(update_fields=None if schedule.pk is None else [*settings_columns(schedule), *arming.ARMING])


def take_over(schedule: Schedule, wanted: Mapping[str, Any], before: Mapping[str, Any], now: datetime) -> bool:
    """Set the wanted settings on a schedule in memory; changed or new, it counts from `now`. Return whether it does."""
    arming.put(schedule, dict(wanted))
    if schedule.pk is not None and wanted == before:
        return False
    arming.put(schedule, arming.armed(schedule, now))
    return True


@as_one_change
def set_enabled(schedule: Schedule, enabled: bool, *, now: datetime) -> None:
    """Switch a schedule on or off; on, it starts from `now`. Raises InvalidSchedule when it cannot be switched on.

    Switching off always works, also when the stored schedule breaks a rule.
    """
    if enabled:
        apply_schedule(schedule, {"is_enabled": True}, now=now)
    elif _stored(schedule)["is_enabled"]:
        off = {"is_enabled": False, **arming.next_at(None)}
        arming.put(schedule, off).save(update_fields=off)


def rearm(schedule: Schedule, *, now: datetime) -> None:
    """Let a stored schedule count from `now`, as when it is edited; for changes that are no settings of it."""
    arming.put(schedule, arming.armed(schedule, now)).save(update_fields=arming.ARMING)


def settings_columns(schedule: Schedule) -> list[str]:
    """Return the settings that are columns of this kind of schedule; only configurations have all of them."""
    own = {column.name for column in schedule._meta.get_fields()}
    return [column for column in SETTINGS if column in own]


def _stored(schedule: Schedule) -> dict[str, Any]:
    """Return the settings in the database, locked where it can; those of the object when it is not stored yet."""
    columns, stored = settings_columns(schedule), None
    if schedule.pk is not None:
        rows = type(schedule)._default_manager.filter(pk=schedule.pk)
        if transaction.get_connection().in_atomic_block:
            rows = rows.select_for_update()
        stored = rows.values(*columns).first()
    if stored is None:
        return {column: getattr(schedule, column) for column in columns}
    return stored | {"calendar": BlackoutCalendar.objects.filter(pk=stored["calendar"]).first()}


def _judged(
    schedule: Schedule, values: Mapping[str, Any], now: datetime, before: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, list[str]]]:
    """Return the settings as they would be stored, and every fault.

    What has no mode of its own is scheduled when it has a schedule type, else triggered when it runs after others, and
    else started by people.
    """
    if "processing_mode" not in before:
        values, before = (with_mode(each, schedule.after_others) for each in (values, before))
    wanted, errors = judged(values, now=now, before=before if schedule.pk is not None else None)
    return {column: wanted[column] for column in settings_columns(schedule) if column in wanted}, errors


def with_mode(values: Mapping[str, Any], after_others: bool = False) -> dict[str, Any]:
    """Return the settings of a schedule without a mode of its own with the mode that they come to.

    `after_others`: it runs after others where it has no schedule type; of its triggers that is the one, and no setting.
    """
    if after_others and not values.get("schedule_type"):
        return {**values, "processing_mode": ProcessingMode.TRIGGERED.value, "trigger_on_new_rows": True}
    mode = ProcessingMode.SCHEDULED if values.get("schedule_type") else ProcessingMode.MANUAL
    return {**values, "processing_mode": mode.value}
