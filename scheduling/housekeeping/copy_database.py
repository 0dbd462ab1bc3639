"""Copies an SQLite installation into an empty PostgreSQL database: everything, or nothing.

Each value goes over as its text, and the column there reads it as its own type. The tables of entities are made anew
from their definitions. One transaction on the target holds it all; its constraints are checked before it ends.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg
from django.apps import apps
from django.contrib.auth.models import Group, Permission
from django.contrib.contenttypes.models import ContentType
from django.db import DatabaseError, connection, transaction
from django.db.migrations.recorder import MigrationRecorder

from scheduling.errors import CannotCopy
from scheduling.housekeeping.database_file import DatabaseFile, opened
from scheduling.models import AlertRule
from scheduling.statements import rows, run
from staging.identifiers import history_table, production_table, quote, staging_table
from staging.models import Batch, Entity, KeptPreview, Version
from staging.phrases import listed
from staging.sql.compose import fetch, name, sql
from staging.sql.dialect import dialect
from staging.sql.sqlite import SQLiteTables
from staging.states import DataType
from staging.tables.alter import sync_tables
from staging.tables.columns import Column, one_at_a_time, real_columns, real_columns_of, typed_column
from staging.tables.create import add_column, create_tables
from staging.wording import counted, one_line, say

# What `migrate` itself puts into an empty database.
_FILLED_BY_MIGRATE = (ContentType, Permission, Group, Group.permissions.through, AlertRule, Version)
# Tables that are made again when they are needed, and records that are worth nothing without theirs.
_PASSING = ("work_", "preview_")
_LEFT_OUT = (KeptPreview,)
_OF_ENTITIES = """
SELECT relname FROM pg_class WHERE relkind = 'r' AND relname ~ '^(stg|mdm|hst)_' AND pg_table_is_visible(oid)
"""
_SEQUENCES = """
SELECT t.relname, a.attname, pg_get_serial_sequence(quote_ident(t.relname), a.attname)
FROM pg_class t JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped
WHERE t.relkind = 'r' AND pg_table_is_visible(t.oid) AND t.relname = ANY(%s)
    AND pg_get_serial_sequence(quote_ident(t.relname), a.attname) IS NOT NULL
"""
_REFERENCES = """
SELECT t.relname, f.conname, pg_get_constraintdef(f.oid) FROM pg_constraint f JOIN pg_class t ON t.oid = f.conrelid
WHERE f.contype = 'f' AND pg_table_is_visible(t.oid) AND t.relname = ANY(%s) ORDER BY 1, 2
"""


@dataclass
class Copied:
    """How many rows each table has now, and which tables of the file belong to nothing of ours."""

    rows: dict[str, int] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)


def copy_database(path: Path) -> Copied:
    """Fill the empty, migrated database in use from a file of SQLite; return what was copied.

    Until the end nobody else writes to the file. Raises CannotCopy, and nothing was changed.
    """
    if dialect().of_itself([]).server is None:
        raise CannotCopy(say("DATABASE_URL has to name the PostgreSQL database that shall be filled."))
    with opened(path) as source, _told(), transaction.atomic():
        dialect().patient()
        one_at_a_time()
        _insist_on_one_version(source)
        _insist_on_nothing_there()
        copied = _copy(source)
        run("SET CONSTRAINTS ALL IMMEDIATE")
        _insist_on_equal_counts(source, copied)
    run("ANALYZE")
    return copied


@contextmanager
def _told() -> Iterator[None]:
    """Say what the target refused in one line."""
    try:
        yield
    except (DatabaseError, psycopg.Error, UnicodeError) as error:
        raise CannotCopy(say("Nothing was copied: {error}", error=one_line(error))) from error


def _insist_on_one_version(source: DatabaseFile) -> None:
    installed = {config.label for config in apps.get_app_configs()}
    here = {migration for migration in MigrationRecorder(connection).applied_migrations() if migration[0] in installed}
    there = {migration for migration in source.migrations() if migration[0] in installed}
    if differ := sorted(".".join(migration) for migration in here ^ there):
        text = say(
            "The databases are of different versions: run `migrate` with this program on both. They differ in {names}.",
            names=listed(differ[:5]),
        )
        raise CannotCopy(text)


def _insist_on_nothing_there() -> None:
    """Refuse a target in which there is more than `migrate` leaves."""
    tables = [model._meta.db_table for model in _models() if model not in _FILLED_BY_MIGRATE]
    filled = [table for table in tables if _asked("SELECT EXISTS (SELECT 1 FROM {table})", table)]
    filled += [table for (table,) in rows(_OF_ENTITIES)]
    if filled:
        text = say(
            "The database is not empty: there are {tables}. Make an empty one, run `migrate`, and start nothing on it.",
            tables=listed(filled[:5]),
        )
        raise CannotCopy(text)


def _copy(source: DatabaseFile) -> Copied:
    """Copy the records, then make the tables that they define and copy those."""
    copied, models = Copied(), [model for model in _models() if model not in _LEFT_OUT]
    records = [model._meta.db_table for model in models]
    run(f"TRUNCATE {', '.join(quote(model._meta.db_table) for model in _models())}")
    _fill(source, records, copied)
    Batch.objects.exclude(decisions="").update(decisions="", decided_by="")  # their tables are not copied
    entities = list(Entity.objects.order_by("pk"))
    for entity in entities:
        _make_tables(source, entity)
    ours = [table for entity in entities for table in _tables(entity) if table in source.columns]
    with _without_references(ours):
        _fill(source, ours, copied)
    known = {*records, *ours, *(model._meta.db_table for model in _LEFT_OUT), "django_migrations"}
    copied.left_out = sorted(t for t in source.columns if t not in known and not t.startswith(_PASSING))
    return copied


def _models() -> list[Any]:
    return [
        model for model in apps.get_models(include_auto_created=True) if model._meta.managed and not model._meta.proxy
    ]


def _asked(question: str, table: str, column: str = "id") -> Any:
    """Return the one value that a question about a table asks for."""
    return fetch(sql(question, table=name(table), column=name(column)))[0][0]


def _tables(entity: Entity) -> tuple[str, str, str]:
    return staging_table(entity.code), production_table(entity.code), history_table(entity.code)


def _make_tables(source: DatabaseFile, entity: Entity) -> None:
    """Make the tables of an entity as they are in the file: also with columns that its definition no longer has."""
    staged, typed, kept = _tables(entity)
    create_tables(entity)
    _add_columns(source, staged, {})
    cancelled = {a.name: typed_column(a) for a in entity.attributes.select_related("reference") if a.is_cancelled}
    _add_columns(source, typed, cancelled)
    sync_tables(entity)
    if real_columns(kept):
        _add_columns(source, kept, {})


def _add_columns(source: DatabaseFile, table: str, known: dict[str, Column]) -> None:
    """Add what the file's table has besides; of a type that nobody knows it is text."""
    here, types = real_columns(table), {kind: data_type for data_type, kind in _types_there()}
    for column, kind in source.columns.get(table, {}).items():
        if column not in here:
            own = dialect().stored_types[types.get(kind, DataType.TEXT)]
            add_column(table, known.get(column) or Column(column, own))


