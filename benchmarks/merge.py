"""Measures a whole batch beside a trusted upsert of the same rows on the same database, in the same run.

    python -m benchmarks.merge [--rows 1000000] [--repeat 1] [--history]

DATABASE_URL chooses the server; a database (or file) of its own is created and dropped. Half of the staged rows
update, 40 % insert, 5 % change nothing, 5 % are bad in every way; they come in no order, which is the hardest case.
The *trusted upsert* is one INSERT ... SELECT ... ON CONFLICT DO UPDATE with plain casts of the good rows only: no
validation, no marking. On PostgreSQL it is measured twice: into a table as PostgreSQL makes it, which is what people
have, and into one that leaves room on its pages (fillfactor 70), which is part of our design and helps both ways.
Targets: at most 1.25 times its time on PostgreSQL, 1.5 times on SQLite, with history 1.6 times; the worker's memory
does not grow with the rows.
"""

import argparse
import os
import resource
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from threading import Event, Thread
from time import perf_counter

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
os.environ.setdefault("SECRET_KEY", "only-for-benchmarks-" + "0123456789" * 4)
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "scheduler_project.settings")
OWN_DATABASE = f"bench_merge_{os.getpid()}"
NOW = datetime(2026, 1, 1, tzinfo=UTC)
TARGETS = {True: 1.25, False: 1.5}  # on PostgreSQL, on SQLite
TARGET_WITH_HISTORY = 1.6
REGIONS = 1_000

# The staged text of member number n at version v of its values; an update differs from what is stored in four columns.
STAGED = {
    "label": "'Item ' || n || ' v' || v",
    "grade": "CASE n % 3 WHEN 0 THEN 'gold' WHEN 1 THEN 'silver' ELSE 'bronze' END",
    "quantity": "CAST((n + v) % 5000 AS text)",
    "price": "(n % 1000) || '.' || ((n + v) % 9 + 1)",
    "is_open": "CASE n % 2 WHEN 0 THEN 'yes' ELSE 'no' END",
    "since": "(1990 + n % 30) || '-0' || (1 + n % 9) || '-1' || (n % 10)",
    "seen_at": "(2000 + n % 20) || '-0' || (1 + n % 9) || '-1' || (n % 10) || 'T1' || ((n + v) % 10) || ':30:00'",
    "region": "'R' || (n % 1000)",
}
# What is wrong with the bad rows: one thing each.
BAD = {
    "code": "CASE k % 12 WHEN 0 THEN NULL WHEN 1 THEN 'twice' || (k / 24) ELSE {good} END",
    "label": "CASE k % 12 WHEN 2 THEN NULL ELSE {good} END",
    "grade": "CASE k % 12 WHEN 3 THEN 'copper' ELSE {good} END",
    "quantity": "CASE k % 12 WHEN 4 THEN '12a' WHEN 5 THEN '-1' WHEN 6 THEN '99999999999999999999' ELSE {good} END",
    "price": "CASE k % 12 WHEN 7 THEN '1,50' ELSE {good} END",
    "is_open": "CASE k % 12 WHEN 8 THEN 'perhaps' ELSE {good} END",
    "since": "CASE k % 12 WHEN 9 THEN '2023-02-30' ELSE {good} END",
    "seen_at": "CASE k % 12 WHEN 10 THEN '2023-02-28T25:00' ELSE {good} END",
    "region": "CASE k % 12 WHEN 11 THEN 'nowhere' ELSE {good} END",
}
# Of twenty staged rows ten update, one changes nothing, one is bad, eight are new; they come mixed and in no order.
KIND = "CASE WHEN i % 20 < 10 THEN 'update' WHEN i % 20 = 10 THEN 'same' WHEN i % 20 = 11 THEN 'bad' ELSE 'new' END"
STRIDE = 982_451_653  # a prime: i * STRIDE modulo the rows visits every member once


