"""Brings the physical tables of an entity in line with its definition, and refuses what would lose data."""

from django.db import connection, transaction

from staging.errors import TableMismatch, WouldLoseData
from staging.identifiers import before_column, history_table, production_table, quote, staging_table
from staging.models import Attribute, Entity
from staging.sql.dialect import dialect
from staging.tables.columns import (
    RealColumn,
    real_columns,
    real_columns_of,
    table_exists,
    table_problems,
    told_when_in_use,
    typed_column,
)
from staging.tables.convert import convert
from staging.tables.create import (
    INDEXED_LENGTH,
    add_typed_column,
    create_column_indexes,
    create_tables,
    create_unique_index,
    drop_column_indexes,
    index_name,
    live_attributes,
    run_ddl,
)
from staging.tables.history import set_aside, sync_history
from staging.wording import counted, said_together, say


def sync_tables(entity: Entity) -> None:
    """Create or alter the entity's tables to match its attributes; all or nothing.

    New attributes get their columns; a production column whose type or target changed is made anew, with its values
    when every one of them converts. Raises WouldLoseData when one does not, TableMismatch when values that must become
    unique clash or when a table was altered by others, TablesInUse when a table is in use just now.
    """
    with told_when_in_use(), transaction.atomic():
        create_tables(entity)
        real = real_columns(production_table(entity.code))
        for attribute in live_attributes(entity):
            _match_type(entity, attribute, real[attribute.name])
            _match_uniqueness(entity, attribute)
        sync_history(entity)
        if problems := table_problems(entity):
            raise TableMismatch(said_together(*problems))


def count_values(entity: Entity, column: str, *, staged: bool = False) -> int:
    """Return how many rows of production (with `staged`: of either table) have a value in a column; 0 without it."""
    tables = [production_table(entity.code)] + ([staging_table(entity.code)] if staged else [])
    return sum(_count(table, f"s.{quote(column)} IS NOT NULL") for table in tables if column in real_columns(table))


def count_rows(entity: Entity) -> int:
    """Return how many rows the entity's tables hold together, its history included."""
    return sum(_count(table, "1 = 1") for table, columns in real_columns_of(_tables(entity)).items() if columns)


def unique_error(entity: Entity, column: str) -> str:
    """Return the sentence that refuses to make a production column unique, with values; empty when it can be."""
    if column not in real_columns(production_table(entity.code)):
        return ""
    if clashes := _clashing_values(entity, column):
        return say(
            "Attribute {column!r} cannot become unique: more than one row has {clashes}.",
            column=column,
            clashes=", ".join(map(repr, clashes)),
        )
    long = _count(production_table(entity.code), f"length(CAST(s.{quote(column)} AS text)) > {INDEXED_LENGTH}")
    values = counted(long, "value", "values")
    return (
        say(
            "Attribute {column!r} cannot become unique: {values} of more than {indexed_length} characters.",
            column=column,
            values=values,
            indexed_length=INDEXED_LENGTH,
        )
        if long
        else ""
    )


def _clashing_values(entity: Entity, column: str) -> list[str]:
    """Return up to three production values that occur more than once in a column; empty when there is none."""
    table, name = production_table(entity.code), f"s.{quote(column)}"
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT {name} FROM {quote(table)} s WHERE {name} IS NOT NULL GROUP BY {name} HAVING count(*) > 1"
            f" ORDER BY {name} LIMIT 3"
        )
        return [str(value) for (value,) in cursor.fetchall()]


@transaction.atomic
def drop_column(entity: Entity, column: str) -> None:
    """Drop a column from both tables; raises WouldLoseData when it holds values in either. The history stays."""
    hold_tables(entity)
    if count := count_values(entity, column, staged=True):
        raise WouldLoseData(lost_values(column, count))
    for table in (staging_table(entity.code), production_table(entity.code)):
        _drop(table, column)
    set_aside(entity, column)


@transaction.atomic
def drop_tables(entity: Entity) -> None:
    """Drop the entity's tables; raises WouldLoseData when one holds rows."""
    hold_tables(entity)
    if count := count_rows(entity):
        raise WouldLoseData(
            say(
                "The tables of {entity!r} hold {rows}. Cancel the entity instead.",
                entity=entity.code,
                rows=counted(count, "row", "rows"),
            )
        )
    for table in _tables(entity):
        run_ddl(f"DROP TABLE IF EXISTS {quote(table)}")


