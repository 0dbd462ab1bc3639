"""Jobs as the database knows them: what code declared, and what users set."""

from __future__ import annotations

from copy import copy
from datetime import datetime, time
from typing import Any

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from scheduling.cadence.base import Cadence
from scheduling.cadence.filtered import Filtered
from scheduling.cadence.jittered import Jittered
from scheduling.cadence.words import WEEKDAYS
from scheduling.models.calendar import PauseFields
from scheduling.models.schedule import RunSchedule, ScheduleQuerySet
from scheduling.states import RunKind, ScheduleType
from staging.models import Owned, one_owner


class Job(Owned, PauseFields):
    """A function that code declares to be a job. Code owns everything here but how often it is tried and who owns it.

    `removed_at`: the code does not declare it any more; its history stays. `problem`: why its declaration, as it
    stands in the code now, cannot be carried out: one with a mistake leaves the job as it was before; one whose queue
    is not there is stored and cannot run.
    """

    name = models.CharField(max_length=100, unique=True)
    path = models.CharField(_("function"), max_length=255, unique=True, help_text=_("Where workers find it."))
    source = models.CharField(max_length=255, help_text=_("Where people find it: file and line."))
    category = models.CharField(max_length=50, default="General")
    description = models.CharField(max_length=500, blank=True)
    queue_name = models.CharField(_("queue"), max_length=60, default="default")
    priority = models.SmallIntegerField(default=0)
    timeout_seconds = models.PositiveIntegerField(null=True, blank=True)
    retry_backoff = models.BooleanField(_("back-off"), default=False, help_text=_("Each wait is twice the one before."))
    removed_at = models.DateTimeField(null=True, blank=True)
    problem = models.TextField(blank=True)

    attempts = models.PositiveSmallIntegerField(
        default=1,
        validators=[MinValueValidator(1), MaxValueValidator(100)],
        help_text=_("The total number of runs, the first one included."),
    )
    retry_interval_seconds = models.PositiveIntegerField(
        default=60, validators=[MaxValueValidator(86_400)], help_text=_("Seconds between two attempts.")
    )

    class Meta:
        ordering = ["category", "name"]
        permissions = [("run_job", "Can run a job now")]
        constraints = [
            models.CheckConstraint(condition=Q(attempts__gte=1), name="job_is_tried_at_least_once"),
            one_owner("job_has_one_owner"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def what(self) -> str:
        """Return what reports, forecasts and messages call it."""
        return f"job {self.name}"

    @property
    def subject(self) -> dict[str, int]:
        """Return the column of the log that says whom an event is about."""
        return {"job_id": self.pk}


class JobSchedule(RunSchedule):
    """One schedule of a job. Code owns its timing; users own whether it is on, its jitter, its calendar and pauses.

    Columns that the kind of cadence has no use of its own for are filters: a daily schedule with `run_months` fires in
    these months only. `removed_at`: the code does not declare it any more; `is_enabled` stays as users left it.
    """

    KIND = "job"
    IN_FORCE = RunSchedule.IN_FORCE & Q(removed_at__isnull=True)
    READ_ALONG = ("calendar", "job")
    PAUSED_BY = ("paused_at", "job__paused_at")
    SHARES_GUARD = True

    job = models.ForeignKey("scheduling.Job", on_delete=models.CASCADE, related_name="schedules")
    name = models.CharField(max_length=100)
    run_weeks_of_month = models.CharField(max_length=20, blank=True, help_text=_("1 to 5, or last."))
    jitter_seconds = models.PositiveIntegerField(
        default=0, validators=[MaxValueValidator(86_400)], help_text=_("Each run starts up to this much later.")
    )
    removed_at = models.DateTimeField(null=True, blank=True, editable=False)

    objects = ScheduleQuerySet.as_manager()

    class Meta(RunSchedule.Meta):
        ordering = ["job__name", "name"]
        indexes = [
            models.Index(
                fields=["next_scheduled_run"],
                condition=Q(is_enabled=True, removed_at__isnull=True),
                name="job_schedule_due",
            )
        ]
        constraints = [
            *RunSchedule.Meta.constraints,
            models.UniqueConstraint(fields=["job", "name"], name="job_schedule_name_once_per_job"),
        ]

    def __str__(self) -> str:
        return f"{self.job.name}: {self.name}"

    @property
    def what(self) -> str:
        """Return what reports, forecasts and messages call it."""
        return self.job.what

    @property
    def own_name(self) -> str:
        """Return its name among the schedules of its job."""
        return self.name

    @property
    def works_on(self) -> tuple[str, int]:
        return RunKind.JOB, self.job_id

    @property
    def subject(self) -> dict[str, int]:
        """Return the column of the log that says whom an event is about."""
        return {"job_id": self.job_id}

    @property
    def paused_with(self) -> PauseFields | None:
        """Return the job while it is paused."""
        return self.job if self.job.paused_at is not None else None

    def forget_pauses(self) -> None:
        """Take its own pause and that of its job off in memory."""
        super().forget_pauses()
        self.job = copy(self.job)
        self.job.forget_pauses()

    def planned_after(self, now: datetime, *, ignore_pause: bool = False) -> datetime | None:
        """Return the next run strictly after `now`; none for what the code does not declare any more."""
        return None if self.removed_at is not None else super().planned_after(now, ignore_pause=ignore_pause)

    def believed(self) -> dict[str, Any]:
        """Return the columns a decision was made on."""
        return super().believed() | {"removed_at": None}

    def cadence(self, since: datetime | None = None) -> Cadence | None:
        """Return the cadence with its filters and jitter; raises CadenceError when the columns are broken."""
        cadence = super().cadence(since)
        if cadence is None:
            return None
        dates: dict[str, Any] = {
            "timezone": cadence.timezone,
            "starts_on": cadence.starts_on,
            "ends_on": cadence.ends_on,
        }
        filtered = Filtered(cadence=cadence, **self._filters(), **dates)
        cadence = cadence if filtered.passes_all else filtered
        if not self.jitter_seconds:
            return cadence
        return Jittered(cadence=cadence, seed=f"{self.job.name}/{self.name}", seconds=self.jitter_seconds, **dates)

    def _filters(self) -> dict[str, Any]:
        """Return the columns that narrow the cadence, and not those that its kind reads itself."""
        own = _OWN.get(self.schedule_type, ())
        found: dict[str, Any] = {}
        if self.run_days and "run_days" not in own:
            found["days"] = tuple(WEEKDAYS.index(day) for day in self.run_days.split(","))
        if self.run_months and "run_months" not in own:
            found["months"] = tuple(int(month) for month in self.run_months.split(","))
        if self.run_weeks_of_month and "run_weeks_of_month" not in own:
            weeks = self.run_weeks_of_month.split(",")
            found["weeks"] = tuple(int(week) if week.isdigit() else week for week in weeks)
        if self._hours() and "window_start" not in own:
            found["hours"] = self._hours()
        return found

    def _hours(self) -> tuple[time, time] | None:
        start, end = self.window_start, self.window_end
        return (start, end) if start is not None and end is not None else None


_OWN: dict[str, tuple[str, ...]] = {
    ScheduleType.INTERVAL: ("run_days", "window_start"),
    ScheduleType.WEEKLY: ("run_days",),
    ScheduleType.MONTHLY_NTH_WEEKDAY: ("run_days", "run_weeks_of_month", "run_months"),
    ScheduleType.YEARLY: ("run_months",),
}
