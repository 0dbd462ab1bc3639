"""What everything that fires has in common: a cadence, a guard, a tracking, and the few questions rooms ask of it."""

from __future__ import annotations

from datetime import datetime
from typing import Any, ClassVar, Self, cast

from django.apps import apps
from django.db import models
from django.db.models import Q

from scheduling.models.cadence_fields import CadenceFields
from scheduling.models.pause_fields import PauseFields
from scheduling.states import IntervalAnchor, Overlap, ProcessingMode


class ScheduleQuerySet(models.QuerySet[Any]):
    """Reads that doors and rooms share."""

    def automatic(self) -> Self:
        """Return what a cycle looks at: enabled, with a cadence."""
        return self.filter(is_enabled=True).exclude(schedule_type="")

    def readable(self) -> Self:
        """Return the same with what a decision reads besides, so that it needs no further statement."""
        return self.select_related("calendar").prefetch_related("calendar__periods")

    def due(self, now: datetime) -> Self:
        """Return what a cycle at `now` decides, longest due first."""
        waiting = self.automatic().filter(paused_at__isnull=True, next_scheduled_run__lte=now)
        return waiting.readable().order_by("next_scheduled_run", "id")


class Schedule(CadenceFields):
    """A thing that fires. Decision, dispatcher, forecast, explanation and pause know it by what stands here.

    `is_running` is the guard: one live run at most. `fire_count` counts every fire; a claim names the count it was
    decided on, so a decision made from a stale snapshot loses. `automatic` of its manager is what a cycle looks at.
    """

    KIND: ClassVar[str]  # "configuration": the first word of its fire keys
    NOUN: ClassVar[str] = "run"  # what it starts, as people call it
    HELD_BY: ClassVar[str]  # the column that names what holds its guard
    READS_ROWS: ClassVar[bool] = False  # whether a decision needs its staged rows
    SHARES_GUARD: ClassVar[bool] = False  # whether any run of what it `works_on` holds its guard, whoever started it

    is_running = models.BooleanField(default=False, editable=False)
    run_started_at = models.DateTimeField(null=True, blank=True, editable=False)
    run_started_by = models.CharField(max_length=200, blank=True, editable=False)

    fire_count = models.BigIntegerField(default=0, editable=False)
    last_fired_at = models.DateTimeField(null=True, blank=True, editable=False)
    last_completed_at = models.DateTimeField(null=True, blank=True, editable=False)
    last_result = models.CharField(max_length=20, blank=True, editable=False)
    consecutive_failures = models.PositiveIntegerField(default=0, editable=False)
    backoff_until = models.DateTimeField(null=True, blank=True, editable=False)

    overlap: str = Overlap.SKIP
    processing_mode: str

    class Meta:
        abstract = True

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
        return f"{self.what[0].upper()}{self.what[1:]} is already running."

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
        never completes cannot end the schedule; it is planned again at the completion. Raises CadenceError for broken
        columns.
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
