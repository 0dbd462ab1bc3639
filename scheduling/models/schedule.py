"""What everything that fires has in common: a cadence, a guard, a tracking, and the few questions rooms ask of it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, ClassVar, Self, cast

from django.apps import apps
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop

from scheduling.cadence.base import Cadence
from scheduling.cadence.blackout import Blackout
from scheduling.cadence.parse import parse_cadence
from scheduling.models.calendar import PauseFields
from scheduling.states import (
    CatchUp,
    DstGap,
    DstOverlap,
    IntervalAnchor,
    Overlap,
    ProcessingMode,
    RunStatus,
    ScheduleType,
)
from staging.states import shown_status
from staging.wording import aloud, language, say


class CadenceFields(PauseFields):
    """A cadence as columns. Times and days are comma lists, as people write them; `schedules` checks them."""

    schedule_type = models.CharField(max_length=20, choices=ScheduleType, blank=True)
    interval_minutes = models.PositiveIntegerField(
        null=True, blank=True, validators=[MinValueValidator(1), MaxValueValidator(1440)]
    )
    interval_anchor = models.CharField(max_length=20, choices=IntervalAnchor, default=IntervalAnchor.WALL_CLOCK)
    window_start = models.TimeField(null=True, blank=True)
    window_end = models.TimeField(null=True, blank=True)
    run_times = models.CharField(max_length=200, blank=True, help_text=_("For example 06:00, 18:30."))
    run_days = models.CharField(max_length=100, blank=True, help_text=_("For example mon, fri."))
    run_days_of_month = models.CharField(max_length=100, blank=True, help_text=_("For example 1, 15, last."))
    run_weeks_of_month = models.CharField(max_length=10, blank=True, help_text=_("1 to 5, or last."))
    run_months = models.CharField(max_length=50, blank=True, help_text=_("For example 1, 4, 7, 10."))
    run_once_at = models.CharField(max_length=19, blank=True, help_text=_("Local time, for example 2026-06-15 09:00."))
    interval_start = models.DateTimeField(null=True, blank=True)
    every_n_months = models.PositiveSmallIntegerField(default=1, validators=[MinValueValidator(1)])
    anchor_date = models.DateField(
        null=True, blank=True, help_text=_("A day in a week or month that counts, for every so many weeks or months.")
    )
    every_n_weeks = models.PositiveSmallIntegerField(default=1, validators=[MinValueValidator(1)])
    cron_expression = models.CharField(max_length=100, blank=True, help_text=_("Five fields, for example 0 6 * * 1-5."))
    starts_on = models.DateField(null=True, blank=True)
    ends_on = models.DateField(null=True, blank=True)
    timezone = models.CharField(max_length=64, default="UTC", help_text=_("For example Europe/Amsterdam."))
    dst_gap = models.CharField(max_length=20, choices=DstGap, default=DstGap.FIRST_VALID)
    dst_overlap = models.CharField(max_length=20, choices=DstOverlap, default=DstOverlap.FIRST)
    next_scheduled_run = models.DateTimeField(null=True, blank=True)
    armed_from = models.DateTimeField(
        null=True,
        blank=True,
        help_text=_("Set when the schedule is created, edited or enabled; earlier slots never run."),
    )
    is_enabled = models.BooleanField(_("enabled"), default=True)

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

    def blackout(self) -> Blackout | None:
        """Return when its calendar keeps it still, None without one; reads the periods unless they were prefetched."""
        return self.calendar.blackout() if self.calendar is not None else None

    def describe(self) -> str:
        """Return the sentence of the cadence, empty without a schedule type; raises CadenceError as `cadence` does."""
        cadence = self.cadence()
        return "" if cadence is None else _sentence(cadence, language())


@lru_cache(maxsize=1_000)  # schedules that are alike share it, in each language
def _sentence(cadence: Cadence, _language: str | None) -> str:
    return aloud(cadence.describe())


def _items(text: str) -> list[str]:
    return [item.strip() for item in text.split(",") if item.strip()]


def _number(text: str) -> int | str:
    return int(text) if text.isascii() and text.isdigit() else text


def _interval(columns: CadenceFields) -> dict[str, Any]:
    minutes, is_epoch = columns.interval_minutes, columns.interval_anchor == IntervalAnchor.EPOCH
    size = {"every_seconds": (minutes or 0) * 60} if is_epoch else {"every_minutes": minutes}
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


class ScheduleQuerySet(models.QuerySet[Any]):
    """Reads that doors and rooms share."""

    def automatic(self) -> Self:
        """Return what a cycle looks at: enabled and in force."""
        return self.filter(self.model.IN_FORCE, is_enabled=True)

    def by_hand(self) -> Self:
        """Return what is enabled and nothing starts by itself."""
        return self.exclude(self.model.IN_FORCE).filter(is_enabled=True)

    def readable(self) -> Self:
        """Return the same with what a decision reads besides, so that it needs no further statement."""
        return self.select_related(*self.model.READ_ALONG).prefetch_related("calendar__periods")

    def due(self, now: datetime) -> Self:
        """Return what a cycle at `now` decides, longest due first."""
        due = Q(next_scheduled_run__lte=now) | self.model.due_besides()
        waiting = self.automatic().unpaused().filter(due)
        return waiting.readable().order_by("next_scheduled_run", "id")

    def may_start_at_an_end(self, now: datetime) -> Self:
        """Return what the end of something may start without a wait for the next cycle: late runs, and after others."""
        waits = Q(late_runs_left__isnull=False) | self.model.AFTER_OTHERS
        return self.due(now).filter(waits, is_running=False)

    def unpaused(self) -> Self:
        """Return what neither is paused itself nor by what it belongs to."""
        return self.filter(**{f"{pause}__isnull": True for pause in self.model.PAUSED_BY})

    def warned(self, number: int = 1) -> Self:
        """Return what completed last with at least so many warnings."""
        return self.filter(last_result=RunStatus.COMPLETED, last_warnings__gte=number)


class Schedule(CadenceFields):
    """A thing that fires. Decision, dispatcher, forecast, explanation and pause know it by what stands here.

    `is_running` is the guard: one live run at most. `fire_count` counts every fire; a claim names the count it was
    decided on, so a decision made from a stale snapshot loses. `automatic` of its manager is what a cycle looks at.
    """

    KIND: ClassVar[str]  # "configuration": the first word of its fire keys
    NOUN: ClassVar[str] = gettext_noop("run")  # what it starts, as people call it
    NOUN_FIRST: ClassVar[str] = gettext_noop("Run")  # at the beginning of a sentence
    HELD_BY: ClassVar[str]  # the column that names what holds its guard
    READS_ROWS: ClassVar[bool] = False  # whether a decision needs its staged rows
    IN_FORCE: ClassVar[Q] = ~Q(schedule_type="")  # the condition for cycles to look at it, once it is enabled
    AFTER_OTHERS: ClassVar[Q] = Q()  # the condition that the end of others starts it
    READ_ALONG: ClassVar[tuple[str, ...]] = ("calendar",)  # what a decision reads besides
    PAUSED_BY: ClassVar[tuple[str, ...]] = ("paused_at",)  # the columns of which one that is filled keeps it still
    SHARES_GUARD: ClassVar[bool] = False  # whether any run of what it `works_on` holds its guard, whoever started it

    is_running = models.BooleanField(_("running"), default=False, editable=False)
    run_started_at = models.DateTimeField(null=True, blank=True, editable=False)
    run_started_by = models.CharField(max_length=200, blank=True, editable=False)

    fire_count = models.BigIntegerField(default=0, editable=False)
    last_fired_at = models.DateTimeField(null=True, blank=True, editable=False)
    last_completed_at = models.DateTimeField(null=True, blank=True, editable=False)
    last_result = models.CharField(max_length=20, blank=True, editable=False)
    last_warnings = models.PositiveIntegerField(default=0, db_default=0, editable=False)
    consecutive_failures = models.PositiveIntegerField(default=0, editable=False)
    backoff_until = models.DateTimeField(null=True, blank=True, editable=False)

    overlap: str = Overlap.SKIP
    after_others: bool = False  # whether it runs after others where it has no schedule type
    processing_mode: str

    class Meta:
        abstract = True

    @staticmethod
    def due_besides() -> Q:
        """Return the condition on which a cycle decides it although no slot has come; none by itself."""
        return Q()

    @property
    def shown_result(self) -> str:
        """Return how its last run ended, as people see it; empty before the first one."""
        return shown_status(self.last_result, self.last_warnings)

    @property
    def what(self) -> str:
        """Return what reports, forecasts and messages call it: "branch", "plan Nightly"."""
        raise NotImplementedError

    @property
    def subject(self) -> dict[str, int]:
        """Return the column of the log that says whom an event is about: {"entity_id": 3}."""
        raise NotImplementedError

    @property
    def own_name(self) -> str:
        """Return what tells it from others that are called the same; empty where there are none."""
        return ""

    @property
    def label(self) -> str:
        """Return what people read where kinds stand side by side: "Branch", "plan Nightly"."""
        return self.what

    @property
    def works_on(self) -> tuple[str, int] | None:
        """Return the workload and the id of the one thing that its runs work on; None for runs of several."""
        return None

    @property
    def busy(self) -> str:
        """Return the sentence for a person who would start it while its guard is held."""
        return say("{what} is already running.", what=f"{self.what[0].upper()}{self.what[1:]}")

    @property
    def paused_with(self) -> PauseFields | None:
        """Return what this schedule belongs to and rests with while that is paused: its job; None while it is not."""
        return None

    @property
    def is_paused(self) -> bool:
        """Return whether a pause of its own, or of what it belongs to, keeps it still."""
        return self.paused_at is not None or self.paused_with is not None

    def planned_after(self, now: datetime, *, ignore_pause: bool = False) -> datetime | None:
        """Return the next run strictly after `now`, None when there is none or it is paused.

        `ignore_pause` looks past its own pause, never past one of what it belongs to.

        An interval after the last completion whose run has not completed yet counts from `now`, so that a run that
        never completes cannot end the schedule; its completion plans it again. Raises CadenceError for broken columns.
        """
        if self.processing_mode != ProcessingMode.SCHEDULED or not self.is_enabled:
            return None
        if self.paused_with is not None or (self.paused_at is not None and not ignore_pause):
            return None
        cadence = self.cadence()
        following = cadence.next_after(now) if cadence is not None else None
        if following is None and self.interval_anchor == IntervalAnchor.LAST_COMPLETION:
            cadence = self.cadence(since=now)
            following = cadence.next_after(now) if cadence is not None else None
        return following

    def believed(self) -> dict[str, Any]:
        """Return the columns a decision was made on: a fire claims them, and any change in between makes it lose."""
        return {
            "is_enabled": True,
            "fire_count": self.fire_count,
            "next_scheduled_run": self.next_scheduled_run,
            "armed_from": self.armed_from,
            "paused_at": None,
        }


class RunSchedule(Schedule):
    """A schedule whose fire is a run of its own, such as a plan; the run holds the guard until it ends.

    Without a schedule type it is started by people only.
    """

    HELD_BY = "running_run"

    overlap = models.CharField(max_length=20, choices=Overlap, default=Overlap.SKIP)
    running_run = models.ForeignKey(
        "scheduling.Run", on_delete=models.SET_NULL, null=True, blank=True, editable=False, related_name="+"
    )

    class Meta:
        abstract = True
        constraints = [
            models.CheckConstraint(
                condition=Q(is_running=True, run_started_at__isnull=False)
                | Q(is_running=False, run_started_at__isnull=True),
                name="%(class)s_running_has_a_start",
            )
        ]

    @property
    def processing_mode(self) -> str:  # type: ignore[override]
        """Return whether a cadence starts it or people do."""
        return ProcessingMode.SCHEDULED if self.schedule_type else ProcessingMode.MANUAL


def schedule_models() -> list[type[Schedule]]:
    """Return every kind of schedule, for what is done to all of them."""
    return [model for model in apps.get_app_config("scheduling").get_models() if issubclass(model, Schedule)]


def all_schedules() -> list[ScheduleQuerySet]:
    """Return the schedules of every kind, a query for each kind."""
    return [cast(ScheduleQuerySet, model._default_manager.all()) for model in schedule_models()]


def run_schedule_models() -> list[type[RunSchedule]]:
    """Return every kind of schedule whose guard a run holds."""
    return [model for model in schedule_models() if issubclass(model, RunSchedule)]