def main() -> None:
    """Build the data, run both, print the times, the ratio and the memory."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--rows", type=int, default=1_000_000)
    options.add_argument("--repeat", type=int, default=1)
    options.add_argument("--history", action="store_true", help="keep what members were before each change")
    chosen = options.parse_args()
    with own_database():
        define(keep_history=chosen.history)
        for _ in range(chosen.repeat):
            measure(chosen.rows, history=chosen.history)


def measure(rows: int, *, history: bool = False) -> None:
    """Run the trusted upsert, on each layout there is, and then our batch; print the times and the ratios."""
    trusted = {}
    if is_postgresql():
        run("ALTER TABLE mdm_trusted RESET (fillfactor)")
        fill(rows)
        trusted["trusted upsert"] = timed(trusted_upsert)
        run("ALTER TABLE mdm_trusted SET (fillfactor = 70)")
    fill(rows)
    label = "the same, with room on its pages" if trusted else "trusted upsert"
    trusted[label] = timed(trusted_upsert)
    settle()
    with memory() as used:
        batch, ours = timed_batch()
    report(rows, trusted, ours, used, batch, TARGET_WITH_HISTORY if history else TARGETS[is_postgresql()])


@contextmanager
def own_database() -> Iterator[None]:
    """Create a database for this run, and drop it whatever happens."""
    import environ

    url = environ.Env().db("DATABASE_URL", default="sqlite:///var/any.sqlite3")
    if url["ENGINE"].endswith("sqlite3"):
        path = ROOT / "var" / f"{OWN_DATABASE}.sqlite3"
        os.environ["DATABASE_URL"] = f"sqlite:///{path}"
        try:
            migrated()
            yield
        finally:
            for leftover in path.parent.glob(f"{path.name}*"):
                leftover.unlink()
        return
    import psycopg

    server = os.environ["DATABASE_URL"]
    maintenance = f"{server.rsplit('/', 1)[0]}/postgres"
    with psycopg.connect(maintenance, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {OWN_DATABASE}")
    os.environ["DATABASE_URL"] = f"{server.rsplit('/', 1)[0]}/{OWN_DATABASE}"
    try:
        migrated()
        yield
    finally:
        from django.db import connections

        connections.close_all()
        with psycopg.connect(maintenance, autocommit=True) as connection:
            connection.execute(f"DROP DATABASE {OWN_DATABASE} WITH (FORCE)")


def migrated() -> None:
    """Start Django on the new database and create its tables."""
    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", verbosity=0)


def define(*, keep_history: bool = False) -> None:
    """Define two equal entities, one for each way, and the one they refer to; history is for ours alone."""
    from staging.models import Attribute, Entity
    from staging.tables.alter import sync_tables

    region = Entity.objects.create(code="region", name="Region")
    sync_tables(region)
    for code in ("trusted", "ours"):
        entity = Entity.objects.create(code=code, name=code, keep_history=keep_history and code == "ours")
        for position, (name, kind, rules) in enumerate(
            [
                ("label", "text", {"required": True, "max_length": 80}),
                ("grade", "text", {"choices": ["gold", "silver", "bronze"]}),
                ("quantity", "integer", {"min_value": "0", "max_value": "5000"}),
                ("price", "decimal", {}),
                ("is_open", "boolean", {}),
                ("since", "date", {}),
                ("seen_at", "datetime", {}),
                ("region", "reference", {"reference": region}),
            ]
        ):
            Attribute.objects.create(entity=entity, name=name, data_type=kind, position=position, **rules)
        sync_tables(entity)
    run("INSERT INTO mdm_region (code) SELECT 'R' || n FROM " + numbers(0, REGIONS - 1))


def fill(rows: int, *, trusted_bad: bool = False) -> None:
    """Give both ways the same production rows and the same staged rows; the bad ones only to ours unless asked."""
    stored = f"SELECT n, 0 AS v FROM {numbers(0, rows - 1)}"
    kind = KIND.replace("i %", "n %")
    delivered = (
        f"SELECT kind, i / 20 AS k, i * {STRIDE} % {rows}"
        f" + CASE WHEN kind IN ('new', 'bad') THEN {rows} ELSE 0 END AS n,"
        " CASE WHEN kind = 'same' THEN 0 ELSE 1 END AS v"
        f" FROM (SELECT n AS i, {kind} AS kind FROM {numbers(0, rows - 1)}) AS mixed"
    )
    good = f"SELECT * FROM ({delivered}) AS d WHERE kind <> 'bad'"
    for code in ("trusted", "ours"):
        run(f"DELETE FROM mdm_{code}")
        run(f"DELETE FROM stg_{code}")
        run(f"INSERT INTO mdm_{code} ({production_columns()}) {typed(f'({staged_rows(stored)}) s')}")
    columns = f"code, name, {', '.join(STAGED)}"
    run(f"INSERT INTO stg_trusted ({columns}) {staged_rows(delivered if trusted_bad else good, bad=trusted_bad)}")
    run(f"INSERT INTO stg_ours ({columns}) {staged_rows(delivered, bad=True)}")
    settle()


def staged_rows(source: str, *, bad: bool = False) -> str:
    """Return the query of staged rows for members n at version v; the bad ones spoiled when asked."""
    good = {"code": "'C' || n", "name": "'Name ' || n", **STAGED}
    if bad:
        spoiled = {column: text.format(good=good[column]) for column, text in BAD.items()}
        good |= {
            column: f"CASE WHEN kind = 'bad' THEN {text} ELSE {good[column]} END" for column, text in spoiled.items()
        }
    return f"SELECT {', '.join(f'{text} AS {column}' for column, text in good.items())} FROM ({source}) AS source"


def numbers(first: int, last: int) -> str:
    """Return a table of whole numbers."""
    from django.db import connection

    if connection.vendor == "postgresql":
        return f"generate_series({first}::bigint, {last}) AS series (n)"
    query = f"WITH RECURSIVE s(n) AS (SELECT {first} UNION ALL SELECT n + 1 FROM s WHERE n < {last}) SELECT n FROM s"
    return f"({query}) AS series"


def production_columns() -> str:
    """Return the columns that a trusted upsert writes."""
    return f"code, name, {', '.join(STAGED)}"


def typed(source: str) -> str:
    """Return the query of plain casts over staged rows."""
    from django.db import connection

    if connection.vendor == "postgresql":
        casts = (
            "s.quantity::bigint, s.price::numeric, s.is_open::boolean, s.since::date, (s.seen_at || 'Z')::timestamptz"
        )
    else:
        casts = (
            "CAST(s.quantity AS INTEGER), s.price, CASE s.is_open WHEN 'yes' THEN 1 ELSE 0 END, date(s.since),"
            " strftime('%Y-%m-%d %H:%M:%f000', s.seen_at)"
        )
    good = f"SELECT s.code, s.name, s.label, s.grade, {casts}, r.id"
    return f"{good} FROM {source} JOIN mdm_region r ON r.code = s.region"


def trusted_upsert() -> None:
    """Upsert the good rows in one statement."""
    columns = ["name", *STAGED]
    changes = ", ".join(f"{column} = excluded.{column}" for column in columns)
    run(
        f"INSERT INTO mdm_trusted ({production_columns()}) {typed('stg_trusted s')} WHERE true"
        f" ON CONFLICT (code) DO UPDATE SET {changes}, updated_at = excluded.updated_at"
    )


def timed_batch() -> tuple[object, float]:
    """Process the staged rows by a batch; return it with the seconds it took."""
    from staging.batches.context import NoFence
    from staging.batches.pipeline import process
    from staging.batches.record import open_batch
    from staging.models import Entity

    batch = open_batch(Entity.objects.get(code="ours"), now=NOW)
    started = perf_counter()
    return process(batch, fence=NoFence(), now=NOW), perf_counter() - started


def timed(work: object) -> float:
    """Return how many seconds a piece of work takes, commit included."""
    from django.db import transaction

    started = perf_counter()
    with transaction.atomic():
        if os.environ["DATABASE_URL"].startswith("postgres"):
            run("SET LOCAL statement_timeout = '1h'")
            run("SET LOCAL work_mem = '128MB'")
        work()  # type: ignore[operator]
    return perf_counter() - started


def settle() -> None:
    """Let the database finish what was left behind by filling or by the other way, so that neither pays for it."""
    from django.db import connection

    from benchmarks._scratch import vacuum

    run("SET statement_timeout = '1h'" if connection.vendor == "postgresql" else "PRAGMA wal_checkpoint(TRUNCATE)")
    vacuum()
    if connection.vendor == "postgresql":
        run("CHECKPOINT")


def run(statement: str) -> None:
    """Execute one statement without parameters."""
    from django.db import connection

    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SET statement_timeout = '1h'") if not connection.in_atomic_block else None
        cursor.execute(statement)


def is_postgresql() -> bool:
    """Return which of the two databases this is."""
    from django.db import connection

    return connection.vendor == "postgresql"


@contextmanager
def memory() -> Iterator[dict[str, float]]:
    """Give a dict that holds, afterwards, the memory of this process in MiB: `before`, and the `most` it has had.

    Pages of the database file that are mapped do not count: they are the system's, which takes them back at will.
    """
    used, ended = {"before": own_memory(), "most": 0.0}, Event()

    def watch() -> None:
        while not ended.wait(0.02):
            used["most"] = max(used["most"], own_memory())

    watcher = Thread(target=watch)
    watcher.start()
    try:
        yield used
    finally:
        ended.set()
        watcher.join()


def own_memory() -> float:
    """Return the memory that belongs to this process now, in MiB; where the system does not tell, the most it had."""
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return int(status.read_text().split("RssAnon:")[1].split()[0]) / 1024


def report(
    rows: int, trusted: dict[str, float], ours: float, used: dict[str, float], batch: object, target: float
) -> None:
    """Print what was measured."""
    from django.db import connection

    from staging.models import OUTCOMES

    counts = ", ".join(f"{getattr(batch, name):,} {name}" for name in OUTCOMES if getattr(batch, name))
    print(f"{connection.vendor}, {rows:,} staged rows into {rows:,}: {counts}; {getattr(batch, 'status', '')}")
    print(f"  {'our batch':34} {ours:6.1f} s   {rows / ours:9,.0f} rows/s")
    for label, seconds in trusted.items():
        print(f"  {label:34} {seconds:6.1f} s   ours takes {ours / seconds:.2f} times as long (target {target})")
    print(f"  peak memory of the worker {used['most']:.0f} MiB, {used['before']:.0f} MiB before the batch")


if __name__ == "__main__":
    main()
