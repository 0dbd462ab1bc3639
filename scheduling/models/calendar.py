"""What keeps schedules still: a pause of their own, and the named times of the blackout calendars that many share."""

from __future__ import annotations

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from scheduling.cadence.blackout import Blackout, Days, WeeklyWindow, YearlyDays
from scheduling.cadence.words import WEEKDAYS
from scheduling.states import BlackoutPolicy, PeriodKind


class PauseFields(models.Model):
    """The four facts of a pause, of whatever people can pause: a schedule of any kind, and a job as a whole.

    Since when it is paused (None: it is not), by whom, why, and until when (None: until somebody resumes it).
    """

    paused_at = models.DateTimeField(null=True, blank=True, editable=False)
    paused_by = models.CharField(max_length=150, blank=True, editable=False)
    pause_reason = models.CharField(max_length=200, blank=True, editable=False)
    paused_until = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        abstract = True

    def forget_pauses(self) -> None:
        """Take the pause off in memory, for copies to think with; nothing is stored."""
        self.paused_at, self.paused_by, self.pause_reason, self.paused_until = None, "", "", None


class BlackoutCalendar(models.Model):
    """A named calendar. Its periods are local to its own zone, whatever zone a schedule has."""

    name = models.CharField(max_length=100, unique=True)
    description = models.CharField(max_length=200, blank=True)
    timezone = models.CharField(max_length=64, default="UTC", help_text=_("For example Europe/Amsterdam."))
    policy = models.CharField(_("slots inside"), max_length=10, choices=BlackoutPolicy, default=BlackoutPolicy.SKIP)

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name

    def blackout(self) -> Blackout:
        """Return the calendar as the value that rules work with; reads the periods unless they were prefetched."""
        return Blackout(
            name=self.name,
            timezone=self.timezone,
            rolls=self.policy == BlackoutPolicy.ROLL,
            periods=tuple(period.value() for period in self.periods.all()),
        )


class BlackoutPeriod(models.Model):
    """One dark stretch of a calendar: days, the same dates each year, or a window each week."""

    calendar = models.ForeignKey("scheduling.BlackoutCalendar", on_delete=models.CASCADE, related_name="periods")
    kind = models.CharField(max_length=10, choices=PeriodKind, default=PeriodKind.DAYS)
    first_day = models.DateField(null=True, blank=True)
    last_day = models.DateField(null=True, blank=True, help_text=_("Included. Empty: the first day only."))
    run_days = models.CharField(_("days of the week"), max_length=100, blank=True, help_text=_("For example sat, sun."))
    window_start = models.TimeField(null=True, blank=True)
    window_end = models.TimeField(null=True, blank=True, help_text=_("Not after the start: on the next day."))
    note = models.CharField(max_length=100, blank=True, help_text=_("For example New Year."))

    class Meta:
        ordering = ["calendar", "kind", "first_day", "id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(kind=PeriodKind.WEEKLY, first_day__isnull=True) & ~Q(run_days="")
                | ~Q(kind=PeriodKind.WEEKLY) & Q(first_day__isnull=False, run_days=""),
                name="period_has_what_its_kind_needs",
            ),
            models.CheckConstraint(
                condition=~Q(kind=PeriodKind.DAYS) | Q(last_day__isnull=True) | Q(last_day__gte=F("first_day")),
                name="period_ends_after_it_starts",
            ),
            models.CheckConstraint(
                condition=Q(window_start__isnull=True, window_end__isnull=True)
                | Q(kind=PeriodKind.WEEKLY, window_start__isnull=False, window_end__isnull=False),
                name="period_window_is_whole_and_weekly",
            ),
        ]

    def __str__(self) -> str:
        return self.note or self.get_kind_display()

    def value(self) -> Days | YearlyDays | WeeklyWindow:
        """Return the period as the value that rules work with."""
        if self.kind == PeriodKind.WEEKLY or self.first_day is None:
            weekdays = tuple(WEEKDAYS.index(day.strip()) for day in self.run_days.split(",") if day.strip())
            return WeeklyWindow(weekdays, self.window_start, self.window_end)
        last = self.last_day or self.first_day
        if self.kind == PeriodKind.YEARLY:
            return YearlyDays((self.first_day.month, self.first_day.day), (last.month, last.day))
        return Days(self.first_day, last)
