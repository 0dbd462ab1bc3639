"""One attempt at a batch: what it needs to know, gathered once; its transactions, and the connections it works on.

A database works for one connection on one core. Two connections nearly halve the time of a large batch and leave the
rules as they are: pieces are read apart, and every chunk is its own transaction with the fence inside.

What is committed together is a change set, numbered in the order of commits, so that a feed of changes can be followed.
A transaction opens one for each entity of which it notes a change, and numbers it last of all, under the lock of the
entity's feed: from there to the commit nobody else of this entity can come between. So numbers are commits in their
order, and once a number is seen no lower one can appear.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from secrets import token_hex
from typing import Any, Protocol, TypeVar

from django.conf import settings
from django.db import connection, connections, transaction
from django.db.models import F

from staging.identifiers import before_column, history_table, production_table, staging_table
from staging.models import Attribute, Batch, BusinessRule, ChangeFeed, ChangeSet, Entity
from staging.sql.compose import Sql, name, run, statement
from staging.sql.dialect import Dialect, dialect
from staging.states import DataType, ImportStatus
from staging.tables.change_feed import highest_row
from staging.tables.columns import real_columns
from staging.transactions import Unprotected, in_transaction, kept_in_transaction

WORK_PREFIX = "work_batch_"
PREVIEW_PREFIX = "work_preview_"


_ALWAYS = ("code", "name", "is_active", "updated_at", "updated_batch_id")
AT_BIRTH = ("created_at", "created_batch_id")  # they never change, so only a member that goes has to leave them

_KEPT = "change sets"

T = TypeVar("T")


@dataclass(frozen=True)
class History:
    """The history table of one entity, and the attributes of which it keeps the values."""

    entity: Entity
    attributes: tuple[str, ...]

    @property
    def table(self) -> Sql:
        """Return the history table."""
        return name(history_table(self.entity.code))

    @property
    def production(self) -> Sql:
        """Return the table of the members."""
        return name(production_table(self.entity.code))

    @property
    def columns(self) -> tuple[str, ...]:
        """Return the production columns that are kept, the attributes last."""
        return (*_ALWAYS, *AT_BIRTH, *self.attributes)


def stored_history(entity: Entity) -> History | None:
    """Return the entity's history, whether it is still kept or not; None when there is no table of it."""
    kept = real_columns(history_table(entity.code))
    if not kept:
        return None
    typed = real_columns(production_table(entity.code))
    both = [a.name for a in entity.attributes.all() if a.name in typed and before_column(a.name) in kept]
    return History(entity, tuple(both))


def kept_history(entity: Entity) -> History | None:
    """Return the history that a change of this entity's members must write; None while it keeps none."""
    return stored_history(entity) if entity.keep_history else None


@dataclass(frozen=True)
class Field:
    """One column whose staged text becomes a production value: the name of the member, or an attribute."""

    name: str
    data_type: str
    attribute: Attribute | None = None

    @property
    def is_reference(self) -> bool:
        """Return whether the value is the code of a member."""
        return self.data_type == DataType.REFERENCE


