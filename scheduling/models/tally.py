"""Counters that never fall: sums of what log and batches told, kept when retention deletes what they were made of."""

from django.db import models
from django.db.models import Q


class Tally(models.Model):
    """One counter: how often something happened, and the sum of what was measured then (seconds, for durations).

    `labels` are words without blanks, one blank between them: what tells this counter from others of its name.
    """

    name = models.CharField(max_length=40)
    labels = models.CharField(max_length=200, blank=True)
    count = models.BigIntegerField(default=0)
    total = models.FloatField(default=0)

    class Meta:
        ordering = ["name", "labels"]
        default_permissions = ()
        constraints = [models.UniqueConstraint(fields=["name", "labels"], name="tally_once")]

    def __str__(self) -> str:
        return f"{self.name} {self.labels}"


class TallyMark(models.Model):
    """Up to when log events and ended batches are in the tallies; one row, locked while they are added."""

    counted_before = models.DateTimeField(null=True, blank=True)

    class Meta:
        default_permissions = ()
        constraints = [models.CheckConstraint(condition=Q(id=1), name="tally_mark_is_one_row")]

    def __str__(self) -> str:
        return "Mark of the tallies"
