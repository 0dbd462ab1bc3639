"""A database of its own for a benchmark, migrated, and gone afterwards; DATABASE_URL chooses the kind."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter


def setup() -> None:
    """Make Django ready; enough for what needs no database."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    os.environ["CELERY_BROKER_URL"] = ""
    os.environ.setdefault("LOG_LEVEL", "WARNING")
    import django

    django.setup()


@contextmanager
def scratch_database(*, keep: bool = False) -> Iterator[str]:
    """Make the test database, yield the kind of database, drop it again; `keep` leaves one, and takes the one left."""
    setup()
    from django.db import connection
    from django.test.utils import setup_test_environment, teardown_test_environment

    setup_test_environment()
    name = connection.settings_dict["NAME"]
    if keep:
        connection.settings_dict["TEST"]["NAME"] = _name_of_kept(connection.vendor, name)
    connection.creation.create_test_db(verbosity=0, autoclobber=True, serialize=False, keepdb=keep)
    try:
        yield connection.vendor
    finally:
        connection.creation.destroy_test_db(name, verbosity=0, keepdb=keep)
        teardown_test_environment()


def _name_of_kept(vendor: str, name: str) -> str:
    """Return a database that no test uses."""
    return f"kept_{name}" if vendor == "postgresql" else str(Path(name).with_name("kept.sqlite3"))


def vacuum(*tables: str) -> None:
    """Leave these tables, or all of them, as a server's autovacuum does by and by: a scratch database may have none."""
    from django.db import connection

    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(f"VACUUM ANALYZE {', '.join(tables)}")
        else:
            cursor.execute("ANALYZE")


def seconds(action: Callable[[], object]) -> float:
    """Return how long the action took."""
    start = perf_counter()
    action()
    return perf_counter() - start


def least_seconds(action: Callable[[], object], times: int = 15) -> float:
    """Return the least of several times, after one that does not count: what else the machine does only adds."""
    action()
    return min(seconds(action) for _ in range(times))


def statements(action: Callable[[], object]) -> int:
    """Return how many SQL statements the action sends."""
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    connection.queries_log.clear()  # a full log has as many after the action as before it
    with CaptureQueriesContext(connection) as captured:
        action()
    return len(captured)
