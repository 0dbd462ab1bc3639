"""What a round of the alerts costs while more than 10,000 of them are open, beside cycles of the dispatcher.

A rule of each kind watches 1,000 entities or plans of which all are wrong, and reminds after a week: each round finds
everything again, and has nothing to tell. Own times are those of this process; in all of it the database works, too.

    python -m benchmarks.alerts [--entities 1000]

Target, on PostgreSQL: a round takes at most a tenth of a cycle with 1,000 configurations, by all of the time of both.
That is one that has to look at them. One with nothing due looks at none, for an index tells it so, and takes nearly as
long with a hundred: what a round is to that stands beside it without a target.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from datetime import datetime, timedelta
from itertools import count as numbers
from time import process_time
from typing import Any

from benchmarks._scratch import scratch_database, seconds, statements, vacuum
from benchmarks.cycle import ENTITIES, IN_ONE_TRANSACTION, build, set_mode

ROUNDS, TARGET = 15, 0.1
DUE_OF = 10  # each tenth is due
CHANGED = ("scheduling_plan", "scheduling_run", "scheduling_schedulerconfiguration", "scheduling_alert")
DAY, HOUR, MINUTE = timedelta(days=1), timedelta(hours=1), timedelta(minutes=1)
LIMITS: dict[str, dict[str, Any]] = {"nothing_completed": {"minutes": 60}, "waiting": {"minutes": 60}}


def main() -> None:
    """Build what is wrong and the rules, then print a line for each kind of rule and for each cycle."""
    options = argparse.ArgumentParser()
    options.add_argument("--entities", type=int, default=ENTITIES)
    entities: int = options.parse_args().entities
    with scratch_database() as vendor:
        from scheduling import clock

        now = clock.now().replace(hour=12, minute=0, second=0, microsecond=0) - DAY  # no midnight comes in between
        build(1, entities)
        wrong(now)
        minutes = (now + number * MINUTE for number in numbers(1))
        number = open_alerts(next(minutes))
        print(f"{number:,} alerts open on {vendor}; times are the least of {ROUNDS}\n")
        print(f"{'a look of one rule':24} {'statements':>10} {'own ms':>8} {'all ms':>8}")
        each_kind(next(minutes))

        def before() -> None:
            as_for_alerts(now)
            tidy()
            one_round(next(minutes))

        rounds = Side(before, lambda: one_round(next(minutes)))
        beside(rounds, now, entities)
        sent = statements(rounds.act)
        print(f"\na round of all rules: {sent} statements, {rounds.own * 1000:.1f} ms own, {rounds.all * 1000:.1f} ms")
        for number in (1, entities // DUE_OF):

            def prepare(number: int = number) -> None:
                more_failures(now, number)

            changed = Side(prepare, lambda: one_round(next(minutes)))
            for _ in range(ROUNDS):
                changed.once()
            print(f"with {number} more failures: {changed.own * 1000:.1f} ms own, {changed.all * 1000:.1f} ms")


class Side:
    """One side of a comparison: what comes before it, and the least of its times, its own and all of them."""

    def __init__(self, prepare: Callable[[], object], act: Callable[[], object]):
        self._prepare, self.act = prepare, act
        self.own = self.all = float("inf")

    def once(self) -> None:
        """Do it once more."""
        self._prepare()
        begin = process_time()
        took = seconds(self.act)
        self.own, self.all = min(self.own, process_time() - begin), min(self.all, took)


def wrong(now: datetime) -> None:
    """Let everything be wrong in every way, and a rule of each kind know it."""
    from scheduling.models import AlertRule, Plan, SchedulerConfiguration, SchedulerLog
    from scheduling.states import AlertCondition, EventType
    from staging.models import Entity

    entities = list(Entity.objects.order_by("pk"))
    SchedulerConfiguration.objects.update(last_result="failed", consecutive_failures=2)
    SchedulerLog.objects.bulk_create(
        SchedulerLog(entity=entity, event_type=EventType.MISSED, event_time=now - HOUR) for entity in entities
    )
    schedule = {"schedule_type": "daily", "run_times": "06:00", "next_scheduled_run": now - HOUR}
    Plan.objects.bulk_create(
        Plan(name=f"Plan {number}", **schedule, armed_from=now - 3 * DAY, last_completed_at=now - 2 * DAY,
             last_result="completed", last_warnings=1)
        for number in range(len(entities))
    )  # fmt: skip
    runs(entities, now)
    batches(entities, now)
    rows(entities, now)
    AlertRule.objects.all().delete()
    for condition in AlertCondition:
        limits = {"at": now.replace(hour=0).time()} if condition == "not_delivered" else LIMITS.get(condition, {})
        AlertRule.objects.create(name=condition, condition=condition, remind_every_minutes=10_080, **limits)
    as_for_alerts(now)
    tidy(all_tables=True)


def runs(entities: list[Any], now: datetime) -> None:
    """Let each entity have a run that takes an hour and was to be done long ago, and five that took a minute."""
    from scheduling.models import Run

    done = {"kind": "batch", "status": "completed", "created_at": now - DAY}
    Run.objects.bulk_create(
        Run(entity=entity, fire_key=f"{'live' if number == 5 else number}:{entity.pk}", **done,
            started_at=now - HOUR if number == 5 else now - DAY, finished_at=now - DAY + MINUTE,
            deadline_at=now - HOUR if number == 5 else None)
        for number in range(6) for entity in entities
    )  # fmt: skip


def batches(entities: list[Any], now: datetime) -> None:
    """Let each entity have a held batch, and a last delivery that is far from usual and half of it rejected."""
    from staging.models import Batch

    done = {"status": "completed", "created_at": now - HOUR, "finished_at": now - HOUR}
    Batch.objects.bulk_create(
        Batch(entity=entity, rows_total=100 if number == 5 else 1000, rejected=50 if number == 5 else 0, **done)
        for number in range(6) for entity in entities
    )  # fmt: skip
    Batch.objects.bulk_create(Batch(entity=entity, status="held", created_at=now - HOUR) for entity in entities)


def rows(entities: list[Any], now: datetime) -> None:
    """Let a row of each entity wait since two days."""
    from django.db import connection, transaction

    from staging.identifiers import quote, staging_table

    for first in range(0, len(entities), IN_ONE_TRANSACTION):
        with transaction.atomic(), connection.cursor() as cursor:
            for entity in entities[first : first + IN_ONE_TRANSACTION]:
                table = quote(staging_table(entity.code))
                cursor.execute(f"INSERT INTO {table} (code, created_at) VALUES ('a', %s)", [now - 2 * DAY])


def tidy(*, all_tables: bool = False) -> None:
    """Leave the tables that change here as autovacuum does; SQLite has none, and nobody analyzes it."""
    from django.db import connection

    if connection.vendor == "postgresql":
        vacuum(*(() if all_tables else CHANGED))


def as_for_alerts(now: datetime) -> None:
    """Let plans be late, runs be under way and the scheduler be silent: a cycle would mend all that."""
    from scheduling.models import Heartbeat, Plan, Run

    Plan.objects.update(is_enabled=True)
    Run.objects.filter(fire_key__startswith="live:").update(status="running", finished_at=None)
    Heartbeat.note(Heartbeat.DISPATCHER, Heartbeat.DISPATCHER, now - DAY)


def as_for_cycle(now: datetime) -> None:
    """Let nothing be there for a cycle but its configurations."""
    from scheduling.models import Plan, Run

    Plan.objects.update(is_enabled=False)
    Run.objects.filter(fire_key__startswith="live:").update(status="completed", finished_at=now)


def more_failures(now: datetime, number: int) -> None:
    """Let the first of the entities have failed once more than before."""
    from django.db.models import F

    from scheduling.models import SchedulerConfiguration

    as_for_alerts(now)
    first = SchedulerConfiguration.objects.order_by("pk").values_list("pk", flat=True)[:number]
    SchedulerConfiguration.objects.filter(pk__in=list(first)).update(consecutive_failures=F("consecutive_failures") + 1)


def open_alerts(now: datetime) -> int:
    """Go the first round; return how many alerts are open, of every kind of rule."""
    from scheduling.models import Alert, AlertRule

    one_round(now)
    missing = AlertRule.objects.exclude(pk__in=Alert.objects.open().values("rule"))
    assert not missing.exists(), list(missing)
    return Alert.objects.open().count()


def each_kind(now: datetime) -> None:
    """Print what a look of each kind of rule costs by itself."""
    from scheduling.alerts.conditions import find
    from scheduling.alerts.findings import Round
    from scheduling.models import AlertRule

    for rule in AlertRule.objects.prefetch_related("entities", "plans", "jobs"):

        def look(rule: AlertRule = rule) -> None:
            assert find(rule, Round(now)).is_as_before(rule.fingerprint), rule

        side = Side(lambda: None, look)
        sent = statements(look)
        for _ in range(ROUNDS):
            side.once()
        print(f"{rule.name:24} {sent:>10} {side.own * 1000:>8.1f} {side.all * 1000:>8.1f}")


def beside(rounds: Side, now: datetime, entities: int) -> None:
    """Print a line for each cycle, which takes turns with the rounds."""
    print(f"\n{'cycle':34} {'own ms':>8} {'all ms':>8} {'round/cycle: own':>17} {'all':>6} {'target':>7}")
    looks_at_none = f"nothing due, {entities:,} scheduled"
    situations: dict[str, Callable[[], object]] = {
        looks_at_none: lambda: set_mode("scheduled", now),
        f"no trigger met, {entities:,} triggered": lambda: set_mode("triggered", now),
        f"{entities // DUE_OF:,} due of {entities:,}": Due(now, entities // DUE_OF).next,
        f"all {entities:,} due": Due(now, entities, late=MINUTE).next,
    }
    often = {f"{entities // DUE_OF:,} due of {entities:,}": DUE_OF, f"all {entities:,} due": 1}
    for situation, prepare in situations.items():

        def before(prepare: Callable[[], object] = prepare) -> None:
            as_for_cycle(now)
            set_mode("scheduled", now)
            tidy()
            cycle(now)
            prepare()

        cycles = Side(before, lambda: cycle(now))
        for _ in range(often.get(situation, ROUNDS)):
            cycles.once()
            rounds.once()
        own, whole = rounds.own / cycles.own, rounds.all / cycles.all
        times = f"{cycles.own * 1000:>8.1f} {cycles.all * 1000:>8.1f}"
        judged = "" if situation == looks_at_none else "met" if whole <= TARGET else "missed"
        print(f"{situation:34} {times} {own:>16.2f}x {whole:>5.2f}x {judged:>7}".rstrip())


class Due:
    """Lets so many others be due each time, which have not failed, and are late by so much."""

    def __init__(self, now: datetime, number: int, late: timedelta = MINUTE / 2):
        self._now, self._number, self._late, self._first = now, number, late, 0

    def next(self) -> None:
        """Let the next ones be due."""
        from scheduling.models import SchedulerConfiguration

        if not self._first:
            set_mode("scheduled", self._now)
            free = {"is_running": False, "run_started_at": None, "run_started_by": "", "running_task": None}
            SchedulerConfiguration.objects.update(**free)
        keys = list(SchedulerConfiguration.objects.order_by("pk").values_list("pk", flat=True))
        chosen = SchedulerConfiguration.objects.filter(pk__in=keys[self._first : self._first + self._number])
        chosen.update(next_scheduled_run=self._now - self._late, backoff_until=None)
        self._first += self._number


def one_round(now: datetime) -> None:
    """Go one round."""
    from scheduling.alerts.watch import go_round

    go_round(now)


def cycle(now: datetime) -> None:
    """Run one cycle."""
    from scheduling.dispatch.cycle import run_cycle

    assert run_cycle(now).ran


if __name__ == "__main__":
    main()
