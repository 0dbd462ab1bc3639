"""The metrics by their public names, as Prometheus reads them; docs/operations.md lists them for people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from itertools import accumulate

from django.db.models import Count, Max, Min, Q
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric

from scheduling.metrics.tallies import (
    BATCH_SECONDS,
    BUCKETS,
    CYCLE_SECONDS,
    ERRORS,
    FIRES,
    ROWS,
    SCHEDULER,
    SKIPS,
    Amount,
    Amounts,
    totals,
)
from scheduling.models import Attempt, Heartbeat, Queue, Task
from scheduling.states import AttemptOutcome, RunKind, TaskStatus
from staging.models import Entity
from staging.tables.columns import pending_statistics
from staging.tables.landed import rejected_counts

_PREFIX = "staging_scheduler_"
_OF_SCHEDULES = (RunKind.BATCH.value, RunKind.JOB.value, RunKind.PLAN.value)
_STANDING = (TaskStatus.WAITING, TaskStatus.QUEUED, TaskStatus.RUNNING)


class Metrics:
    """Everything at one moment, read from the database when it is asked for: a registry as exporters take one."""

    def __init__(self, now: datetime):
        """Read as of `now`."""
        self._now = now

    def collect(self) -> Iterator[Metric]:
        """Yield each metric with its samples; a few statements, whatever the size of the log and of the runs."""
        found = totals()
        entities = list(Entity.objects.filter(is_cancelled=False).order_by("code"))
        yield _histogram(CYCLE_SECONDS, "How long cycles of the dispatcher took.", found)
        yield _histogram(BATCH_SECONDS, "How long batches took, by their end.", found)
        yield _counter(FIRES, "Runs that schedules and people started.", ["kind"], found, _OF_SCHEDULES)
        yield _counter(SKIPS, "What was due and did not start, by what kept it.", ["kind", "gate"], found)
        yield _counter(ERRORS, "Errors in the scheduler log.", ["kind"], found, (*_OF_SCHEDULES, SCHEDULER))
        yield _rows(found)
        yield from _queues(self._now)
        yield from _staged(entities)
        yield _heartbeats(self._now)


def _histogram(name: str, text: str, found: Amounts) -> HistogramMetricFamily:
    edges = [*map(str, BUCKETS[name]), "+Inf"]
    amounts = [found.get((name, str(number)), Amount()) for number in range(len(edges))]
    running = accumulate(amount.count for amount in amounts)
    family = HistogramMetricFamily(_PREFIX + name, text)
    family.add_metric([], list(zip(edges, running, strict=True)), sum(amount.total for amount in amounts))
    return family


def _counter(
    name: str, text: str, labels: Sequence[str], found: Amounts, always: Iterable[str] = ()
) -> CounterMetricFamily:
    """Return a counter by its labels; those that are `always` there begin with zero, so that the first one shows."""
    family = CounterMetricFamily(_PREFIX + name, text, labels=labels)
    counts = dict.fromkeys(always, 0) | {key: amount.count for (of, key), amount in found.items() if of == name}
    for key, count in sorted(counts.items()):
        family.add_metric(key.split(" "), count)
    return family


def _rows(found: Amounts) -> CounterMetricFamily:
    """Return what became of the rows of ended batches; of entities that exist."""
    family = CounterMetricFamily(f"{_PREFIX}{ROWS}", "Rows by what became of them.", labels=["entity", "outcome"])
    codes = {str(pk): code for pk, code in Entity.objects.values_list("pk", "code")}
    for (name, labels), amount in sorted(found.items()):
        if name == ROWS and (code := codes.get(labels.split(" ")[0])):
            family.add_metric([code, labels.split(" ")[1]], amount.count)
    return family


def _queues(now: datetime) -> Iterator[GaugeMetricFamily]:
    """Yield how many tasks stand in each queue, and for how long the oldest of those that could start has waited."""
    in_line = Q(status=TaskStatus.QUEUED, next_attempt_at__isnull=True)
    live = Task.objects.exclude(status__in=TaskStatus.final()).order_by().values("queue_id", "status")
    rows = {
        (row["queue_id"], row["status"]): row
        for row in live.annotate(n=Count("pk"), since=Min("queued_at", filter=in_line))
    }
    tasks = GaugeMetricFamily(f"{_PREFIX}queue_tasks", "Tasks that have not ended.", labels=["queue", "status"])
    oldest = GaugeMetricFamily(
        f"{_PREFIX}queue_oldest_seconds", "How long the oldest waits that could start.", labels=["queue"]
    )
    for pk, name in Queue.objects.order_by("name").values_list("pk", "name"):
        for status in _STANDING:
            tasks.add_metric([name, status.value], rows.get((pk, status.value), {"n": 0})["n"])
        since = rows.get((pk, TaskStatus.QUEUED.value), {"since": None})["since"]
        oldest.add_metric([name], _age(since, now) if since else 0)
    yield tasks
    yield oldest


def _staged(entities: list[Entity]) -> Iterator[GaugeMetricFamily]:
    """Yield what waits in staging and what was rejected; an entity whose table cannot be read has no sample."""
    pending = GaugeMetricFamily(f"{_PREFIX}pending_rows", "Staged rows that wait for a batch.", labels=["entity"])
    rejected = GaugeMetricFamily(f"{_PREFIX}rejected_rows", "Staged rows that were rejected.", labels=["entity"])
    waiting, refused = pending_statistics(entities), rejected_counts(entities)
    for entity in entities:
        if not waiting[entity.pk].error:
            pending.add_metric([entity.code], waiting[entity.pk].count)
        if (count := refused[entity.pk]) is not None:
            rejected.add_metric([entity.code], count)
    yield pending
    yield rejected


def _heartbeats(now: datetime) -> GaugeMetricFamily:
    """Return the age of the last sign of life: of the dispatcher, the worker seen last, the most silent attempt."""
    running = Attempt.objects.filter(outcome=AttemptOutcome.RUNNING)
    seen = {
        "dispatcher": Heartbeat.objects.filter(name=Heartbeat.DISPATCHER).aggregate(at=Max("seen_at"))["at"],
        "worker": Heartbeat.objects.filter(kind=Heartbeat.WORKER).aggregate(at=Max("seen_at"))["at"],
        "attempt": running.aggregate(at=Min("heartbeat_at"))["at"],
    }
    family = GaugeMetricFamily(f"{_PREFIX}heartbeat_age_seconds", "How old the last sign of life is.", labels=["kind"])
    for kind, at in seen.items():
        if at is not None:
            family.add_metric([kind], _age(at, now))
    return family


def _age(since: datetime, now: datetime) -> float:
    return max((now - since).total_seconds(), 0.0)
