"""Runs, their tasks and every attempt at a task; `lifecycle` is the only writer of any status here."""

from __future__ import annotations

from datetime import timedelta
from statistics import median

from django.db import models
from django.db.models import F, Q, Window
from django.db.models.functions import RowNumber

from scheduling.states import AttemptOutcome, RunKind, RunStatus, TaskStatus


def _final_has_a_time(field: str, final: list[str], name: str) -> models.CheckConstraint:
    """Return the law that a row is in a final state exactly when it has a finished time."""
    is_final = Q(**{f"{field}__in": final})
    return models.CheckConstraint(
        condition=(is_final & Q(finished_at__isnull=False)) | (~is_final & Q(finished_at__isnull=True)), name=name
    )


class RunQuerySet(models.QuerySet["Run"]):
    """Reads that rooms share."""

    def usual_durations(self, of_each: int = 20) -> dict[int, timedelta]:
        """Return the median duration of the last completed batches of each entity, by entity id; one statement.

        An entity that never completed a batch is not in it.
        """
        newest_first = Window(RowNumber(), partition_by=F("entity_id"), order_by=F("id").desc())
        completed = self.filter(
            kind=RunKind.BATCH, status=RunStatus.COMPLETED, entity__isnull=False, started_at__isnull=False
        )
        recent = completed.annotate(place=newest_first).filter(place__lte=of_each).order_by()
        found: dict[int, list[float]] = {}
        for entity_id, started, finished in recent.values_list("entity_id", "started_at", "finished_at"):
            if entity_id is not None and started is not None and finished is not None:
                found.setdefault(entity_id, []).append((finished - started).total_seconds())
        return {entity_id: timedelta(seconds=median(seconds)) for entity_id, seconds in found.items()}


class Run(models.Model):
    """One instance of a batch, a job or a plan. `fire_key` makes a slot fire once, whoever decides it."""

    kind = models.CharField(max_length=10, choices=RunKind)
    entity = models.ForeignKey("staging.Entity", on_delete=models.CASCADE, null=True, blank=True, related_name="+")
    status = models.CharField(max_length=20, choices=RunStatus, default=RunStatus.PENDING)
    fire_key = models.CharField(max_length=200, unique=True)
    scheduled_for = models.DateTimeField(null=True, blank=True, help_text="The slot, for runs that a cadence started.")
    trigger_source = models.CharField(max_length=200, blank=True)
    started_by = models.CharField(max_length=150, blank=True)
    created_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    error = models.TextField(blank=True)

    objects = RunQuerySet.as_manager()

    class Meta:
        ordering = ["-id"]
        permissions = [("cancel_run", "Can cancel a run")]
        indexes = [
            models.Index(fields=["status"], condition=~Q(status__in=RunStatus.final()), name="run_live"),
            models.Index(fields=["finished_at"], name="run_by_finish"),
        ]
        constraints = [_final_has_a_time("status", RunStatus.final(), "run_final_state_has_a_time")]

    def __str__(self) -> str:
        return f"Run {self.pk}"


class Queue(models.Model):
    """A named lane; at most `max_running` of its tasks run at any instant."""

    name = models.CharField(max_length=60, unique=True)
    max_running = models.PositiveIntegerField(default=4)

    class Meta:
        ordering = ["name"]
        constraints = [models.CheckConstraint(condition=Q(max_running__gte=1), name="queue_lets_something_run")]

    def __str__(self) -> str:
        return self.name


class Task(models.Model):
    """One piece of work of a run. The database is the truth; a message in the broker is only a wake-up."""

    run = models.ForeignKey("scheduling.Run", on_delete=models.CASCADE, related_name="tasks")
    workload = models.CharField(max_length=20, choices=RunKind)
    entity = models.ForeignKey("staging.Entity", on_delete=models.CASCADE, null=True, blank=True, related_name="+")
    queue = models.ForeignKey("scheduling.Queue", on_delete=models.PROTECT, related_name="tasks")
    priority = models.SmallIntegerField(default=0)
    step_index = models.PositiveIntegerField(default=0)
    status = models.CharField(max_length=20, choices=TaskStatus, default=TaskStatus.QUEUED)
    attempts_made = models.PositiveIntegerField(default=0)
    attempts_allowed = models.PositiveIntegerField(default=1)
    next_attempt_at = models.DateTimeField(null=True, blank=True)
    cancel_requested = models.BooleanField(default=False)
    queued_at = models.DateTimeField(null=True, blank=True)
    sent_at = models.DateTimeField(null=True, blank=True, help_text="When the last wake-up was sent.")
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    rows_total = models.BigIntegerField(null=True, blank=True)
    rows_done = models.BigIntegerField(default=0)
    message = models.TextField(blank=True)

    class Meta:
        ordering = ["id"]
        indexes = [
            models.Index(
                fields=["queue", "-priority", "id"], condition=Q(status=TaskStatus.QUEUED), name="task_claimable"
            ),
            models.Index(fields=["queue"], condition=Q(status=TaskStatus.RUNNING), name="task_running"),
        ]
        constraints = [_final_has_a_time("status", TaskStatus.final(), "task_final_state_has_a_time")]

    def __str__(self) -> str:
        return f"Task {self.pk}"


class Attempt(models.Model):
    """One try of a task by one worker. Every write of the work is conditional on `token` and on `outcome` running."""

    task = models.ForeignKey("scheduling.Task", on_delete=models.CASCADE, related_name="attempts")
    number = models.PositiveIntegerField()
    worker = models.CharField(max_length=200)
    token = models.UUIDField(unique=True)
    claimed_at = models.DateTimeField()
    heartbeat_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True, blank=True)
    outcome = models.CharField(max_length=20, choices=AttemptOutcome, default=AttemptOutcome.RUNNING)
    message = models.TextField(blank=True)

    class Meta:
        ordering = ["task", "number"]
        indexes = [
            models.Index(fields=["heartbeat_at"], condition=Q(outcome=AttemptOutcome.RUNNING), name="attempt_alive")
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
        return f"Attempt {self.number} of task {self.task_id}"