@dataclass(frozen=True)
class BatchContext:
    """One attempt at a batch: its definition, its tables, its instant.

    The work table carries a random part: an attempt that was released and wakes up never meets its successor's.
    """

    batch: Batch
    entity: Entity
    fields: list[Field]
    now: datetime
    sql: Dialect
    # The first and the last id of the staged rows that this piece of a large batch reads; None: all.
    ids: tuple[int, int] | None = None
    # Where the work table is; empty: where all tables are.
    schema: str = ""
    token: str = field(default_factory=lambda: token_hex(4))
    # The tables beside the work table that name the members this batch takes away, and the rows that it supersedes;
    # empty while that is not known, or does not matter to other rows (judge.py).
    gone: str = ""
    superseded: str = ""
    # The table of decisions that outlive this attempt, and are carried out (decisions.py); empty: decided here and now.
    kept: str = ""
    # Whether these decisions are those of an earlier attempt.
    taken_up: bool = False
    # The table of decisions that no longer fit: the rows that it has left are judged again. Empty: all that wait.
    delivery: str = ""

    @property
    def is_preview(self) -> bool:
        """Return whether the batch is only looked at: it is in no table."""
        return self.batch.pk is None

    @cached_property
    def work_name(self) -> str:
        """Return the unquoted name of the work table."""
        if self.kept:
            return self.kept
        return f"{PREVIEW_PREFIX}{self.token}" if self.is_preview else f"{WORK_PREFIX}{self.batch.pk}_{self.token}"

    @property
    def work(self) -> Sql:
        """Return the work table: one row per staged row, with what will become of it."""
        return self.table("")

    def table(self, suffix: str) -> Sql:
        """Return the work table or a smaller one beside it."""
        prefix = f"{self.schema}." if self.schema else ""
        return Sql(prefix + name(self.work_name + suffix).text)

    def carrying(self, table: str) -> "BatchContext":
        """Return the context of which the work table are decisions that are kept in this table."""
        return replace(self, kept=table, delivery="", schema=self.sql.kept_schema)

    @property
    def staging(self) -> Sql:
        """Return the staging table."""
        return name(staging_table(self.entity.code))

    @property
    def production(self) -> Sql:
        """Return the production table."""
        return name(production_table(self.entity.code))

    @cached_property
    def history(self) -> History | None:
        """Return where changes of the entity's members are kept; None while it keeps no history."""
        return kept_history(self.entity)

    @cached_property
    def rules(self) -> list[BusinessRule]:
        """Return the entity's business rules that are in force, each with its lines."""
        return list(BusinessRule.objects.filter(entity=self.entity, is_cancelled=False).prefetch_related("lines"))

    @property
    def references(self) -> Iterator[Field]:
        """Return the fields that refer to members."""
        return (f for f in self.fields if f.is_reference)

    @property
    def self_references(self) -> list[Field]:
        """Return the fields that refer to members of this same entity, perhaps created by this same batch."""
        return [f for f in self.references if f.attribute and f.attribute.reference_id == self.entity.pk]

    @property
    def unique_fields(self) -> list[Field]:
        """Return the fields whose values no two members may share."""
        return [f for f in self.fields if f.attribute and f.attribute.unique]

    @property
    def awaits(self) -> ImportStatus:
        """Return the status of the rows the batch is to settle: pending, or held when a person approved them."""
        return ImportStatus.HELD if self.batch.approves_id else ImportStatus.PENDING

    @property
    def chunk_rows(self) -> int:
        """Return how many rows one transaction merges."""
        return int(settings.MERGE_CHUNK_ROWS) or self.sql.chunk_rows

    @property
    def instant(self) -> Any:
        """Return `now` as a parameter."""
        return self.sql.instant(self.now)


def make_context(batch: Batch, now: datetime) -> BatchContext:
    """Gather the context of a batch from its entity's definition."""
    entity = batch.entity
    attributes = entity.attributes.filter(is_cancelled=False).select_related("reference")
    fields = [Field("name", DataType.TEXT), *(Field(a.name, a.data_type, a) for a in attributes)]
    own = dialect()
    return BatchContext(batch, entity, fields, now, own, schema=own.work_schema)


class Fence(Protocol):
    """Given by whoever runs the batch; the engine's fence is also the heartbeat and reads the wish to cancel."""

    def check(self, rows_done: int, rows_total: int | None) -> None:
        """Return when the batch may go on; raise to stop it. Runs first in every transaction that writes."""

    def hold(self) -> None:
        """Keep the batch from being released until the current transaction ends; raise when it was released before.

        Takes the place of `check` in transactions that run side by side: all of them may hold at once.
        """


class NoFence:
    """For a batch that nobody else can release: direct use, tests, benchmarks."""

    def check(self, rows_done: int, rows_total: int | None) -> None:
        """Let the batch go on."""

    def hold(self) -> None:
        """Let the batch go on."""


@contextmanager
def guarded(context: BatchContext, fence: Fence) -> Iterator[None]:
    """Open a transaction, ask the fence inside it, and let long statements run; whatever is raised rolls it back."""
    with transaction.atomic():
        batch = Batch.objects.get(pk=context.batch.pk)
        fence.check(batch.rows_done, batch.rows_total)
        context.sql.patient()
        context.sql.favour_indexes()
        yield
        number_change_sets()