def _types_there() -> Iterator[tuple[str, str]]:
    """Yield each data type with what SQLite calls its column; of two with one name, the wider comes last."""
    yield from sorted(SQLiteTables.stored_types.items(), key=lambda item: item[0] == DataType.INTEGER)


@contextmanager
def _without_references(tables: Sequence[str]) -> Iterator[None]:
    """Let rows come in any order: references are taken away, and checked as a whole when they are put back."""
    references = rows(_REFERENCES, list(tables))
    for table, label, _ in references:
        run(f"ALTER TABLE {quote(table)} DROP CONSTRAINT {quote(label)}")
    yield
    for table, label, definition in references:
        run(f"ALTER TABLE {quote(table)} ADD CONSTRAINT {quote(label)} {definition}")


def _fill(source: DatabaseFile, tables: Sequence[str], copied: Copied) -> None:
    """Copy the rows of tables that are there, and let their numbering go on where it stood."""
    columns = real_columns_of(list(tables))
    for table in tables:
        if missing := sorted(columns[table].keys() ^ source.columns.get(table, {}).keys()):
            text = say("Table {table} differs from that of the file in {names}.", table=table, names=listed(missing))
            raise CannotCopy(text)
        types = {label: column.type for label, column in columns[table].items()}
        copied.rows[table] = _stream(table, types, source.rows(table, list(types)))
    last = source.last_ids()
    for table, column, sequence in rows(_SEQUENCES, list(tables)):
        highest = _asked("SELECT coalesce(max({column}), 0) FROM {table}", table, column)
        if number := max(highest, last.get(table, 0)):
            rows("SELECT setval(%s::regclass, %s)", sequence, number)


def _stream(table: str, types: dict[str, str], read: Iterable[tuple[Any, ...]]) -> int:
    """Write rows into a table; return how many."""
    kinds, number = list(types.values()), 0
    into = f"COPY {quote(table)} ({', '.join(map(quote, types))}) FROM STDIN"
    with connection.cursor() as cursor, cursor.cursor.copy(into) as target:
        for row in read:
            target.write_row([_as_text(value, kind) for value, kind in zip(row, kinds, strict=True)])
            number += 1
    return number


def _as_text(value: Any, kind: str) -> str | None:
    """Return a value of SQLite as the text that a column of this type reads."""
    if value is None:
        return None
    if isinstance(value, bytes):
        return f"\\x{value.hex()}" if kind == "bytea" else value.decode()
    if kind == "interval":
        return f"{value} microseconds"
    return value if isinstance(value, str) else repr(value)


def _insist_on_equal_counts(source: DatabaseFile, copied: Copied) -> None:
    """Compare, as the last thing, what is in the two databases."""
    for table in copied.rows:
        there, here = source.count(table), _asked("SELECT count(*) FROM {table}", table)
        if there != here:
            text = say(
                "Nothing was copied: of {there} of {table} only {here} arrived.",
                there=counted(there, "row", "rows"),
                table=table,
                here=here,
            )
            raise CannotCopy(text)
