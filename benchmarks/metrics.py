"""What a scrape of /metrics costs: 1,000 entities, then beside a million runs with their tasks, batches and events.

A scrape must cost what the installation is now, and not what it has done: the two lines should be alike.
"""

from datetime import datetime, timedelta

from benchmarks._scratch import least_seconds, scratch_database, seconds, statements
from benchmarks.cycle import ENTITIES, build
from benchmarks.statistics import execute

RUNS, LIVE = 1_000_000, 10_000
_NUMBERS = "WITH RECURSIVE numbers (n) AS (SELECT {first} UNION ALL SELECT n + 1 FROM numbers WHERE n < {last})"


def main() -> None:
    """Build the entities, scrape, fill the tables of what was done, and scrape again."""
    with scratch_database() as vendor:
        from scheduling import clock
        from scheduling.metrics.tallies import settle_tallies

        now = clock.now()
        build(1, ENTITIES)
        settle_tallies(now)
        print(f"{ENTITIES:,} entities on {vendor}; times are the least of several\n")
        print(f"{'situation':60} {'statements':>10} {'ms':>8}")
        show("nothing done yet", now)
        fill(RUNS, now - timedelta(days=60), now - timedelta(hours=1))
        execute("ANALYZE")
        show(f"{RUNS:,} runs, tasks, batches and events", now)
        fill(LIVE, now - timedelta(minutes=9), now, first=RUNS + 1)
        show(f"and {LIVE:,} in the last ten minutes", now)
        settle_tallies(now, at_least=timedelta())
        took = seconds(lambda: settle_tallies(now + timedelta(hours=1)))
        print(f"\nsumming up those {LIVE:,}: {took * 1000:.0f} ms, once in five minutes")


def show(situation: str, now: datetime) -> None:
    """Print one line."""
    from prometheus_client import generate_latest

    from scheduling.metrics.families import Metrics

    def scrape() -> None:
        generate_latest(Metrics(now))

    print(f"{situation:60} {statements(scrape):>10} {least_seconds(scrape, times=5) * 1000:>8.0f}")


def fill(count: int, begin: datetime, end: datetime, *, first: int = 1) -> None:
    """Store so many ended runs, each with a task, a batch and the event of its fire, evenly from begin to end."""
    from django.db import connection

    from scheduling.models import Queue

    Queue.objects.get_or_create(name="default")
    numbers = _NUMBERS.format(first=first, last=first + count - 1)
    step = (end - begin).total_seconds() / count
    if connection.vendor == "postgresql":
        at = f"'{begin.isoformat()}'::timestamptz + (n - {first}) * interval '{step} seconds'"
    else:
        at = f"strftime('%Y-%m-%d %H:%M:%f', '{begin:%Y-%m-%d %H:%M:%S}', ((n - {first}) * {step}) || ' seconds')"
    entity = f"(SELECT min(id) FROM staging_entity) + n % {ENTITIES}"
    for table, columns, values in (
        ("scheduling_run", "id, kind, title, plans, entity_id, status, fire_key, trigger_source, started_by, error",
         f"n, 'batch', '', '[]', {entity}, 'completed', 'k' || n, '', '', ''"),
        ("staging_batch", "id, tag, entity_id, status, trigger_source, started_by, inserted, updated, unchanged,"
         " deactivated, deleted, rejected, superseded, skip_changed, hold_reason, decisions, decided_by, error,"
         " duration_ms, came_home",
         f"n, '', {entity}, 'completed', '', '', 5, 3, 0, 0, 0, 1, 0, {'false' if 'timestamptz' in at else 0}, '', '',"
         " '', '', n % 90000, 0"),
    ):  # fmt: skip
        every = f"SELECT {values}, {at}, {at} FROM numbers"
        execute(f"INSERT INTO {table} ({columns}, created_at, finished_at) {numbers} {every}")
    _fill_tasks(numbers, entity, at)
    _fill_log(numbers, entity, at)


def _fill_tasks(numbers: str, entity: str, at: str) -> None:
    """Store the task of each run."""
    false = "false" if "timestamptz" in at else "0"
    columns = (
        "id, run_id, key, workload, target_id, entity_id, arguments, queue_id, priority, turn, step_index, status,"
        " continue_on_failure, attempts_made, attempts_allowed, retry_interval_seconds, retry_backoff, retry_on,"
        " waits_for_entity, cancel_requested, rows_done, message, finished_at"
    )
    values = (
        f"n, n, 'batch', 'batch', {entity}, {entity}, '{{}}', (SELECT min(id) FROM scheduling_queue), 0, 0, 0,"
        f" 'completed', {false}, 1, 1, 60, {false}, '[]', {false}, {false}, 0, '', {at}"
    )
    execute(f"INSERT INTO scheduling_task ({columns}) {numbers} SELECT {values} FROM numbers")


def _fill_log(numbers: str, entity: str, at: str) -> None:
    """Store the event of each fire."""
    columns = "entity_id, event_time, event_type, trigger_source, message, details"
    values = f"{entity}, {at}, 'fired', '', '', '{{\"gates\": [], \"reason\": \"due\"}}'"
    execute(f"INSERT INTO scheduling_schedulerlog ({columns}) {numbers} SELECT {values} FROM numbers")


if __name__ == "__main__":
    main()