@contextmanager
def guarded_together(context: BatchContext, fence: Fence) -> Iterator[None]:
    """Open a transaction beside others of the same batch: the fence is held by all of them until each has ended."""
    with transaction.atomic():
        fence.hold()
        context.sql.patient()
        context.sql.favour_indexes()
        yield
        number_change_sets()


def connections_for(rows: int) -> int:
    """Return how many connections work on this many rows (BATCH_LANES at most).

    One for few rows, and where others could not see what this connection sees: inside a transaction, and in a
    database in memory.
    """
    if connection.in_atomic_block or rows < dialect().worth_connections or dialect().is_in_memory():
        return 1
    return max(int(settings.BATCH_LANES), 1)


def chunks_abreast(context: BatchContext, rows: int) -> int:
    """Return how many chunks of so many plain rows are merged at once.

    Where members refer to one another and have unique values two chunks could wait for each other: a new unique value
    locks its member against being referred to until the chunk ends.
    """
    tangled = context.self_references and context.unique_fields
    return connections_for(rows) if context.sql.writes_abreast and not tangled else 1


def takes_several(context: BatchContext, rows: int) -> bool:
    """Return whether so many rows take several transactions, one after the other or side by side."""
    return rows > context.chunk_rows or chunks_abreast(context, rows) > 1


def side_by_side(pieces: Sequence[Callable[[], T]]) -> list[T]:
    """Do all pieces at the same time and return what each returned; the first is done on the caller's connection.

    Each comes to its end, whatever becomes of the others; then the first error is raised.
    """
    first, *others = pieces
    with ThreadPoolExecutor(max(len(others), 1), thread_name_prefix="batch") as pool:
        beside = [pool.submit(_apart, piece) for piece in others]
        return [first(), *(future.result() for future in beside)]


def _apart(piece: Callable[[], T]) -> T:
    """Do one piece in a thread of its own, and close the connection it opened."""
    try:
        return piece()
    finally:
        connections.close_all()


@dataclass(frozen=True)
class _Open:
    """A change set that has no number yet; its rows of the history come after the first one."""

    id: int
    first_row: int
    history: Sql


@in_transaction
def change_set(entity: Entity, history: Sql) -> int:
    """Return the id of this transaction's change set for an entity; opened when it is asked for first."""
    found = kept_in_transaction(_KEPT)
    if entity.pk not in found:
        highest = highest_row(history)
        found[entity.pk] = _Open(_create(entity, highest), highest, history)
    return int(found[entity.pk].id)


def number_change_sets() -> None:
    """Give the change sets of this transaction their numbers: the last thing before its commit.

    Entities come in one order, so two transactions that changed the same two never wait for each other.
    """
    found = kept_in_transaction(_KEPT)
    for entity_id in sorted(found):
        noted = found.pop(entity_id)
        last = highest_row(noted.history)
        number = _next_number(entity_id)
        if not ChangeSet.objects.filter(pk=noted.id).update(number=number, last_row=last):
            raise Unprotected(f"Change set {noted.id} was opened in a savepoint that is gone.")


def note_new_codes(entity: Entity, history: Sql, production: Sql) -> None:
    """Keep, with the changes that this transaction noted of an entity, the codes that members got by them."""
    noted = kept_in_transaction(_KEPT).get(entity.pk)
    if noted:
        parts = {"history": history, "production": production, "first": noted.first_row}
        run(statement("note_new_codes", change_set=noted.id, **parts))


def _create(entity: Entity, highest: int) -> int:
    return int(ChangeSet.objects.create(entity=entity, first_row=highest).pk)


def _next_number(entity_id: int) -> int:
    feed = ChangeFeed.objects.filter(entity_id=entity_id)
    if not feed.update(last_number=F("last_number") + 1):
        ChangeFeed.objects.bulk_create([ChangeFeed(entity_id=entity_id)], ignore_conflicts=True)
        feed.update(last_number=F("last_number") + 1)
    return int(feed.values_list("last_number", flat=True)[0])
