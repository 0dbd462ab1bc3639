"""Keeps the counters of the log and of the batches: summed up behind a mark, and counted live after it.

Every web process reads the same database, so all of them give the same answer. What is behind the mark is never counted
again, and nothing is deleted before it was counted: a counter never falls.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Case, CharField, Count, IntegerField, QuerySet, Subquery, Sum, Value, When
from django.db.models.fields.json import KT

from scheduling import statements
from scheduling.models import Job, Plan, SchedulerLog, Tally, TallyMark
from scheduling.states import EventType, RunKind
from staging.models import Batch, Entity
from staging.models.batch import OUTCOMES
from staging.transactions import in_transaction

FIRES, SKIPS, ERRORS, ROWS, BATCH_SECONDS, CYCLE_SECONDS = (
    "fires", "skips", "errors", "rows", "batch_seconds", "cycle_seconds",
)  # fmt: skip
SCHEDULER = "scheduler"  # the kind of an event that is of no entity, job or plan

# Upper edges in seconds; what is longer than the last one falls into one more bucket.
BUCKETS = {
    BATCH_SECONDS: (0.1, 0.5, 1.0, 5.0, 15.0, 60.0, 300.0, 900.0, 3600.0, 14400.0),
    CYCLE_SECONDS: (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0),
}

# Who writes an event or the end of a batch names the moment before the commit: so long may pass between the two.
_SETTLED_AFTER = timedelta(minutes=10)
_AT_LEAST = timedelta(minutes=5)
_AT_ONCE = 200
_HELD_BACK = (EventType.SKIPPED, EventType.HELD, EventType.MISSED)
_UPSERT = (
    "INSERT INTO scheduling_tally (name, labels, count, total) VALUES {rows} ON CONFLICT (name, labels) DO UPDATE"
    " SET count = scheduling_tally.count + excluded.count, total = scheduling_tally.total + excluded.total"
)


@dataclass(frozen=True)
class Amount:
    """How often, and the sum of what was measured."""

    count: int = 0
    total: float = 0.0

    def __add__(self, other: Amount) -> Amount:
        return Amount(self.count + other.count, self.total + other.total)


Amounts = dict[tuple[str, str], Amount]  # by name and labels


def totals() -> Amounts:
    """Return every counter as of now: what is summed up, and live what ended since; four small statements."""
    stored = Tally.objects.order_by().annotate(mark=Subquery(TallyMark.objects.values("counted_before")[:1]))
    rows = list(stored.values_list("name", "labels", "count", "total", "mark"))  # with the mark, in one statement
    mark = rows[0][-1] if rows else counted_before()
    found: Amounts = {(name, labels): Amount(count, total) for name, labels, count, total, _ in rows}
    if mark is not None:
        events = SchedulerLog.objects.filter(event_time__gte=mark)
        for key, amount in _counted(events, Batch.objects.filter(finished_at__gte=mark)).items():
            found[key] = found.get(key, Amount()) + amount
    return found


def counted_before() -> datetime | None:
    """Return up to when everything is summed up; None before the first time."""
    return TallyMark.objects.filter(pk=1).values_list("counted_before", flat=True).first()


@in_transaction
def _locked_mark() -> TallyMark:
    """Return the mark, locked until the transaction ends; the first call makes it."""
    TallyMark.objects.get_or_create(pk=1)
    return TallyMark.objects.select_for_update().get(pk=1)


def tally_cycle(seconds: float) -> None:
    """Count one cycle that took so long."""
    _add({(CYCLE_SECONDS, str(bucket_of(CYCLE_SECONDS, seconds))): Amount(1, seconds)})


def settle_tallies(now: datetime, at_least: timedelta = _AT_LEAST) -> None:
    """Sum up what is old enough to be stored for certain, when that is at least so much; the first call begins."""
    stop = now - _SETTLED_AFTER
    mark = counted_before()
    if mark is not None and stop - mark < at_least:
        return
    with transaction.atomic():
        row = _locked_mark()
        begin = row.counted_before
        if begin is not None:
            if begin >= stop:
                return
            events = SchedulerLog.objects.filter(event_time__gte=begin, event_time__lt=stop)
            _add(_counted(events, Batch.objects.filter(finished_at__gte=begin, finished_at__lt=stop)))
        row.counted_before = stop
        row.save(update_fields=["counted_before"])


def tallied(before: datetime) -> datetime:
    """Return how far log events and batches older than this may be deleted: no further than they are counted."""
    return min(before, counted_before() or before)


@in_transaction
def tally_before_deletion(of: str, owner: Entity | Plan | Job) -> None:
    """Sum up what was counted live of events and batches that are about to go with what they are `of`."""
    mark = _locked_mark().counted_before
    if mark is None:
        return
    events = SchedulerLog.objects.filter(**{of: owner}, event_time__gte=mark)
    owned = Batch.objects.filter(entity=owner) if isinstance(owner, Entity) else Batch.objects.none()
    batches = owned.filter(finished_at__gte=mark)
    _add({key: amount for key, amount in _counted(events, batches).items() if key[0] != ROWS})
    if isinstance(owner, Entity):
        Tally.objects.filter(name=ROWS, labels__startswith=f"{owner.pk} ").delete()


def bucket_of(name: str, seconds: float) -> int:
    """Return the number of the bucket that a duration falls into."""
    edges = BUCKETS[name]
    return next((number for number, edge in enumerate(edges) if seconds <= edge), len(edges))


def _counted(events: QuerySet[SchedulerLog], batches: QuerySet[Batch]) -> Amounts:
    """Count these events and ended batches; three statements."""
    found: defaultdict[tuple[str, str], Amount] = defaultdict(Amount)
    for key, count in _of_events(events):
        found[key] += Amount(count)
    for row in batches.order_by().values("entity_id").annotate(**{name: Sum(name) for name in OUTCOMES}):
        for outcome in OUTCOMES:
            if row[outcome]:
                found[ROWS, f"{row['entity_id']} {outcome}"] += Amount(row[outcome])
    timed = batches.filter(duration_ms__isnull=False).order_by().annotate(bucket=_bucket())
    for row in timed.values("bucket").annotate(number=Count("pk"), took=Sum("duration_ms")):
        found[BATCH_SECONDS, str(row["bucket"])] += Amount(row["number"], row["took"] / 1000)
    return found


def _of_events(events: QuerySet[SchedulerLog]) -> list[tuple[tuple[str, str], int]]:
    """Return name, labels and number of what the log tells."""
    whose = [When(**{f"{of}__isnull": False}, then=Value(kind.value)) for of, kind in _KINDS]
    counted = events.filter(event_type__in=[EventType.FIRED, EventType.ERROR, *_HELD_BACK]).order_by()
    rows = (
        counted.annotate(of=Case(*whose, default=Value(SCHEDULER), output_field=CharField()), gate=KT("details__gate"))
        .values_list("event_type", "of", "gate")
        .annotate(number=Count("pk"))
    )
    return [(_key(kind, of, gate), number) for kind, of, gate, number in rows]


_KINDS = (("plan", RunKind.PLAN), ("job", RunKind.JOB), ("entity", RunKind.BATCH))


def _key(event: str, of: str, gate: str | None) -> tuple[str, str]:
    """Return the counter of an event; what was left out without a gate says what kept it."""
    if event in _HELD_BACK:
        without = {EventType.HELD.value: "blackout", EventType.MISSED.value: "missed"}
        return SKIPS, f"{of} {gate or without.get(event, 'overlap')}"
    return (FIRES if event == EventType.FIRED else ERRORS), of


def _bucket() -> Case:
    """Return the number of the bucket of a batch, as SQL."""
    edges = BUCKETS[BATCH_SECONDS]
    whens = [When(duration_ms__lte=int(edge * 1000), then=Value(number)) for number, edge in enumerate(edges)]
    return Case(*whens, default=Value(len(edges)), output_field=IntegerField())


def _add(amounts: Mapping[tuple[str, str], Amount]) -> None:
    """Add to the stored counters."""
    rows: list[tuple[Any, ...]] = [
        (*key, amount.count, amount.total) for key, amount in sorted(amounts.items(), key=lambda item: item[0])
    ]
    for first in range(0, len(rows), _AT_ONCE):
        some = rows[first : first + _AT_ONCE]
        marks = ", ".join(["(%s, %s, %s, %s)"] * len(some))
        statements.run(_UPSERT.format(rows=marks), *(value for row in some for value in row))
