"""Gives a column another name in every table of its entity, with its indexes; no value is touched."""

from staging.errors import TableMismatch
from staging.identifiers import before_column, history_table, production_table, quote, staging_table
from staging.models import Attribute, Entity
from staging.sql.choose import dialect
from staging.tables.create import create_column_indexes, drop_column_indexes, execute, index_name
from staging.tables.inspect import real_columns


def name_in_use(entity: Entity, column: str) -> str:
    """Return the sentence that refuses a name because others gave a column that name already; empty when it is free."""
    tables = (staging_table(entity.code), production_table(entity.code))
    if table := next((table for table in tables if column in real_columns(table)), None):
        return f"Table {table} has a column {column!r} already, which is none of ours. Choose another name."
    if before_column(column) in real_columns(history_table(entity.code)):
        return f"The history has values of an earlier attribute {column!r}. Choose another name."
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
            raise TableMismatch(f"Column {table}.{old} is missing.")
        _rename(table, old, attribute.name)
    if before_column(old) in real_columns(history_table(entity.code)):
        _rename(history_table(entity.code), before_column(old), before_column(attribute.name))
    _rename_indexes(entity, production, old, attribute)


def _rename(table: str, old: str, new: str) -> None:
    execute(f"ALTER TABLE {quote(table)} RENAME COLUMN {quote(old)} TO {quote(new)}")


def _rename_indexes(entity: Entity, table: str, old: str, attribute: Attribute) -> None:
    """Let the indexes carry the new name: by it they are found when the attribute changes again."""
    if not dialect().renames_indexes:
        drop_column_indexes(table, old)
        create_column_indexes(entity, attribute)
        return
    for kind in ("ref", "uq"):
        before, after = index_name(kind, table, old), index_name(kind, table, attribute.name)
        execute(f"ALTER INDEX IF EXISTS {quote(before)} RENAME TO {quote(after)}")
