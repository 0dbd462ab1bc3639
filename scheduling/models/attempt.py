"""Every attempt at a task, and what it said meanwhile; how often a task is tried, and a run of a plan.

`lifecycle` is the only writer of any outcome here, and of when the next attempt comes.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Self, TypeVar

from django.db import models
from django.db.models import Exists, OuterRef, Q
from django.utils.translation import gettext_lazy as _

from scheduling.states import AttemptOutcome, RunStatus
from staging.wording import say

# Whether a run goes on: it has not ended, or what failed of it is tried again. This is the one place that says so.
IS_TRIED_AGAIN = Q(next_attempt_at__isnull=False)
GOES_ON = ~Q(status__in=RunStatus.final()) | IS_TRIED_AGAIN


M = TypeVar("M", bound=models.Model)


class TriedQuerySet(models.QuerySet[M]):
    """Reads of runs by whether they go on."""

    def going_on(self) -> Self:
        """Return those that have not ended, or of which what failed is tried again; each half through its index."""
        every = self.model._default_manager.order_by().values("pk")
        live = every.filter(finished_at__isnull=True)  # which a law of the table makes the same as no final state
        return self.filter(pk__in=live.union(every.filter(IS_TRIED_AGAIN), all=True))

    def over(self) -> Self:
        """Return those that have ended and of which nothing is tried again."""
        return self.exclude(GOES_ON)

    def waiting(self) -> Self:
        """Return those that failed and wait for the next attempt of their plan."""
        return self.filter(IS_TRIED_AGAIN)

    def still_failed(self) -> Self:
        """Return those whose failure stands: not made good, and no further attempt of their plan came or comes."""
        next_ones = self.model._default_manager.filter(restart_of=OuterRef("pk"), attempt_number__gt=1).order_by()
        next_ones = next_ones.exclude(is_partial=True)
        failed = self.filter(status=RunStatus.FAILED, made_good_by__isnull=True, next_attempt_at__isnull=True)
        return failed.filter(~Exists(next_ones))


class TaskTries(models.Model):
    """How often a task was tried and may be, when it is next, and whether it runs whatever stands before it."""

    attempts_made = models.PositiveIntegerField(default=0)
    attempts_allowed = models.PositiveIntegerField(default=1)
    attempts_ordered = models.PositiveIntegerField(
        null=True, blank=True, editable=False,
        help_text=_("How many a round of attempts has; more come by a person, or for those that were interrupted."),
    )  # fmt: skip
    retry_interval_seconds = models.PositiveIntegerField(default=60)
    retry_backoff = models.BooleanField(default=False)
    retry_on = models.JSONField(default=list, blank=True, help_text=_("Error classes that are retried; empty: all."))
    next_attempt_at = models.DateTimeField(null=True, blank=True, help_text=_("Not in line before this moment."))
    runs_anyway = models.BooleanField(
        default=False, db_default=False, editable=False,
        help_text=_("A person lets it run, whatever it waits for and whatever it asks about others."),
    )  # fmt: skip
    is_fatal = models.BooleanField(
        default=False, db_default=False, editable=False, help_text=_("Its work said that trying again is pointless.")
    )

    class Meta:
        abstract = True


class RunTries(models.Model):
    """Which attempt of its plan a run is, how many there may be, and when the next one comes.

    Each attempt is a run of its own, which restarts what failed of the one before. Of all these columns the database
    has the default, too: the version before stores runs beside us during an upgrade.
    """

    attempt_number = models.PositiveSmallIntegerField(
        default=1, db_default=1, editable=False, help_text=_("Which attempt of its plan it is.")
    )
    attempts_allowed = models.PositiveSmallIntegerField(
        default=1, db_default=1, editable=False, help_text=_("How often its plan is tried in all.")
    )
    retry_interval_seconds = models.PositiveIntegerField(default=0, db_default=0, editable=False)
    retry_backoff = models.BooleanField(default=False, db_default=False, editable=False)
    next_attempt_at = models.DateTimeField(
        null=True, blank=True, editable=False, help_text=_("It failed; from when on what failed is tried again.")
    )

    class Meta:
        abstract = True

    @property
    def goes_on(self) -> bool:
        """Return whether it has not ended, or what failed of it is tried again: GOES_ON, of one that was read."""
        return self.status not in RunStatus.final() or self.next_attempt_at is not None  # type: ignore[attr-defined]

    @property
    def has_attempts(self) -> bool:
        """Return whether its plan is tried more than once."""
        return self.attempts_allowed > 1

    def tries_of_the_next(self) -> dict[str, Any]:
        """Return these columns of the run that is the next attempt."""
        return {
            "attempt_number": self.attempt_number + 1,
            "attempts_allowed": self.attempts_allowed,
            "retry_interval_seconds": self.retry_interval_seconds,
            "retry_backoff": self.retry_backoff,
        }

    def attempts_document(self) -> dict[str, int | str | None]:
        """Return what programs read of it, beside its other columns."""
        at: datetime | None = self.next_attempt_at
        return {
            "attempt": self.attempt_number,
            "attempts_allowed": self.attempts_allowed,
            "next_attempt_at": at.isoformat() if at else None,
        }


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
