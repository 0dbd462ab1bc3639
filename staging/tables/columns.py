"""The physical tables: which columns they should have (docs/staging-tables.md), which they have, what waits in them.

A table that others altered is named, and not stumbled over: a statement that fails because of it says how it differs.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from itertools import islice
from typing import Any, NamedTuple, Self, TypeVar

from django.db import DatabaseError, OperationalError, connection, transaction

from staging.errors import StagingError, TableMismatch, TablesInUse, gave_up_waiting
from staging.identifiers import before_column, check_column, history_table, production_table, quote, staging_table
from staging.models import Attribute, Entity
from staging.sql.dialect import dialect, from_database
from staging.states import INSTANTS, NUMBERS, DataType, ImportStatus
from staging.transactions import note_lock
from staging.wording import said_together, say

# A constant beside the cycle's (0x5747, 1): one change of definitions at a time.
_KEY = (0x5747, 2)

T = TypeVar("T")


class Tabled(NamedTuple):
    """An entity as far as its tables are to be read: of thousands of them nothing more is needed."""

    pk: int
    code: str
    keep_history: bool = False  # where tables are compared with what they should be


@dataclass(frozen=True)
class Column:
    """One column as it should be: `type` as the database reports it, `target` the table a reference points at."""

    name: str
    type: str
    rest: str = ""
    target: str = ""

    def ddl(self) -> str:
        """Return the column's part of CREATE TABLE or ADD COLUMN."""
        refers = f"REFERENCES {quote(self.target)} ({quote('id')})" if self.target else ""
        return " ".join(part for part in (quote(self.name), self.type, self.rest, refers) if part)


def column_type(data_type: str) -> str:
    """Return the column type of a data type on the database in use."""
    return dialect().stored_types[data_type]


def staging_columns() -> list[Column]:
    """Return the columns every staging table has after its `id`."""
    text, big, small = column_type(DataType.TEXT), column_type(DataType.INTEGER), column_type("small")
    return [
        Column("code", text),
        Column("name", text),
        Column("new_code", text),
        Column("import_action", small),
        Column("import_status", small, "NOT NULL DEFAULT 0"),
        Column("batch_id", big),
        Column("batch_tag", text),
        Column("error_code", big, "NOT NULL DEFAULT 0"),
        Column("error_message", text),
        _instant("created_at"),
        Column("import_outcome", text),
    ]


def production_columns() -> list[Column]:
    """Return the columns every production table has after its `id`."""
    text, big = column_type(DataType.TEXT), column_type(DataType.INTEGER)
    return [
        Column("code", text, "NOT NULL"),
        Column("name", text),
        Column("is_active", column_type(DataType.BOOLEAN), f"NOT NULL DEFAULT {dialect().true}"),
        _instant("created_at"),
        _instant("updated_at"),
        Column("created_batch_id", big),
        Column("updated_batch_id", big),
    ]


def staged_column(attribute: Attribute) -> Column:
    """Return an attribute's column in staging: always text, references as the target's code."""
    return _of_type(check_column(attribute.name), DataType.TEXT)


def typed_column(attribute: Attribute, as_name: str = "") -> Column:
    """Return an attribute's column in production, typed; a reference is a foreign key to the target's `id`.

    `as_name` is another name, for a column that is made beside the one it replaces.
    """
    target = production_table(attribute.reference.code) if attribute.reference else ""
    return _of_type(as_name or check_column(attribute.name), attribute.data_type, target)


