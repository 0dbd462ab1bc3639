"""What counting pending rows costs beside 1,000,000 processed ones, and beside the same on an empty staging table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks._scratch import least_seconds, scratch_database, seconds

if TYPE_CHECKING:
    from staging.models import Entity

PROCESSED, PENDING, CHUNK = 1_000_000, 20, 100_000


def main() -> None:
    """Fill one staging table, then print a line for each situation."""
    with scratch_database() as vendor:
        from staging.tables.columns import pending_statistics

        empty, full, fresh = (make_entity(code) for code in ("empty", "full", "fresh"))
        fill("full", status=1)
        deposit("full")
        fill("fresh", status=0)
        execute("ANALYZE")
        execute("UPDATE stg_fresh SET import_status = 1")  # as a batch does; the database has not tidied up since
        deposit("fresh")

        def look(*entities: Entity) -> float:
            return least_seconds(lambda: pending_statistics(entities), times=50)

        empty_ms = look(empty)
        print(f"{PENDING} pending of {PROCESSED:,} rows on {vendor}; an empty table takes {empty_ms * 1000:.2f} ms\n")
        print(f"{'situation':60} {'ms':>8} {'ratio':>8}")
        show("processed long ago", look(full), empty_ms)
        show("just processed, planner still believes all are pending", look(fresh), empty_ms)
        execute("ANALYZE")
        first = seconds(lambda: pending_statistics([fresh]))
        show("just processed, the first look after ANALYZE", first, empty_ms)
        show("just processed, the next looks", look(fresh), empty_ms)
        show("all three tables in one statement", look(empty, full, fresh), empty_ms)
        assert {found.count for found in pending_statistics([full, fresh]).values()} == {PENDING}


def make_entity(code: str) -> Entity:
    """Define an entity with real tables."""
    from staging.entities.save import save_entity
    from staging.models import Attribute, Entity
    from staging.states import DataType

    entity = Entity(code=code, name=code.capitalize())
    save_entity(entity, [Attribute(name="value", data_type=DataType.INTEGER)])
    return entity


def fill(code: str, *, status: int) -> None:
    """Insert the rows as one delivery after another."""
    for start in range(0, PROCESSED, CHUNK):
        numbers = f"SELECT {start} UNION ALL SELECT n + 1 FROM numbers WHERE n < {start + CHUNK - 1}"
        execute(
            f"WITH RECURSIVE numbers (n) AS ({numbers})"
            f" INSERT INTO stg_{code} (code, name, value, import_status)"
            f" SELECT 'c' || n, 'Name ' || n, '5', {status} FROM numbers"
        )


def deposit(code: str) -> None:
    """Insert the few rows that wait."""
    for number in range(PENDING):
        execute(f"INSERT INTO stg_{code} (code, name, value) VALUES ('p{number}', 'Pending', '5')")


def execute(statement: str) -> None:
    """Send one statement."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(statement)


def show(situation: str, time: float, baseline: float) -> None:
    """Print one line."""
    print(f"{situation:60} {time * 1000:>8.2f} {time / baseline:>7.1f}x")


if __name__ == "__main__":
    main()
