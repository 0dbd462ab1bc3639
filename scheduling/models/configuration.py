"""One entity's processing: mode, cadence, triggers, overlap guard and tracking (seed: SchedulerConfigurations)."""

from __future__ import annotations

from django.core.validators import MinValueValidator
from django.db import models
from django.db.models import Q

from scheduling.models.cadence_fields import CadenceFields
from scheduling.states import ProcessingMode


class ConfigurationQuerySet(models.QuerySet["SchedulerConfiguration"]):
    """Reads that doors and rooms share."""

    def automatic(self) -> ConfigurationQuerySet:
        """Return what a cycle looks at: enabled, scheduled or triggered, its entity not cancelled."""
        return self.filter(is_enabled=True, entity__is_cancelled=False).exclude(processing_mode=ProcessingMode.MANUAL)

    def of_entity(self, code: str) -> SchedulerConfiguration:
        """Return the configuration of the entity with this code; raises DoesNotExist."""
        return self.select_related("entity").get(entity__code=code)


class SchedulerConfiguration(CadenceFields):
    """When and whether an entity's batch runs. Changed only through `schedules` and `lifecycle`."""

    entity = models.OneToOneField("staging.Entity", on_delete=models.CASCADE, related_name="configuration")
    processing_mode = models.CharField(max_length=20, choices=ProcessingMode, default=ProcessingMode.MANUAL)

    trigger_on_new_rows = models.BooleanField(default=False)
    trigger_row_threshold = models.PositiveIntegerField(null=True, blank=True, validators=[MinValueValidator(1)])
    trigger_idle_minutes = models.PositiveIntegerField(null=True, blank=True, validators=[MinValueValidator(1)])
    trigger_debounce_seconds = models.PositiveIntegerField(default=60)
    trigger_settle_seconds = models.PositiveIntegerField(default=0)

    is_running = models.BooleanField(default=False, editable=False)
    run_started_at = models.DateTimeField(null=True, blank=True, editable=False)
    run_started_by = models.CharField(max_length=200, blank=True, editable=False)
    running_task = models.ForeignKey(
        "scheduling.Task", on_delete=models.SET_NULL, null=True, blank=True, editable=False, related_name="+"
    )

    # Counts every fire. A claim names the count it decided on, so a decision made from a stale snapshot loses.
    fire_count = models.BigIntegerField(default=0, editable=False)
    last_fired_at = models.DateTimeField(null=True, blank=True, editable=False)
    last_completed_at = models.DateTimeField(null=True, blank=True, editable=False)
    last_trigger_check = models.DateTimeField(null=True, blank=True, editable=False)
    last_result = models.CharField(max_length=20, blank=True, editable=False)
    consecutive_failures = models.PositiveIntegerField(default=0, editable=False)
    backoff_until = models.DateTimeField(null=True, blank=True, editable=False)

    objects = ConfigurationQuerySet.as_manager()

    class Meta:
        verbose_name = "scheduler configuration"
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