def history_columns() -> list[Column]:
    """Return the columns every history table has after its `id`: what happened, and the member as it was before.

    A member that did not exist has nulls throughout; `restored_batch_id` is, after an undo, the batch whose values
    hold again; `new_code` is the code it got, where that changed; `change_set_id` tells what was committed together.
    """
    text, big = column_type(DataType.TEXT), column_type(DataType.INTEGER)
    instant, truth = column_type(DataType.DATETIME), column_type(DataType.BOOLEAN)
    before = {"code": text, "name": text, "is_active": truth, "created_at": instant, "updated_at": instant}
    before |= {"created_batch_id": big, "updated_batch_id": big}
    return [
        Column("member_id", big, "NOT NULL"),
        Column("action", text, "NOT NULL"),
        Column("batch_id", big, "NOT NULL"),
        Column("restored_batch_id", big),
        Column("changed_at", instant, "NOT NULL"),
        Column("changed_by", text, "NOT NULL"),
        *feed_columns(),
        *(Column(before_column(name), kind) for name, kind in before.items()),
    ]


def feed_columns() -> list[Column]:
    """Return the columns of a history table by which its changes are read in the order of their commits."""
    return [Column("change_set_id", column_type(DataType.INTEGER)), Column("new_code", column_type(DataType.TEXT))]


def kept_column(attribute: Attribute) -> Column:
    """Return an attribute's column in the history; a reference is the `id` of a member that may be gone since."""
    return _of_type(before_column(check_column(attribute.name)), attribute.data_type)


@lru_cache(maxsize=10_000)  # thousands of attributes are of few names
def _of_type(name: str, data_type: str, target: str = "") -> Column:
    return Column(name, column_type(data_type), target=target)


def sentinel(entity: Entity, data_type: str) -> str:
    """Return the text that clears a staged value of this type."""
    if data_type in NUMBERS:
        return entity.sentinel_number
    return entity.sentinel_datetime if data_type in INSTANTS else entity.sentinel_text


def _instant(name: str) -> Column:
    return Column(name, column_type(DataType.DATETIME), f"NOT NULL DEFAULT {dialect().now}")


_real = lru_cache(maxsize=10_000)(lambda kind, target: RealColumn(kind, target))  # thousands are of few kinds


@dataclass(frozen=True)
class RealColumn:
    """One column as it is: its type, and the table it refers to when it is a foreign key."""

    type: str
    target: str = ""


def real_columns(table: str) -> dict[str, RealColumn]:
    """Return the columns of a table by name; empty when there is no such table."""
    return real_columns_of([table])[table]


def real_columns_of(tables: Sequence[str]) -> dict[str, dict[str, RealColumn]]:
    """Return the columns of each table by name, in one statement; empty for a table that is not there."""
    found: dict[str, dict[str, RealColumn]] = {table: {} for table in tables}
    for table, name, kind, target in dialect().columns_of(tables):
        found[table][name] = _real(kind, target)
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


def table_problems_of(entities: Sequence[Entity | Tabled]) -> dict[int, list[str]]:
    """Return the differences of each entity by its pk, in two statements for any number of entities."""
    attributes: dict[int, list[Attribute]] = {entity.pk: [] for entity in entities}
    read: list[Any] = [one for one in entities if "attributes" in getattr(one, "_prefetched_objects_cache", ())]
    others = set(attributes) - {entity.pk for entity in read}
    first, last = min(others, default=0), max(others, default=0)
    is_near = 0 < last - first < 2 * len(others)  # to write out hundreds of keys takes longer than to read some more
    of = {"entity__gte": first, "entity__lte": last} if is_near else {"entity__in": others}
    live = Attribute.objects.filter(**of, is_cancelled=False).select_related("reference")
    live = live.only("entity", "name", "data_type", "reference__code")
    along = [one for entity in read for one in entity.attributes.all() if not one.is_cancelled]
    for attribute in (*along, *live):
        attributes.get(attribute.entity_id, []).append(attribute)  # of others nothing is asked
    usual = staging_columns(), production_columns(), history_columns()  # once for all: there may be hundreds
    expected = {entity.pk: _expected(entity, attributes[entity.pk], *usual) for entity in entities}
    real = real_columns_of([table for tables in expected.values() for table in tables])
    return {
        pk: [text for table, columns in tables.items() for text in _compare(table, columns, real[table])]
        for pk, tables in expected.items()
    }


