"""The database of a process of the suite: a copy of one that is migrated once, and left as it was by every test."""

import fcntl
import hashlib
import shutil
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.db import connection, transaction

from staging.identifiers import quote

ROOT = Path(__file__).resolve().parent.parent
# What decides how a migrated database looks: its tables, its permissions, its roles.
_DECIDES = ("*/migrations/*.py", "*/models/*.py", "*/roles.py", "*/signals.py", "requirements.txt", "tests/database.py")
_FILES = ("", "-wal", "-shm")
# What tests commit need not outlive a power cut: processes die in them, the server does not.
NOT_LASTING = "synchronous_commit TO off"


@contextmanager
def of_this_process() -> Iterator[None]:
    """Give this process a database of its own, copied from the template; take it away at the end.

    The template is migrated when there is none for the models and migrations of this checkout; other processes that
    begin at the same time wait for it.
    """
    before, name = connection.settings_dict["NAME"], connection.creation._get_test_db_name()
    copy, drop = (_copy_file, _drop_file) if connection.vendor == "sqlite" else (_copy_database, _drop_database)
    with alone():
        drop(name)
        copy(name)
    _use(name)
    try:
        yield
    finally:
        _use(before)
        drop(name)


@contextmanager
def alone() -> Iterator[None]:
    """Let one process at a time look for a template, and make it."""
    (ROOT / "var").mkdir(exist_ok=True)
    with (ROOT / "var" / "test-template.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _use(name: str) -> None:
    """Connect to this database from now on."""
    connection.close()
    settings.DATABASES["default"]["NAME"] = connection.settings_dict["NAME"] = name


def fingerprint() -> str:
    """Return what tells the template of this checkout from one of another."""
    files = sorted(path for pattern in _DECIDES for path in ROOT.glob(pattern))
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()[:12]


def _migrate(name: str) -> None:
    """Make the template: an empty database with everything `migrate` puts into it."""
    _use(name)
    call_command("migrate", verbosity=0, interactive=False)
    connection.close()


# --- SQLite: files ---------------------------------------------------------------------------------------------------


def _copy_file(name: str) -> None:
    template = ROOT / "var" / f"test-template-{fingerprint()}.sqlite3"
    if not template.exists():
        for old in template.parent.glob("test-template-*.sqlite3*"):
            old.unlink()
        _migrate(f"{template}.new")
        Path(f"{template}.new").rename(template)  # closed by its last reader: its log is in the file
    shutil.copy(template, name)


def _drop_file(name: str) -> None:
    for suffix in _FILES:
        Path(name + suffix).unlink(missing_ok=True)


# --- PostgreSQL: databases -------------------------------------------------------------------------------------------


def _copy_database(name: str) -> None:
    prefix = f"{connection.settings_dict['NAME']}_template_"
    template, fresh = prefix + fingerprint(), f"{prefix}new"
    with connection._nodb_cursor() as cursor:
        cursor.execute("SELECT datname FROM pg_database WHERE starts_with(datname, %s)", [prefix])
        there = {row[0] for row in cursor.fetchall()}
    if template not in there:
        for old in there:
            _drop_database(old)
        with connection._nodb_cursor() as cursor:
            cursor.execute(f"CREATE DATABASE {quote(fresh)}")
        before = connection.settings_dict["NAME"]
        _migrate(fresh)
        _use(before)
        with connection._nodb_cursor() as cursor:
            cursor.execute(f"ALTER DATABASE {quote(fresh)} RENAME TO {quote(template)}")
    with connection._nodb_cursor() as cursor:
        cursor.execute(f"CREATE DATABASE {quote(name)} TEMPLATE {quote(template)}")
        cursor.execute(f"ALTER DATABASE {quote(name)} SET {NOT_LASTING}")


def _drop_database(name: str) -> None:
    with connection._nodb_cursor() as cursor:
        cursor.execute(f"DROP DATABASE IF EXISTS {quote(name)} WITH (FORCE)")


# --- after a test that committed --------------------------------------------------------------------------------------


class Kept:
    """What the database held before the first test; `put_back` brings it there again, touching only what differs."""

    def __init__(self) -> None:
        with connection.cursor() as cursor:
            self._tables = connection.introspection.table_names(cursor)
            self._rows = {table: _rows(cursor, table) for table in _filled(cursor, self._tables)}

    def put_back(self) -> None:
        """Drop the tables that came, empty those that were empty, and restore the rows of the others."""
        with connection.constraint_checks_disabled(), transaction.atomic(), connection.cursor() as cursor:
            for table in set(connection.introspection.table_names(cursor)) - set(self._tables):
                cursor.execute(f"DROP TABLE {quote(table)}{' CASCADE' * (connection.vendor == 'postgresql')}")
            differ = [table for table, rows in self._rows.items() if _rows(cursor, table) != rows]
            empty = [table for table in self._tables if table not in self._rows]
            for table in [*_filled(cursor, empty), *differ]:
                cursor.execute(f"DELETE FROM {quote(table)}")
            for table in differ:
                _insert(cursor, table, self._rows[table])


def _filled(cursor: Any, tables: list[str]) -> list[str]:
    """Return which of these tables hold a row."""
    looks = (f"SELECT '{table}' WHERE EXISTS (SELECT 1 FROM {quote(table)})" for table in tables)
    cursor.execute(" UNION ALL ".join(looks))
    return [row[0] for row in cursor.fetchall()]


def _rows(cursor: Any, table: str) -> Counter[tuple[Any, ...]]:
    cursor.execute(f"SELECT * FROM {quote(table)}")
    return Counter(cursor.fetchall())


def _insert(cursor: Any, table: str, rows: Counter[tuple[Any, ...]]) -> None:
    values = list(rows)
    places = ", ".join(["%s"] * len(values[0]))
    override = " OVERRIDING SYSTEM VALUE" * (connection.vendor == "postgresql")
    cursor.executemany(f"INSERT INTO {quote(table)}{override} VALUES ({places})", values)
