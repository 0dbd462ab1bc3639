"""One entity's processing: mode, cadence, triggers, overlap guard and tracking."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Self

from django.core.validators import MinValueValidator
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop

from scheduling.models.schedule import Schedule, ScheduleQuerySet
from scheduling.states import ProcessingMode, RunKind
from staging.wording import say


class ConfigurationQuerySet(ScheduleQuerySet):
    """Reads that doors and rooms share."""

    def due(self, now: datetime) -> Self:
        """Return what a cycle at `now` decides: scheduled ones whose slot has come, and every triggered one."""
        due = Q(processing_mode=ProcessingMode.SCHEDULED, next_scheduled_run__lte=now)
        triggered = Q(processing_mode=ProcessingMode.TRIGGERED)
        waiting = self.automatic().unpaused().filter(due | triggered)
        return waiting.readable().order_by("next_scheduled_run", "id")

    def of_entity(self, code: str) -> SchedulerConfiguration:
        """Return the configuration of the entity with this code; raises DoesNotExist."""
        return self.select_related("entity").get(entity__code=code)


class SchedulerConfiguration(Schedule):
    """When and whether an entity's batch runs. Changed only through `schedules` and `lifecycle`."""

    KIND = "configuration"
    NOUN = gettext_noop("batch")
    NOUN_FIRST = gettext_noop("Batch")
    IN_FORCE = Q(entity__is_cancelled=False) & ~Q(processing_mode=ProcessingMode.MANUAL)
    READ_ALONG = ("calendar", "entity")
    READS_ROWS = True
    HELD_BY = "running_task"

    entity = models.OneToOneField("staging.Entity", on_delete=models.CASCADE, related_name="configuration")
    processing_mode = models.CharField(max_length=20, choices=ProcessingMode, default=ProcessingMode.MANUAL)

    trigger_on_new_rows = models.BooleanField(default=False)
    trigger_row_threshold = models.PositiveIntegerField(null=True, blank=True, validators=[MinValueValidator(1)])
    trigger_idle_minutes = models.PositiveIntegerField(null=True, blank=True, validators=[MinValueValidator(1)])
    trigger_debounce_seconds = models.PositiveIntegerField(default=60)
    trigger_settle_seconds = models.PositiveIntegerField(default=0)

    running_task = models.ForeignKey(
        "scheduling.Task", on_delete=models.SET_NULL, null=True, blank=True, editable=False, related_name="+"
    )

    last_trigger_check = models.DateTimeField(null=True, blank=True, editable=False)

    objects = ConfigurationQuerySet.as_manager()

    class Meta:
        verbose_name = _("scheduler configuration")
        ordering = ["entity__code"]
        permissions = [
            ("test_run", "Can test-run a configuration"),
            ("process_batch", "Can start a batch now"),
        ]
        indexes = [
            models.Index(
                fields=["processing_mode", "next_scheduled_run"], condition=Q(is_enabled=True), name="configuration_due"
            )
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(is_running=True, run_started_at__isnull=False)
                | Q(is_running=False, run_started_at__isnull=True),
                name="configuration_running_has_a_start",
            ),
            models.CheckConstraint(
                condition=Q(trigger_row_threshold__isnull=True) | Q(trigger_row_threshold__gt=0),
                name="configuration_threshold_positive",
            ),
            models.CheckConstraint(
                condition=Q(trigger_idle_minutes__isnull=True) | Q(trigger_idle_minutes__gt=0),
                name="configuration_idle_positive",
            ),
            models.CheckConstraint(
                condition=Q(interval_minutes__isnull=True)
                | (Q(interval_minutes__gte=1) & Q(interval_minutes__lte=1440)),
                name="configuration_interval_in_a_day",
            ),
            models.CheckConstraint(
                condition=~Q(processing_mode=ProcessingMode.SCHEDULED) | ~Q(schedule_type=""),
                name="configuration_scheduled_has_a_type",
            ),
            models.CheckConstraint(
                condition=~Q(processing_mode=ProcessingMode.TRIGGERED)
                | Q(trigger_on_new_rows=True)
                | Q(trigger_row_threshold__isnull=False)
                | Q(trigger_idle_minutes__isnull=False),
                name="configuration_triggered_has_a_trigger",
            ),
        ]

    def __str__(self) -> str:
        return self.entity.name

    @property
    def what(self) -> str:
        """Return what reports and forecasts call it."""
        return self.entity.code

    @property
    def label(self) -> str:
        """Return the name of the entity."""
        return self.entity.name

    @property
    def works_on(self) -> tuple[str, int]:
        """Return its entity, which batches work on."""
        return RunKind.BATCH, self.entity_id

    @property
    def busy(self) -> str:
        """Return the sentence for a person who would start it while its guard is held."""
        return say("A batch of {entity} is already running.", entity=self.entity.name)

    @property
    def subject(self) -> dict[str, int]:
        """Return the column of the log that says whom an event is about."""
        return {"entity_id": self.entity_id}

    def believed(self) -> dict[str, Any]:
        """Return the columns a decision was made on."""
        return super().believed() | {"processing_mode": self.processing_mode}
