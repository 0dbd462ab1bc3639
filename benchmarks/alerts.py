"""What a round of the alerts costs while 10,000 of them are open, beside cycles of the dispatcher with 1,000 entities.

Ten rules watch 1,000 entities that all failed: a round finds everything that is wrong again, and has nothing to tell.
"""

from datetime import datetime, timedelta
from itertools import count as numbers

from benchmarks._scratch import least_seconds, scratch_database, statements
from benchmarks.cycle import DUE, ENTITIES, build, set_mode

RULES = 10


def main() -> None:
    """Build entities and rules, then print a line for each cycle."""
    with scratch_database() as vendor:
        from scheduling import clock

        now = clock.now()
        build(1, ENTITIES)
        wrong(now)
        minutes = (now + timedelta(minutes=number) for number in numbers(2))
        one_round(next(minutes))
        sent = statements(lambda: one_round(next(minutes)))
        took = least_seconds(lambda: one_round(next(minutes)))
        print(f"{ENTITIES * RULES:,} alerts open on {vendor}: {sent} statements, {took * 1000:.1f} ms a round\n")
        print(f"{'cycle':44} {'cycle ms':>9} {'round/cycle':>12}")
        for mode, words in (("scheduled", "nothing due"), ("triggered", "no trigger met")):
            set_mode(mode, now)
            report(f"{words}, {ENTITIES:,} {mode}", least_seconds(lambda: cycle(now)), took)
        report(f"{DUE} due of {ENTITIES:,}", some_due(now), took)


def wrong(now: datetime) -> None:
    """Let every entity have failed, and ten rules know it."""
    from scheduling.models import Alert, AlertRule, SchedulerConfiguration

    AlertRule.objects.all().delete()
    SchedulerConfiguration.objects.update(last_result="failed", consecutive_failures=2)
    for number in range(RULES):
        AlertRule.objects.create(name=f"Rule {number}", condition="failed", number=1 + number % 2)
    one_round(now)
    assert Alert.objects.open().count() == RULES * ENTITIES


def one_round(now: datetime) -> None:
    """Go one round."""
    from scheduling.alerts.watch import go_round

    go_round(now)


def cycle(now: datetime) -> None:
    """Run one cycle."""
    from scheduling.dispatch.cycle import run_cycle

    assert run_cycle(now).ran


def some_due(now: datetime) -> float:
    """Return the seconds of a cycle that fires a hundred; the least of three, another hundred each time."""
    from scheduling.models import SchedulerConfiguration

    set_mode("scheduled", now)
    SchedulerConfiguration.objects.update(last_result="", consecutive_failures=0, backoff_until=None)
    keys = list(SchedulerConfiguration.objects.order_by("pk").values_list("pk", flat=True))
    parts = iter(range(0, ENTITIES, DUE))

    def fire() -> None:
        first = next(parts)
        chosen = SchedulerConfiguration.objects.filter(pk__in=keys[first : first + DUE])
        chosen.update(next_scheduled_run=now - timedelta(seconds=30))
        cycle(now)

    return least_seconds(fire, 3)


def report(situation: str, took: float, one: float) -> None:
    """Print one line."""
    print(f"{situation:44} {took * 1000:>9.1f} {one / took:>11.2f}x")


if __name__ == "__main__":
    main()
