"""Backfills: the slots of a range that a person lets run after the event, and what became of each."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Self

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Count, F, Q
from django.utils.translation import gettext_lazy as _

from scheduling.models.job import JobSchedule
from scheduling.models.plan import Plan
from scheduling.models.run import Run, RunQuerySet
from scheduling.models.schedule import RunSchedule
from scheduling.states import RunStatus
from staging.wording import say

MOST_AT_ONCE = 100
_ENDED = Q(slots__taken_at__isnull=False) & (
    Q(slots__is_left_out=True) | Q(slots__run__isnull=True) | Q(slots__run__status__in=RunStatus.final())
)


class BackfillQuerySet(models.QuerySet["Backfill"]):
    """Reads that doors and rooms share."""

    def of_entities(self, ids: Collection[int]) -> Self:
        """Return the backfills of plans that run nothing but batches of these entities."""
        return self.filter(plan__in=Plan.objects.of_entities(ids).values("pk"))

    def of(self, schedule: RunSchedule) -> Self:
        """Return those of a plan, or of a schedule of a job, newest first."""
        return self.filter(**Backfill.place_of(schedule)).order_by("-id")

    def with_progress(self) -> Self:
        """Count the slots of each as `slots_total`, those that ended as `slots_done`."""
        return self.annotate(slots_total=Count("slots"), slots_done=Count("slots", filter=_ENDED))


class Backfill(models.Model):
    """Slots of a plan, or of a schedule of a job, that run after the event; of each at most one at a time.

    `since` counts, `until` does not. Without `side_by_side` one slot follows the other; else so many run at once. Its
    `status` is running, completed, failed (one of its runs did) or cancelled.
    """

    plan = models.ForeignKey(
        "scheduling.Plan", on_delete=models.CASCADE, null=True, blank=True, related_name="backfills"
    )
    job_schedule = models.ForeignKey(
        "scheduling.JobSchedule", on_delete=models.CASCADE, null=True, blank=True, related_name="backfills"
    )
    since = models.DateTimeField()
    until = models.DateTimeField()
    side_by_side = models.PositiveSmallIntegerField(
        null=True, blank=True, validators=[MinValueValidator(2), MaxValueValidator(MOST_AT_ONCE)]
    )
    stops_on_failure = models.BooleanField(default=True)
    repeats = models.BooleanField(default=False, help_text=_("Slots that ran before run once more."))
    status = models.CharField(max_length=20, choices=RunStatus, default=RunStatus.RUNNING)
    started_by = models.CharField(max_length=150)
    created_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True, blank=True)
    error = models.TextField(blank=True)
    error_said = models.JSONField(null=True, blank=True, editable=False)

    slots_total: int  # of rows that are read `with_progress`
    slots_done: int

    objects = BackfillQuerySet.as_manager()

    class Meta:
        ordering = ["-id"]
        default_permissions = ()  # whoever may run the plan or the job may fill in its slots
        constraints = [
            models.CheckConstraint(
                condition=Q(plan__isnull=False, job_schedule__isnull=True)
                | Q(plan__isnull=True, job_schedule__isnull=False),
                name="backfill_of_one_thing",
            ),
            models.CheckConstraint(
                condition=Q(status=RunStatus.RUNNING, finished_at__isnull=True)
                | ~Q(status=RunStatus.RUNNING) & Q(finished_at__isnull=False),
                name="backfill_ended_has_a_time",
            ),
            models.CheckConstraint(condition=Q(until__gt=F("since")), name="backfill_ends_after_it_begins"),
            models.UniqueConstraint(
                fields=["plan"], condition=Q(status=RunStatus.RUNNING), name="backfill_of_a_plan_once_at_a_time"
            ),
            models.UniqueConstraint(
                fields=["job_schedule"], condition=Q(status=RunStatus.RUNNING), name="backfill_of_a_job_once_at_a_time"
            ),
        ]

    def __str__(self) -> str:
        return say("Backfill {number}", number=self.pk)

    @staticmethod
    def place_of(schedule: RunSchedule) -> dict[str, Any]:
        """Return the column that says of what a backfill is."""
        return {"plan" if isinstance(schedule, Plan) else "job_schedule": schedule}

    @property
    def schedule(self) -> Plan | JobSchedule:
        """Return what it is a backfill of."""
        found = self.plan or self.job_schedule
        assert found is not None  # one of them, as the table says
        return found

    @property
    def is_under_way(self) -> bool:
        """Return whether it has not ended."""
        return self.status == RunStatus.RUNNING

    @property
    def runs(self) -> RunQuerySet:
        """Return the runs that it started."""
        return Run.objects.filter(backfilled__backfill=self, backfilled__is_left_out=False)

    @property
    def at_once(self) -> int:
        """Return how many of its runs there may be at once."""
        return self.side_by_side or 1


class BackfillSlot(models.Model):
    """One slot of a backfill. `taken_at`: it has been dealt with, by `run`; until then it is still to come.

    `is_left_out`: that run is not of the backfill, but had the slot before its turn came. `previous_slot` is the one
    before it by its schedule.
    """

    backfill = models.ForeignKey("scheduling.Backfill", on_delete=models.CASCADE, related_name="slots")
    slot = models.DateTimeField()
    previous_slot = models.DateTimeField(null=True, blank=True)
    taken_at = models.DateTimeField(null=True, blank=True)
    run = models.ForeignKey(
        "scheduling.Run", on_delete=models.SET_NULL, null=True, blank=True, related_name="backfilled"
    )
    is_left_out = models.BooleanField(_("left out"), default=False)

    class Meta:
        ordering = ["backfill", "slot"]
        default_permissions = ()
        constraints = [models.UniqueConstraint(fields=["backfill", "slot"], name="backfill_has_a_slot_once")]

    def __str__(self) -> str:
        return self.slot.isoformat()
