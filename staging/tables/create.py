"""Creates the physical tables of an entity, with every default in the database: no code of ours runs on insert."""

from hashlib import sha256

from django.db import connection

from staging.identifiers import production_table, quote, staging_table
from staging.models import Attribute, Entity
from staging.sql.compose import FixedQuery
from staging.sql.dialect import dialect
from staging.states import WAITING_ERRORS, ImportStatus
from staging.tables.columns import (
    Column,
    production_columns,
    real_columns,
    staged_column,
    staging_columns,
    table_exists,
    typed_column,
)

# The longest code, and value of a unique attribute, in characters: an ordered index takes no more than 2,700 bytes.
INDEXED_LENGTH = 500

# Room left on each page (PostgreSQL): every staged row is updated once, production rows now and then. Measured.
_FILLFACTOR = {"stg": 45, "mdm": 70, "hst": 100}

_LIVE_NAMES: FixedQuery[str] = FixedQuery(
    lambda entity: Attribute.objects.filter(is_cancelled=False, entity_id=entity).values_list("name", flat=True), int
)


def create_tables(entity: Entity) -> None:
    """Create what is missing: the entity's two tables and a column in both for each attribute that is not cancelled.

    A table it refers to is created first when it does not exist yet, with its system columns only, so definitions may
    refer forward and in circles; that entity's own turn adds the rest. A new table is made with all its columns at
    once: SQLite reads its whole schema again for each column that is added, which took minutes for hundreds of tables.
    """
    attributes = live_attributes(entity)
    for attribute in attributes:
        if attribute.reference and attribute.reference != entity:
            _create_missing(attribute.reference, [])
    _create_missing(entity, attributes)
    staged, typed = real_columns(staging_table(entity.code)), real_columns(production_table(entity.code))
    for attribute in attributes:
        if attribute.name not in staged:
            add_column(staging_table(entity.code), staged_column(attribute))
        if attribute.name not in typed:
            add_typed_column(entity, attribute)


def _create_missing(entity: Entity, attributes: list[Attribute]) -> None:
    """Create whichever of the entity's two tables is missing, with its system columns and those of the attributes."""
    table = staging_table(entity.code)
    if not table_exists(table):
        create_table(table, [*staging_columns(), *map(staged_column, attributes)])
        _create_staging_indexes(table)
    table = production_table(entity.code)
    if not table_exists(table):
        code_is_unique = f"CONSTRAINT {quote(f'uq_{table}')} UNIQUE ({quote('code')})"
        create_table(table, [*production_columns(), *map(typed_column, attributes)], code_is_unique)
        for attribute in attributes:
            create_column_indexes(entity, attribute)


def live_attributes(entity: Entity) -> list[Attribute]:
    """Return the entity's attributes that are not cancelled, in their order."""
    return [a for a in entity.known_attributes if not a.is_cancelled]


def live_names(entity: Entity) -> list[str]:
    """Return the names of these attributes, for whoever needs no more of them."""
    if "attributes" in getattr(entity, "_prefetched_objects_cache", {}):  # a page that read them asks no more
        return [attribute.name for attribute in entity.attributes.all() if not attribute.is_cancelled]
    return _LIVE_NAMES(entity.pk)


def add_typed_column(entity: Entity, attribute: Attribute) -> None:
    """Add the attribute's column to the production table, with the indexes it needs."""
    add_column(production_table(entity.code), typed_column(attribute))
    create_column_indexes(entity, attribute)


def create_column_indexes(entity: Entity, attribute: Attribute) -> None:
    """Create the indexes that an attribute's column in production needs; there are none of them yet."""
    table = production_table(entity.code)
    if attribute.reference:
        run_ddl(
            f"CREATE INDEX {quote(index_name('ref', table, attribute.name))}"
            f" ON {quote(table)} ({quote(attribute.name)})"
        )
    if attribute.unique:
        create_unique_index(table, attribute.name)


