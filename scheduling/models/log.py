"""The scheduler log: flat, append only, one row per thing that happened or did not."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from scheduling.states import EventType, GateName, Starter
from staging.wording import written


class SchedulerLog(models.Model):
    """One event. Nothing updates a row; retention deletes old ones."""

    entity = models.ForeignKey(
        "staging.Entity", on_delete=models.CASCADE, null=True, blank=True, related_name="+", db_index=False
    )
    plan = models.ForeignKey(
        "scheduling.Plan", on_delete=models.CASCADE, null=True, blank=True, related_name="+", db_index=False
    )
    job = models.ForeignKey(
        "scheduling.Job", on_delete=models.CASCADE, null=True, blank=True, related_name="+", db_index=False
    )
    event_time = models.DateTimeField()
    event_type = models.CharField(max_length=30, choices=EventType)
    trigger_source = models.CharField(max_length=200, blank=True)
    message = models.CharField(max_length=1000, blank=True)
    rows_queued = models.BigIntegerField(null=True, blank=True)
    duration_ms = models.BigIntegerField(null=True, blank=True)
    # Plain numbers, not foreign keys: a log row outlives the run and the batch it speaks of.
    batch_id = models.BigIntegerField(null=True, blank=True)
    run_id = models.BigIntegerField(null=True, blank=True)
    details = models.JSONField(default=dict, blank=True)
    # Null is in none of their indexes, and what the version before us writes has neither.
    reason = models.CharField(max_length=40, null=True, blank=True, choices=GateName)  # noqa: DJ001
    starter = models.CharField(max_length=10, null=True, blank=True, choices=Starter)  # noqa: DJ001

    class Meta:
        verbose_name = _("log event")
        verbose_name_plural = _("scheduler log")
        ordering = ["-event_time", "-id"]
        permissions = [("export_schedulerlog", "Can take events of the scheduler log away as a file")]
        indexes = [
            models.Index(fields=["-event_time", "-id"], name="log_by_time"),
            models.Index(fields=["entity", "-event_time", "-id"], name="log_by_entity"),
            models.Index(
                fields=["plan", "-event_time", "-id"], condition=models.Q(plan__isnull=False), name="log_by_plan"
            ),
            models.Index(
                fields=["job", "-event_time", "-id"], condition=models.Q(job__isnull=False), name="log_by_job"
            ),
            models.Index(fields=["event_type", "-event_time", "-id"], name="log_by_type"),
            models.Index(
                fields=["reason", "-event_time", "-id"], condition=models.Q(reason__isnull=False), name="log_by_reason"
            ),
            models.Index(
                fields=["starter", "-event_time", "-id"],
                condition=models.Q(starter__isnull=False),
                name="log_by_starter",
            ),
            # What came to nothing, for the start page: nearly all events are of a run.
            models.Index(
                fields=["event_type", "-event_time", "-id"],
                condition=models.Q(run_id__isnull=True),
                name="log_without_run",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.event_type} {written(self.event_time)}"
