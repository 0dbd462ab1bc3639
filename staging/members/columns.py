"""Says which columns of a member people see, and turns what the database holds into values."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from django.utils.translation import gettext_lazy as _

from staging.identifiers import production_table
from staging.models import Entity
from staging.sql.compose import Sql, column, join, name, sql
from staging.sql.dialect import dialect, from_database
from staging.states import DataType
from staging.tables.create import live_attributes


@dataclass(frozen=True)
class MemberColumn:
    """One column of production as people see it; `target` is the entity that a reference points at."""

    name: str
    data_type: str
    target: Entity | None = None

    @property
    def label(self) -> str:
        """Return what people call it: an attribute has the name that they gave it."""
        return str(_LABELS.get(self.name, self.name))


@dataclass(frozen=True)
class Reference:
    """The member that a reference points at."""

    entity_id: int
    id: int
    code: str

    def __str__(self) -> str:
        return self.code


_LABELS = {
    "code": _("Code"),
    "name": _("Name"),
    "is_active": _("Active"),
    "updated_at": _("Changed"),
    "updated_batch_id": _("Changed by batch"),
}
ALWAYS = (
    MemberColumn("code", DataType.TEXT),
    MemberColumn("name", DataType.TEXT),
    MemberColumn("is_active", DataType.BOOLEAN),
    MemberColumn("updated_at", DataType.DATETIME),
    MemberColumn("updated_batch_id", DataType.INTEGER),
)


def attribute_columns(entity: Entity) -> list[MemberColumn]:
    """Return the columns of the attributes in use, in their order."""
    return [MemberColumn(a.name, a.data_type, a.reference) for a in live_attributes(entity)]


def selected(columns: list[MemberColumn]) -> Sql:
    """Return what is selected of the members `p`: the columns, and behind them the codes of what they refer to."""
    pieces = [column("p", c.name) for c in columns]
    return join(", ", [*pieces, *(column(_alias(c), "code") for c in columns if c.target)])


def reference_joins(columns: list[MemberColumn]) -> Sql:
    """Return the joins that look up what references point at."""
    return join("", list(_joins(columns)))


def referred_code(reference: MemberColumn) -> Sql:
    """Return the code of the member that a reference points at."""
    return column(_alias(reference), "code")


def read_member(columns: list[MemberColumn], row: tuple[Any, ...]) -> dict[str, Any]:
    """Return a selected row as values by column name; references as `Reference`."""
    codes = iter(row[len(columns) :])
    return {c.name: _value(c, raw, next(codes) if c.target else None) for c, raw in zip(columns, row, strict=False)}


def to_value(data_type: str, raw: Any) -> Any:
    """Return what the database gave as a value of the type; SQLite keeps days, instants and decimals as text."""
    if raw is None:
        return None
    if data_type == DataType.BOOLEAN:
        return bool(raw)
    if data_type == DataType.DATETIME:
        return from_database(raw)
    if data_type == DataType.DECIMAL:
        return raw if isinstance(raw, Decimal) else Decimal(str(raw))
    if data_type == DataType.DATE:
        return raw if isinstance(raw, date) else date.fromisoformat(str(raw))
    return raw


def converters(columns: Sequence[MemberColumn]) -> list[tuple[str, str]]:
    """Return the names and types of the columns whose values the database in use gives as something else."""
    return [(c.name, c.data_type) for c in columns if c.data_type not in dialect().given_as_values]


def _value(column_: MemberColumn, raw: Any, code: str | None) -> Any:
    if column_.target is None:
        return to_value(column_.data_type, raw)
    return None if raw is None else Reference(column_.target.pk, raw, str(code))


def _joins(columns: list[MemberColumn]) -> Iterator[Sql]:
    for wanted in columns:
        if wanted.target is not None:
            yield sql(
                " LEFT JOIN {target} {alias} ON {id} = {reference}",
                target=name(production_table(wanted.target.code)),
                alias=name(f"r_{wanted.name}"),
                id=column(_alias(wanted), "id"),
                reference=column("p", wanted.name),
            )


def _alias(wanted: MemberColumn) -> str:
    return name(f"r_{wanted.name}").text
