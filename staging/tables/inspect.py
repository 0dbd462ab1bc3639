"""Reads what the physical tables really look like, so that a table altered by others is named and not stumbled over."""

from collections.abc import Sequence
from dataclasses import dataclass

from staging.identifiers import history_table, production_table, staging_table
from staging.models import Attribute, Entity
from staging.sql.choose import dialect
from staging.states import DataType
from staging.tables.columns import (
    Column,
    column_type,
    history_columns,
    kept_column,
    production_columns,
    staged_column,
    staging_columns,
    typed_column,
)


@dataclass(frozen=True)
class RealColumn:
    """One column as it is: its type, and the table it refers to when it is a foreign key."""

    type: str
    target: str = ""


def real_columns(table: str) -> dict[str, RealColumn]:
    """Return the columns of a table by name; empty when there is no such table."""
    return real_columns_of([table])[table]


def real_columns_of(tables: Sequence[str]) -> dict[str, dict[str, RealColumn]]:
    """Return the columns of each table by name, in one or two statements; empty for a table that is not there."""
    found: dict[str, dict[str, RealColumn]] = {table: {} for table in tables}
    for table, name, kind, target in dialect().columns_of(tables):
        found[table][name] = RealColumn(kind, target)
    return found


def table_exists(table: str) -> bool:
    """Return whether the database has this table."""
    return bool(real_columns(table))


def table_problems(entity: Entity) -> list[str]:
    """Return one sentence for each difference between the entity's tables and its definition.

    Columns that the definition does not know are no problem: others may add their own. Cancelled attributes are not
    looked at.
    """
    return table_problems_of([entity])[entity.pk]


def table_problems_of(entities: Sequence[Entity]) -> dict[int, list[str]]:
    """Return the differences of each entity by its pk, in three statements for any number of entities."""
    attributes: dict[int, list[Attribute]] = {entity.pk: [] for entity in entities}
    live = Attribute.objects.filter(entity__in=list(attributes), is_cancelled=False).select_related("reference")
    for attribute in live:
        attributes[attribute.entity_id].append(attribute)
    expected = {entity.pk: _expected(entity, attributes[entity.pk]) for entity in entities}
    real = real_columns_of([table for tables in expected.values() for table in tables])
    return {
        pk: [text for table, columns in tables.items() for text in _compare(table, columns, real[table])]
        for pk, tables in expected.items()
    }


def _expected(entity: Entity, attributes: list[Attribute]) -> dict[str, list[Column]]:
    """Return the columns that each table of the entity has to have."""
    identity = Column("id", column_type(DataType.INTEGER))
    expected = {
        staging_table(entity.code): [identity, *staging_columns(), *map(staged_column, attributes)],
        production_table(entity.code): [identity, *production_columns(), *map(typed_column, attributes)],
    }
    if entity.keep_history:
        expected[history_table(entity.code)] = [identity, *history_columns(), *map(kept_column, attributes)]
    return expected


def _compare(table: str, expected: list[Column], real: dict[str, RealColumn]) -> list[str]:
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