def add_column(table: str, column: Column) -> None:
    """Add a column as it should be to a table that has rows: without a value in any of them."""
    run_ddl(f"ALTER TABLE {quote(table)} ADD COLUMN {column.ddl()}")


def create_unique_index(table: str, column: str) -> None:
    """Make the values of a column unique; rows without a value do not count."""
    run_ddl(
        f"CREATE UNIQUE INDEX {quote(index_name('uq', table, column))}"
        f" ON {quote(table)} ({quote(column)}) WHERE {quote(column)} IS NOT NULL"
    )


def drop_column_indexes(table: str, column: str) -> None:
    """Drop the indexes that we made on a column."""
    for kind in ("ref", "uq"):
        run_ddl(f"DROP INDEX IF EXISTS {quote(index_name(kind, table, column))}")


def create_held_index(table: str) -> None:
    """Index the held rows of a staging table by the batch that holds them."""
    run_ddl(
        f"CREATE INDEX IF NOT EXISTS {quote(f'held_{table}')} ON {quote(table)} ({quote('batch_id')}, {quote('id')})"
        f" WHERE {quote('import_status')} = {ImportStatus.HELD.value}"
    )


def create_waiting_index(table: str) -> None:
    """Index the rejected rows of a staging table that wait for a code, so that looking costs nothing without them."""
    run_ddl(
        f"CREATE INDEX IF NOT EXISTS {quote(f'waiting_{table}')} ON {quote(table)} ({quote('id')})"
        f" WHERE {waits_for_a_code()}"
    )


def waits_for_a_code(alias: str = "") -> str:
    """Return the condition on a staged row that was rejected for nothing but its references.

    Word for word the same in the index and in the queries that use it.
    """
    place = f"{alias}." if alias else ""
    codes = ", ".join(str(int(code)) for code in WAITING_ERRORS)
    return (
        f"{place}{quote('import_status')} = {ImportStatus.REJECTED.value} AND {place}{quote('error_code')} IN ({codes})"
    )


def index_name(kind: str, table: str, column: str) -> str:
    """Return the name of a column's index.

    The digest keeps it within 63 bytes and apart: table `mdm_a` with column `b_c` is not `mdm_a_b` with column `c`.
    """
    digest = sha256(f"{table}.{column}".encode()).hexdigest()[:10]
    return f"{kind}_{f'{table}_{column}'[:40]}_{digest}"


def run_ddl(statement: str) -> None:
    """Run one DDL statement; it has no parameters, so names must have come through `quote`."""
    with connection.cursor() as cursor:
        cursor.execute(statement)


def create_table(table: str, columns: list[Column], constraint: str = "") -> None:
    """Create a table of ours with its `id`, these columns and one more constraint."""
    parts = [dialect().identity(table), *(column.ddl() for column in columns), *([constraint] if constraint else [])]
    run_ddl(f"CREATE TABLE {quote(table)} ({', '.join(parts)}){dialect().room(_FILLFACTOR[table[:3]])}")


def _create_staging_indexes(table: str) -> None:
    """Index what is asked again and again: pending rows by age, rejected rows newest first with their errors.

    Retention asks for old rows. An index of processed rows would make marking them half as slow again (measured), so
    PostgreSQL gets a summary of each stretch of pages, which costs next to nothing, and SQLite reads in order of id.
    """
    for kind, columns, status in (
        ("pending", ("created_at",), ImportStatus.PENDING),
        ("rejected", ("id", "error_code"), ImportStatus.REJECTED),
    ):
        run_ddl(
            f"CREATE INDEX {quote(f'{kind}_{table}')} ON {quote(table)} ({', '.join(map(quote, columns))})"
            f" WHERE {quote('import_status')} = {status.value}"
        )
    create_waiting_index(table)
    create_held_index(table)
    if by_pages := dialect().index_by_pages(f"landed_{table}", table, "created_at"):
        run_ddl(by_pages)
