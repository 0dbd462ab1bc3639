"""What is counted, and stays when its sources are deleted: what ended in each hour, and counters that never fall."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from statistics import median
from typing import Any, NamedTuple

from django.db import models
from django.db.models import F, Q, Window
from django.db.models.functions import RowNumber
from django.utils.translation import gettext_lazy as _

from scheduling import statements
from scheduling.states import RunKind
from staging.sql.dialect import dialect
from staging.transactions import in_transaction
from staging.wording import say


class HourOfFigures(models.Model):
    """What ended of one job, plan or entity within one hour; an hour in which nothing ended has no row.

    `took` and `longest` are of those that completed. Hours begin at full hours UTC.
    """

    kind = models.CharField(max_length=10, choices=RunKind)
    subject = models.CharField(max_length=200, help_text=_("The id of the job or entity; the name of the plan."))
    hour = models.DateTimeField()
    completed = models.PositiveIntegerField(default=0)
    failed = models.PositiveIntegerField(default=0)
    cancelled = models.PositiveIntegerField(default=0)
    took = models.DurationField(default=timedelta, help_text=_("All of them together."))
    longest = models.DurationField(default=timedelta)

    class Meta:
        ordering = ["kind", "subject", "hour"]
        default_permissions = ()
        indexes = [models.Index(fields=["hour"], name="figures_by_hour")]
        constraints = [models.UniqueConstraint(fields=["kind", "subject", "hour"], name="figures_once_per_hour")]

    def __str__(self) -> str:
        return say("{kind} {subject} at {hour}", kind=self.kind, subject=self.subject, hour=self.hour)


class FiguresMark(models.Model):
    """How far the counting is; one row, locked while hours are counted.

    Everything that ended before `rolled_before` is counted in `HourOfFigures`. Of what ended before `deleted_before`
    runs may be deleted, so these hours are never counted again. Both are full hours.
    """

    rolled_before = models.DateTimeField(null=True, blank=True)
    deleted_before = models.DateTimeField(null=True, blank=True)

    class Meta:
        default_permissions = ()
        constraints = [
            models.CheckConstraint(condition=Q(id=1), name="figures_mark_is_one_row"),
            models.CheckConstraint(
                condition=Q(deleted_before__isnull=True) | Q(deleted_before__lte=F("rolled_before")),
                name="figures_counted_before_deleted",
            ),
        ]

    def __str__(self) -> str:
        return say("Mark of the figures")

    @classmethod
    @in_transaction
    def locked(cls) -> FiguresMark:
        """Return the one row, locked until the transaction ends; the first call makes it."""
        cls.objects.get_or_create(pk=1)
        return cls.objects.select_for_update().get(pk=1)

    @classmethod
    def current(cls) -> FiguresMark:
        """Return the one row as it is; an unsaved one with nothing counted before it exists."""
        return cls.objects.filter(pk=1).first() or cls(pk=1)

    def is_deleted(self, moment: datetime) -> bool:
        """Return whether runs that ended then may be deleted."""
        return self.deleted_before is not None and moment < self.deleted_before


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


def medians(
    completed: models.QuerySet[Any], columns: Sequence[str], of_each: int, at_least: int = 1
) -> dict[tuple[Any, ...], timedelta]:
    """Return the median time from start to end of the newest rows that share the values of the columns; one statement.

    A row that was never started counts for nothing, and fewer than `at_least` say nothing.
    """
    newest_first = Window(RowNumber(), partition_by=[F(column) for column in columns], order_by=F("id").desc())
    timed = completed.filter(started_at__isnull=False, finished_at__isnull=False)
    recent = timed.annotate(place=newest_first).filter(place__lte=of_each).order_by()
    found: dict[tuple[Any, ...], list[float]] = {}
    for *owner, started, finished in recent.values_list(*columns, "started_at", "finished_at"):
        found.setdefault(tuple(owner), []).append((finished - started).total_seconds())
    enough = {owner: seconds for owner, seconds in found.items() if len(seconds) >= at_least}
    return {owner: timedelta(seconds=median(seconds)) for owner, seconds in enough.items()}


class Whose(NamedTuple):
    """Whose usual time is asked: `owners` are keys, and rows `r` of the table for which the condition holds are theirs.

    The condition is SQL, in which `o.column2` is the key; an index of its columns and the id is needed.
    """

    table: str
    condition: str
    owners: Sequence[int | str]


_NEWEST = """
SELECT {part}, o.column1, (SELECT {joined}(CAST({took} AS text), ',') FROM (
    SELECT r.started_at, r.finished_at FROM {table} r
    WHERE {condition} AND r.started_at IS NOT NULL AND r.finished_at IS NOT NULL ORDER BY r.id DESC LIMIT {of_each}
) t) FROM (VALUES {owners}) o
"""


def usual_times(asked: Sequence[Whose], of_each: int = 20) -> list[Mapping[int | str, timedelta]]:
    """Return for each that asks the median time from start to end of the newest rows, by owner; one statement for all.

    A row that was never started counts for nothing; an owner without rows is not in it. Of each owner the newest rows
    are looked up, so it does not matter how many there are; `medians` reads them all.
    """
    took, joined = dialect().microseconds.format(start="t.started_at", end="t.finished_at"), dialect().joins_texts
    parts, values = list[str](), list[int | str]()
    for part, one in enumerate(asked):
        if one.owners:
            marks = ", ".join(f"({place}, %s)" for place in range(len(one.owners)))
            parts.append(_NEWEST.format(
                part=part, joined=joined, took=took, table=one.table, condition=one.condition, of_each=of_each,
                owners=marks,
            ))  # fmt: skip
            values += one.owners
    found: list[dict[int | str, timedelta]] = [{} for _ in asked]
    for part, place, times in statements.rows(" UNION ALL ".join(parts), *values) if parts else ():
        if times:
            found[part][asked[part].owners[place]] = _median(times.split(","))
    return list(found)


def _median(microseconds: Iterable[str]) -> timedelta:
    return timedelta(microseconds=median(map(int, microseconds)))
