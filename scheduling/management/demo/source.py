"""An external system: its own database connection, plain SQL, nothing of Django between it and the tables."""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from typing import Any

import psycopg

from scheduling.management.demo.deposit import Row, deposit
from staging.identifiers import quote, staging_table
from staging.states import ImportStatus

_KEPT_REJECTED = 500


class Source:
    """Deposits deliveries; `database` is one entry of Django's DATABASES."""

    def __init__(self, database: Mapping[str, Any]):
        self._database = database
        self._is_sqlite = str(database["ENGINE"]).endswith("sqlite3")
        self._placeholder = "?" if self._is_sqlite else "%s"

    def deliver(self, delivery: Mapping[str, Sequence[Row]]) -> int:
        """Deposit one delivery (rows by entity code) in one transaction; return the number of rows."""
        with self._transaction() as cursor:
            for code, rows in delivery.items():
                deposit(cursor, code, rows, placeholder=self._placeholder)
        return sum(len(rows) for rows in delivery.values())

    def withdraw_old_mistakes(self, code: str, *, keep: int = _KEPT_REJECTED) -> int:
        """Delete all but the newest rejected rows of an entity, so that a forgotten demo does not fill the disk.

        Return the number deleted. Retention never deletes rejected rows: they wait for a person or their source.
        """
        table, mark = quote(staging_table(code)), self._placeholder
        sql = (
            f"DELETE FROM {table} WHERE import_status = {mark} AND id < "  # noqa: S608
            f"(SELECT id FROM {table} WHERE import_status = {mark} ORDER BY id DESC LIMIT 1 OFFSET {mark})"
        )
        with self._transaction() as cursor:
            cursor.execute(sql, (ImportStatus.REJECTED.value, ImportStatus.REJECTED.value, keep - 1))
            return int(cursor.rowcount)

    @contextmanager
    def _transaction(self) -> Iterator[Any]:
        """Yield a cursor; commit at the end, close in any case."""
        with closing(self._connect()) as connection, connection:
            yield connection.cursor()

    def _connect(self) -> Any:
        """Open a connection with the database's own driver."""
        if self._is_sqlite:
            return sqlite3.connect(self._database["NAME"], timeout=20, isolation_level="IMMEDIATE")
        wanted = {"dbname": "NAME", "user": "USER", "password": "PASSWORD", "host": "HOST", "port": "PORT"}
        arguments = {ours: self._database[theirs] for ours, theirs in wanted.items() if self._database[theirs]}
        return psycopg.connect(**arguments, connect_timeout=5, application_name="demo feeder")
