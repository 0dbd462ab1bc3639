"""What each condition of an alert rule means: a few statements that find everything for which it holds now."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

from django.db.models import Max, Q, QuerySet, Value

from scheduling import broker, conf
from scheduling.alerts import of_rows, of_runs, of_schedules
from scheduling.alerts.findings import Breach, Breaches, Round, Watch
from scheduling.models import AlertRule, Heartbeat
from scheduling.statements import prepared
from scheduling.states import AlertCondition
from staging.tables.landed import known_instant
from staging.wording import later


def find(rule: AlertRule, asked: Round) -> Breaches:
    """Return for what the condition of a rule holds at the moment of the round; rules that ask the same share it."""
    watch, condition = Watch(rule, asked), AlertCondition(rule.condition)
    if condition in _OF_BATCHES:
        return _FIND[condition](watch)
    return asked.once(watch.asks, lambda: _FIND[condition](watch))


def _silent(watch: Watch) -> Breaches:
    """The parts of the installation that give no sign of life, of those that once did."""
    return Breaches(_silent_parts(watch.now))


def _silent_parts(now: datetime) -> Iterator[Breach]:
    # Cycles by name: a host whose clock is off, and a worker that waits for cycles, live and run none.
    [signs] = prepared("signs of life", _last_signs)
    cycle, work = (sign and known_instant(sign) for sign in signs)
    if cycle is not None and cycle < now - conf.cycle_silence():
        yield Breach(
            "scheduler",
            later("The scheduler is silent since {at}: nothing starts by itself.", at=cycle),
            leads_to="workers",
        )
    if work is not None and work < now - conf.worker_silence():
        yield Breach(
            "workers", later("All workers are silent since {at}: what is queued waits.", at=work), leads_to="workers"
        )
    if trouble := broker.trouble():
        yield Breach("broker", later("{trouble}", trouble=trouble), leads_to="workers")


def _last_signs() -> QuerySet[Any, Any]:
    """Return the last signs of life of the cycle and of the workers: one row."""
    cycle, work = Q(name=Heartbeat.DISPATCHER), Q(kind=Heartbeat.WORKER)
    last = {"cycle": Max("seen_at", filter=cycle), "work": Max("seen_at", filter=work)}
    return Heartbeat.objects.order_by().annotate(all=Value(1)).values("all").annotate(**last).values_list(*last)


_OF_BATCHES = (AlertCondition.REJECTED, AlertCondition.VOLUME)  # found or not since the rule looked, which is its own
_FIND: dict[AlertCondition, Callable[[Watch], Breaches]] = {
    AlertCondition.FAILED: of_schedules.failed,
    AlertCondition.WARNED: of_schedules.warned,
    AlertCondition.MISSED: of_schedules.missed,
    AlertCondition.LATE: of_schedules.late,
    AlertCondition.NOTHING_COMPLETED: of_schedules.nothing_completed,
    AlertCondition.NOT_DELIVERED: of_rows.not_delivered,
    AlertCondition.REJECTED: of_rows.rejected,
    AlertCondition.HELD: of_rows.held,
    AlertCondition.LONG: of_runs.long,
    AlertCondition.PAST_DEADLINE: of_runs.past_deadline,
    AlertCondition.WAITING: of_rows.waiting,
    AlertCondition.VOLUME: of_rows.volume,
    AlertCondition.SILENT: _silent,
}