def _expected(
    entity: Entity | Tabled, attributes: list[Attribute], staged: list[Column], stored: list[Column], kept: list[Column]
) -> dict[str, list[Column]]:
    """Return the columns that each table of the entity has to have: those that every such table has, and its own."""
    identity = Column("id", column_type(DataType.INTEGER))
    expected = {
        staging_table(entity.code): [identity, *staged, *map(staged_column, attributes)],
        production_table(entity.code): [identity, *stored, *map(typed_column, attributes)],
    }
    if entity.keep_history:
        expected[history_table(entity.code)] = [identity, *kept, *map(kept_column, attributes)]
    return expected


def _compare(table: str, expected: list[Column], real: dict[str, RealColumn]) -> list[str]:
    if not real:
        return [say("Table {table} is missing.", table=table)]
    return [text for column in expected if (text := _difference(table, column, real.get(column.name)))]


def _difference(table: str, column: Column, real: RealColumn | None) -> str:
    if real is None:
        return say("Column {table}.{column} is missing.", table=table, column=column.name)
    if real.type != column.type:
        return say(
            "Column {table}.{column} is {is_now} and should be {wanted}.",
            table=table, column=column.name, is_now=real.type, wanted=column.type,
        )  # fmt: skip
    if real.target != column.target:
        is_now, should = real.target or say("nothing"), column.target or say("nothing")
        return say(
            "Column {table}.{column} refers to {is_now}; by its definition it refers to {should}.",
            table=table, column=column.name, is_now=is_now, should=should,
        )  # fmt: skip
    return ""


def savepoint() -> AbstractContextManager[Any]:
    """Return a savepoint inside a transaction, where a failed statement would end it on PostgreSQL; else nothing.

    Outside, a transaction of its own would only take SQLite's write lock for reading.
    """
    return transaction.atomic() if connection.in_atomic_block else nullcontext()


DEFINITIONS = ("definitions", "all")  # what `require_lock` calls the lock of `one_at_a_time`


def one_at_a_time() -> None:
    """Wait until nobody else changes definitions, until the end of this transaction.

    Two changes at once could store the same entity twice or hold each other's tables. SQLite has one writer anyway.
    """
    note_lock(*DEFINITIONS)
    dialect().take_turns(_KEY)


@contextmanager
def named_problems(entity: Entity) -> Iterator[None]:
    """Raise TableMismatch for a statement that failed because the tables were altered by others; let the rest pass."""
    try:
        with savepoint():
            yield
    except DatabaseError as error:
        if connection.is_usable() and (problems := table_problems(entity)):
            raise TableMismatch(said_together(*problems)) from error
        raise


@contextmanager
def told_when_in_use() -> Iterator[None]:
    """Raise TablesInUse where a statement gave up waiting for somebody else's lock; let the rest pass."""
    try:
        yield
    except OperationalError as error:
        if not gave_up_waiting(error):
            raise
        raise TablesInUse(say("A table is in use just now, probably by a batch. Try again when it is done.")) from error


@dataclass(frozen=True)
class PendingRows:
    """What waits for the next batch of one entity; `error` says why it could not be counted."""

    count: int = 0
    oldest_at: datetime | None = None
    newest_at: datetime | None = None
    rejected: int = 0  # where that was asked for
    error: str = ""

    @classmethod
    def told(cls, count: int, oldest: Any, newest: Any, rejected: int) -> Self:
        """Return what raw SQL told of one entity."""
        return cls(count, from_database(oldest), from_database(newest), rejected)

    @classmethod
    def untold(cls, error: Exception) -> Self:
        """Return that they could not be counted."""
        return cls(error=str(error).splitlines()[0] if str(error) else type(error).__name__)


_CREATED_AT = f"s.{quote('created_at')}"
_WAITING = f"count(*), min({_CREATED_AT}), max({_CREATED_AT})"
_REJECTED = f"SELECT count(*) FROM {{table}} r WHERE r.{quote('import_status')} = {ImportStatus.REJECTED.value}"
WITH_REJECTED = f"{_WAITING}, ({_REJECTED})"