def lost_values(column: str, count: int) -> str:
    """Return the sentence that refuses a change of a column."""
    return say(
        "Attribute {column!r} holds {values}, which the change would lose.",
        column=column,
        values=counted(count, "value", "values"),
    )


def _tables(entity: Entity) -> tuple[str, ...]:
    return staging_table(entity.code), production_table(entity.code), history_table(entity.code)


def hold_tables(entity: Entity) -> None:
    """Keep others out of the tables before they are counted: a row that lands after the count would be lost.

    SQLite has one writer, and this transaction is it.
    """
    tables = [name for name in _tables(entity) if table_exists(name)]
    dialect().hold_tables(tables)


def _match_type(entity: Entity, attribute: Attribute, real: RealColumn) -> None:
    expected = typed_column(attribute)
    if (real.type, real.target) == (expected.type, expected.target):
        return
    hold_tables(entity)
    if count_values(entity, attribute.name):
        convert(entity, attribute, real)
        return
    _drop(production_table(entity.code), attribute.name)
    set_aside(entity, attribute.name)
    add_typed_column(entity, attribute)


def _match_uniqueness(entity: Entity, attribute: Attribute) -> None:
    table = production_table(entity.code)
    name = index_name("uq", table, attribute.name)
    exists = dialect().index_exists(name)
    if attribute.unique and not exists:
        if problem := unique_error(entity, attribute.name):
            raise TableMismatch(problem)
        create_unique_index(table, attribute.name)
    if exists and not attribute.unique:
        run_ddl(f"DROP INDEX {quote(name)}")


def _drop(table: str, column: str) -> None:
    """Drop a column; its indexes first, which SQLite does not do by itself."""
    if column in real_columns(table):
        drop_column_indexes(table, column)
        run_ddl(f"ALTER TABLE {quote(table)} DROP COLUMN {quote(column)}")


def _count(table: str, condition: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT count(*) FROM {quote(table)} s WHERE {condition}")
        return cursor.fetchone()[0]


def name_in_use(entity: Entity, column: str) -> str:
    """Return the sentence that refuses a name because others gave a column that name already; empty when it is free."""
    tables = (staging_table(entity.code), production_table(entity.code))
    if table := next((table for table in tables if column in real_columns(table)), None):
        return say(
            "Table {table} has a column {column!r} already, which is none of ours. Choose another name.",
            table=table,
            column=column,
        )
    if before_column(column) in real_columns(history_table(entity.code)):
        return say("The history has values of an earlier attribute {column!r}. Choose another name.", column=column)
    return ""


def rename_column(entity: Entity, old: str, attribute: Attribute) -> None:
    """Rename a column to the attribute's name in staging, production and history; the caller holds the tables.

    Raises TableMismatch when the new name is in use or the old column is missing.
    """
    if problem := name_in_use(entity, attribute.name):
        raise TableMismatch(problem)
    production = production_table(entity.code)
    for table in (staging_table(entity.code), production):
        if old not in real_columns(table):
            raise TableMismatch(say("Column {table}.{old} is missing.", table=table, old=old))
        _rename(table, old, attribute.name)
    if before_column(old) in real_columns(history_table(entity.code)):
        _rename(history_table(entity.code), before_column(old), before_column(attribute.name))
    _rename_indexes(entity, production, old, attribute)


def _rename(table: str, old: str, new: str) -> None:
    run_ddl(f"ALTER TABLE {quote(table)} RENAME COLUMN {quote(old)} TO {quote(new)}")


def _rename_indexes(entity: Entity, table: str, old: str, attribute: Attribute) -> None:
    """Let the indexes carry the new name: by it they are found when the attribute changes again."""
    if not dialect().renames_indexes:
        drop_column_indexes(table, old)
        create_column_indexes(entity, attribute)
        return
    for kind in ("ref", "uq"):
        before, after = index_name(kind, table, old), index_name(kind, table, attribute.name)
        run_ddl(f"ALTER INDEX IF EXISTS {quote(before)} RENAME TO {quote(after)}")
