"""Reads what the physical tables really look like, so that a table altered by others is named and not stumbled over."""

from dataclasses import dataclass

from django.db import connection

from staging.identifiers import production_table, quote, staging_table
from staging.models import Entity
from staging.states import DataType
from staging.tables.columns import Column, column_type, production_columns, staged_column, staging_columns, typed_column


@dataclass(frozen=True)
class RealColumn:
    """One column as it is: its type, and the table it refers to when it is a foreign key."""

    type: str
    target: str = ""


def real_columns(table: str) -> dict[str, RealColumn]:
    """Return the columns of a table by name; empty when there is no such table."""
    return _read_postgresql(table) if connection.vendor == "postgresql" else _read_sqlite(table)


def table_exists(table: str) -> bool:
    """Return whether the database has this table."""
    return bool(real_columns(table))


def table_problems(entity: Entity) -> list[str]:
    """Return one sentence for each difference between the entity's two tables and its definition.

    Columns that the definition does not know are no problem: others may add their own. Cancelled attributes are not
    looked at.
    """
    attributes = [a for a in entity.attributes.select_related("reference") if not a.is_cancelled]
    identity = Column("id", column_type(DataType.INTEGER))
    staged = [identity, *staging_columns(), *map(staged_column, attributes)]
    typed = [identity, *production_columns(), *map(typed_column, attributes)]
    return _compare(staging_table(entity.code), staged) + _compare(production_table(entity.code), typed)


def _compare(table: str, expected: list[Column]) -> list[str]:
    real = real_columns(table)
    if not real:
        return [f"Table {table} is missing."]
    return [text for column in expected if (text := _difference(table, column, real.get(column.name)))]


def _difference(table: str, column: Column, real: RealColumn | None) -> str:
    if real is None:
        return f"Column {table}.{column.name} is missing."
    if real.type != column.type:
        return f"Column {table}.{column.name} is {real.type} and should be {column.type}."
    if real.target != column.target:
        is_now, should = (f"refers to {name}" if name else "refers to nothing" for name in (real.target, column.target))
        return f"Column {table}.{column.name} {is_now}; by its definition it {should}."
    return ""


def _read_postgresql(table: str) -> dict[str, RealColumn]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT a.attname, format_type(a.atttypid, a.atttypmod), coalesce(max(t.relname), '')"
            " FROM pg_attribute a"
            " LEFT JOIN pg_constraint f ON f.conrelid = a.attrelid AND f.contype = 'f' AND f.conkey = ARRAY[a.attnum]"
            " LEFT JOIN pg_class t ON t.oid = f.confrelid"
            " WHERE a.attrelid = to_regclass(%s) AND a.attnum > 0 AND NOT a.attisdropped"
            " GROUP BY a.attnum, a.attname, a.atttypid, a.atttypmod ORDER BY a.attnum",
            [quote(table)],
        )
        return {name: RealColumn(kind, target) for name, kind, target in cursor.fetchall()}


def _read_sqlite(table: str) -> dict[str, RealColumn]:
    with connection.cursor() as cursor:
        cursor.execute('SELECT "from", "table" FROM pragma_foreign_key_list(%s)', [table])
        targets = dict(cursor.fetchall())
        cursor.execute("SELECT name, type FROM pragma_table_info(%s)", [table])
        return {name: RealColumn(kind.upper(), targets.get(name, "")) for name, kind in cursor.fetchall()}
