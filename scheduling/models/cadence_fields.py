"""The fields every schedule shares, however it is started: configurations now, jobs and plans later."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models

from scheduling.cadence.base import Cadence
from scheduling.cadence.parse import parse_cadence
from scheduling.models.pause_fields import PauseFields
from scheduling.states import CatchUp, DstGap, DstOverlap, IntervalAnchor, ScheduleType


class CadenceFields(PauseFields):
    """A cadence as columns. Times and days are comma lists, as people write them; `schedules` checks them."""

    schedule_type = models.CharField(max_length=20, choices=ScheduleType, blank=True)
    interval_minutes = models.PositiveIntegerField(
        null=True, blank=True, validators=[MinValueValidator(1), MaxValueValidator(1440)]
    )
    interval_anchor = models.CharField(max_length=20, choices=IntervalAnchor, default=IntervalAnchor.WALL_CLOCK)
    window_start = models.TimeField(null=True, blank=True)
    window_end = models.TimeField(null=True, blank=True)
    run_times = models.CharField(max_length=200, blank=True, help_text="For example 06:00, 18:30.")
    run_days = models.CharField(max_length=100, blank=True, help_text="For example mon, fri.")
    run_days_of_month = models.CharField(max_length=100, blank=True, help_text="For example 1, 15, last.")
    run_weeks_of_month = models.CharField(max_length=10, blank=True, help_text="1 to 5, or last.")
    run_months = models.CharField(max_length=50, blank=True, help_text="For example 1, 4, 7, 10.")
    run_once_at = models.CharField(max_length=19, blank=True, help_text="Local time, for example 2026-06-15 09:00.")
    interval_start = models.DateTimeField(null=True, blank=True)
    every_n_months = models.PositiveSmallIntegerField(default=1, validators=[MinValueValidator(1)])
    anchor_date = models.DateField(
        null=True, blank=True, help_text="A day in a week or month that counts, for every so many weeks or months."
    )
    every_n_weeks = models.PositiveSmallIntegerField(default=1, validators=[MinValueValidator(1)])
    cron_expression = models.CharField(max_length=100, blank=True, help_text="Five fields, for example 0 6 * * 1-5.")
    starts_on = models.DateField(null=True, blank=True)
    ends_on = models.DateField(null=True, blank=True)
    timezone = models.CharField(max_length=64, default="UTC", help_text="For example Europe/Amsterdam.")
    dst_gap = models.CharField(max_length=20, choices=DstGap, default=DstGap.FIRST_VALID)
    dst_overlap = models.CharField(max_length=20, choices=DstOverlap, default=DstOverlap.FIRST)
    next_scheduled_run = models.DateTimeField(null=True, blank=True)
    armed_from = models.DateTimeField(
        null=True, blank=True, help_text="Set when the schedule is created, edited or enabled; earlier slots never run."
    )
    is_enabled = models.BooleanField(default=True)

    catch_up = models.CharField(max_length=10, choices=CatchUp, default=CatchUp.NONE)
    catch_up_limit = models.PositiveSmallIntegerField(default=10, validators=[MinValueValidator(1)])
    catch_up_window_minutes = models.PositiveIntegerField(default=1440, validators=[MinValueValidator(1)])
    # Missed slots up to here were counted and logged; those among them that run late do so one by one.
    caught_up_through = models.DateTimeField(null=True, blank=True, editable=False)
    # Late runs that the catch-up under way may still make; none is under way without a number.
    late_runs_left = models.PositiveSmallIntegerField(null=True, blank=True, editable=False)
    calendar = models.ForeignKey(
        "scheduling.BlackoutCalendar", on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )

    class Meta:
        abstract = True

    def cadence_document(self, since: datetime | None = None) -> dict[str, Any]:
        """Return the columns as a cadence document; an interval after completion is counted from `since` when given."""
        document = _RHYTHMS[ScheduleType(self.schedule_type)](self)
        if self.schedule_type != ScheduleType.ONCE:  # has one moment: no first and last day, its own clock-change rule
            document |= {
                "starts_on": self.starts_on,
                "ends_on": self.ends_on,
                "dst_gap": self.dst_gap,
                "dst_overlap": self.dst_overlap,
            }
        if document.get("anchor") == IntervalAnchor.LAST_COMPLETION:
            last = since or getattr(self, "last_completed_at", None) or self.armed_from
            document["last_completion"] = last or datetime(1970, 1, 1, tzinfo=UTC)
        return {field: value for field, value in document.items() if value is not None}

    def cadence(self, since: datetime | None = None) -> Cadence | None:
        """Return the cadence of the columns, None without a schedule type; raises CadenceError when they are broken."""
        if not self.schedule_type:
            return None
        return parse_cadence(self.cadence_document(since), self.timezone)

    def describe(self) -> str:
        """Return the sentence of the cadence, empty without a schedule type; raises CadenceError as `cadence` does."""
        cadence = self.cadence()
        return "" if cadence is None else cadence.describe()


def _items(text: str) -> list[str]:
    return [item.strip() for item in text.split(",") if item.strip()]


def _number(text: str) -> int | str:
    return int(text) if text.isascii() and text.isdigit() else text


def _interval(columns: CadenceFields) -> dict[str, Any]:
    epoch = columns.interval_anchor == IntervalAnchor.EPOCH
    size = (
        {"every_seconds": (columns.interval_minutes or 0) * 60}
        if epoch
        else {"every_minutes": columns.interval_minutes}
    )
    between = [f"{at:%H:%M:%S}" if at else "" for at in (columns.window_start, columns.window_end)]
    return size | {
        "kind": "interval",
        "anchor": columns.interval_anchor,
        "start": columns.interval_start if columns.interval_anchor == IntervalAnchor.START else None,
        "between": between if any(between) else None,
        "days": _items(columns.run_days) or None,
    }


def _daily(columns: CadenceFields) -> dict[str, Any]:
    return {"kind": "daily", "times": _items(columns.run_times)}


def _weekly(columns: CadenceFields) -> dict[str, Any]:
    return {
        "kind": "weekly",
        "days": _items(columns.run_days),
        "times": _items(columns.run_times),
        "every_weeks": columns.every_n_weeks,
        "anchor_date": columns.anchor_date,
    }


def _monthly(columns: CadenceFields) -> dict[str, Any]:
    return {
        "kind": "monthly",
        "days": _items(columns.run_days_of_month),
        "times": _items(columns.run_times),
        "every_months": columns.every_n_months,
        "anchor_date": columns.anchor_date,
    }


def _monthly_nth_weekday(columns: CadenceFields) -> dict[str, Any]:
    return {
        "kind": "monthly_nth_weekday",
        "nth": _number(columns.run_weeks_of_month),
        "weekday": columns.run_days,
        "times": _items(columns.run_times),
        "months": [_number(month) for month in _items(columns.run_months)] or None,
    }


def _yearly(columns: CadenceFields) -> dict[str, Any]:
    last = columns.run_days_of_month == "last"  # the month's real end: the 31st, or what a shorter month has instead
    return {
        "kind": "yearly",
        "month": _number(columns.run_months),
        "day": 31 if last else _number(columns.run_days_of_month),
        "short_month": "last" if last else None,
        "times": _items(columns.run_times),
    }


def _once(columns: CadenceFields) -> dict[str, Any]:
    return {"kind": "once", "at_local": columns.run_once_at}


def _cron(columns: CadenceFields) -> dict[str, Any]:
    return {"kind": "cron", "expr": columns.cron_expression}


_RHYTHMS: dict[ScheduleType, Callable[[CadenceFields], dict[str, Any]]] = {
    ScheduleType.INTERVAL: _interval,
    ScheduleType.DAILY: _daily,
    ScheduleType.WEEKLY: _weekly,
    ScheduleType.MONTHLY: _monthly,
    ScheduleType.MONTHLY_NTH_WEEKDAY: _monthly_nth_weekday,
    ScheduleType.YEARLY: _yearly,
    ScheduleType.ONCE: _once,
    ScheduleType.CRON: _cron,
}