def pending_statistics(
    entities: Iterable[Entity], tag: str = "", *, with_rejected: bool = False
) -> dict[int, PendingRows]:
    """Return the pending rows of each entity by its pk; with `tag`, only rows with that batch tag.

    Few statements for many entities; only a broken entity carries `error`. Raises DatabaseError when the database
    itself is gone.
    """
    what = WITH_REJECTED if with_rejected else f"{_WAITING}, 0"
    return of_each(entities, what, ImportStatus.PENDING, tag, PendingRows.told, PendingRows.untold)


def has_tag(entity: Entity, tag: str) -> bool:
    """Return whether any staged row of an entity has this batch tag, whatever became of it.

    Raises TableMismatch when the table is not as defined.
    """
    statement = f"SELECT EXISTS (SELECT 1 FROM {quote(staging_table(entity.code))} s WHERE s.{quote('batch_tag')} = %s)"
    with named_problems(entity), connection.cursor() as cursor:
        cursor.execute(statement, [tag])
        return bool(cursor.fetchone()[0])


def of_each(
    entities: Iterable[Entity | Tabled],
    what: str,
    status: ImportStatus | None,
    tag: str,
    read: Callable[..., T],
    broken: Callable[[Exception], T],
) -> dict[int, T]:
    """Return what is read of the rows with this status, by entity; entities of a failed statement are asked alone."""
    rest, found = iter(entities), {}
    while chunk := list(islice(rest, dialect().tables_at_once)):
        try:
            found.update({pk: read(*values) for pk, *values in _select(chunk, what, status, tag)})
        except (DatabaseError, StagingError, ValueError) as error:
            if not connection.is_usable():
                raise
            if len(chunk) == 1:
                found[chunk[0].pk] = broken(error)
                continue
            for entity in chunk:
                found.update(of_each([entity], what, status, tag, read, broken))
    return found


def _select(
    entities: Sequence[Entity | Tabled], what: str, status: ImportStatus | None, tag: str
) -> list[tuple[Any, ...]]:
    """Return a row for each entity; `what` may name its `{table}`, and without a status reads it by itself.

    Columns are qualified: SQLite reads an unknown quoted name alone as a string.
    """
    statement = selection(tuple((int(entity.pk), entity.code) for entity in entities), what, status, has_tag=bool(tag))
    with _problems_named(entities), connection.cursor() as cursor:
        # Without values the text is sent as it is: the driver need not look for their places in it.
        cursor.execute(statement, [tag] * len(entities) if tag else None)
        return list(cursor.fetchall())


@lru_cache(maxsize=1000)  # the alerts ask the same of thousands of tables each minute
def selection(
    entities: tuple[tuple[int, str], ...], what: str, status: ImportStatus | None, *, has_tag: bool = False
) -> str:
    """Return the statement that reads this of each table, with a place for the tag of each where there is one."""
    tables = [(pk, quote(staging_table(code))) for pk, code in entities]
    if status is None:  # subqueries in the parts of a union take PostgreSQL twice as long to plan
        return "VALUES " + ", ".join(f"({pk}, {what.format(table=table)})" for pk, table in tables)
    with_tag = f" AND s.{quote('batch_tag')} = %s" if has_tag else ""
    among = f"s.{quote('import_status')} = {status.value}{with_tag}"
    return " UNION ALL ".join(
        f"SELECT {pk}, {what.format(table=table)} FROM {table} s WHERE {among}" for pk, table in tables
    )


def _problems_named(entities: Sequence[Entity | Tabled]) -> AbstractContextManager[Any]:
    """Return what names the problems of the tables of one entity; of several nobody knows whose they are."""
    if len(entities) != 1:
        return savepoint()
    (entity,) = entities
    return named_problems(entity if isinstance(entity, Entity) else Entity.objects.get(pk=entity.pk))
