"""Every attempt at a task, and what it said meanwhile; `lifecycle` is the only writer of any outcome here."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from scheduling.states import AttemptOutcome
from staging.wording import say


class Attempt(models.Model):
    """One try of a task by one worker. Every write of the work is conditional on `token` and on `outcome` running."""

    task = models.ForeignKey("scheduling.Task", on_delete=models.CASCADE, related_name="attempts")
    number = models.PositiveIntegerField()
    worker = models.CharField(max_length=200)
    process = models.CharField(max_length=150, blank=True, help_text=_("Which process of which machine works on it."))
    token = models.UUIDField(unique=True)
    claimed_at = models.DateTimeField()
    heartbeat_at = models.DateTimeField()
    deadline_at = models.DateTimeField(null=True, blank=True, help_text=_("When its time is up."))
    finished_at = models.DateTimeField(null=True, blank=True)
    outcome = models.CharField(max_length=20, choices=AttemptOutcome, default=AttemptOutcome.RUNNING)
    message = models.TextField(blank=True)
    message_said = models.JSONField(null=True, blank=True, editable=False)

    class Meta:
        ordering = ["task", "number"]
        indexes = [
            models.Index(fields=["heartbeat_at"], condition=Q(outcome=AttemptOutcome.RUNNING), name="attempt_alive"),
            models.Index(
                fields=["deadline_at"],
                condition=Q(outcome=AttemptOutcome.RUNNING, deadline_at__isnull=False),
                name="attempt_with_deadline",
            ),
        ]
        constraints = [
            models.UniqueConstraint(fields=["task", "number"], name="attempt_number_once_per_task"),
            models.UniqueConstraint(
                fields=["task"], condition=Q(outcome=AttemptOutcome.RUNNING), name="attempt_one_alive_per_task"
            ),
            models.CheckConstraint(
                condition=Q(outcome=AttemptOutcome.RUNNING, finished_at__isnull=True)
                | (~Q(outcome=AttemptOutcome.RUNNING) & Q(finished_at__isnull=False)),
                name="attempt_ended_has_a_time",
            ),
        ]

    def __str__(self) -> str:
        return say("Attempt {number} of task {task}", number=self.number, task=self.task_id)


class AttemptLog(models.Model):
    """What an attempt of a job said while it worked: its progress, and its log lines, of which the middle may go."""

    attempt = models.OneToOneField("scheduling.Attempt", on_delete=models.CASCADE, related_name="log")
    progress = models.CharField(max_length=200, blank=True)
    lines = models.TextField(blank=True)
    dropped = models.PositiveBigIntegerField(default=0, help_text=_("Lines that were too many to keep."))

    def __str__(self) -> str:
        return say("Log of attempt {attempt}", attempt=self.attempt_id)
