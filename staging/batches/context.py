"""The context of one attempt at a batch: everything it needs to know while it runs, gathered once."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from secrets import token_hex
from typing import Any

from django.conf import settings

from staging.batches.merging.history import History, kept_history
from staging.identifiers import production_table, staging_table
from staging.models import Attribute, Batch, Entity
from staging.sql.choose import dialect
from staging.sql.compose import Sql, name
from staging.sql.dialect import Dialect
from staging.states import DataType, ImportStatus

WORK_PREFIX = "work_batch_"
PREVIEW_PREFIX = "work_preview_"


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
