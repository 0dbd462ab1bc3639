"""Pages through members in the order of their codes, by position: any page costs the same and nothing is counted."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from staging.identifiers import production_table
from staging.members.as_of import states_at
from staging.members.columns import ALWAYS, MemberColumn, attribute_columns, read_member, reference_joins, selected
from staging.members.filters import Filter, condition, contains
from staging.models import Entity
from staging.sql.compose import Sql, fetch, join, name, sql
from staging.sql.dialect import dialect
from staging.states import DataType
from staging.tables.columns import named_problems

_STREAMED = 2000
ID = MemberColumn("id", DataType.INTEGER)


@dataclass(frozen=True)
class MemberQuery:
    """Which members: those whose code or name contains a text, active or inactive ones, those that pass all filters."""

    search: str = ""
    active: bool | None = None
    filters: Sequence[Filter] = field(default_factory=tuple)


@dataclass(frozen=True)
class MemberPage:
    """One page of members by code, and whether there are others before and behind it."""

    rows: list[dict[str, Any]]
    has_earlier: bool
    has_later: bool


def shown_columns(entity: Entity) -> list[MemberColumn]:
    """Return what is read of a member: its id, the system columns people see, its attributes."""
    return [ID, *ALWAYS, *attribute_columns(entity)]


def member_page(
    entity: Entity, wanted: MemberQuery, *, after: str = "", before: str = "", size: int = 50, seconds: int = 5
) -> MemberPage:
    """Return the members behind the code `after`, or those ahead of `before`, else the first.

    Raises TableMismatch when the tables were altered by others, and OperationalError when PostgreSQL needs longer than
    `seconds`: a filter on an attribute has no index.
    """
    backwards = bool(before)
    with named_problems(entity), dialect().at_most(seconds):
        rows = _read(entity, wanted, before or after, size + 1, backwards=backwards)
    more = len(rows) > size
    rows = rows[:size][::-1] if backwards else rows[:size]
    return MemberPage(rows, has_earlier=more if backwards else bool(after), has_later=backwards or more)


def stream_members(entity: Entity, wanted: MemberQuery) -> Iterator[dict[str, Any]]:
    """Yield all the members wanted, in the order of their codes, in the memory of a few thousand.

    Each few thousand are a statement of their own: no lock and no snapshot is held while the reader is slow.
    """
    after = ""
    while rows := _read(entity, wanted, after, _STREAMED):
        yield from rows
        if len(rows) < _STREAMED:
            return
        after = rows[-1]["code"]


def members_by_id(
    entity: Entity,
    wanted: MemberQuery,
    *,
    as_of: datetime | None = None,
    after: int | None = None,
    before: int | None = None,
    size: int = 50,
    seconds: int = 5,
) -> MemberPage:
    """Return the members behind the id `after`, or those ahead of `before`, else the first; new ones come last.

    With `as_of` as they were at that instant, which the history has to know. Raises as `member_page` does.
    """
    backwards, columns = before is not None, shown_columns(entity)
    source = name(production_table(entity.code)) if as_of is None else states_at(entity, columns, as_of)
    conditions = [*_conditions(wanted)]
    if (edge := before if backwards else after) is not None:
        conditions.append(sql(f"p.id {'<' if backwards else '>'} {{edge}}", edge=edge))
    with named_problems(entity), dialect().at_most(seconds):
        found = fetch(
            sql(
                "SELECT {columns} FROM {source} p{joins} WHERE {conditions} ORDER BY p.id {direction} LIMIT {size}",
                columns=selected(columns),
                source=source,
                joins=reference_joins(columns),
                conditions=join(" AND ", conditions),
                direction=Sql("DESC" if backwards else "ASC"),
                size=size + 1,
            )
        )
    more, rows = len(found) > size, [read_member(columns, row) for row in found[:size]]
    if backwards:
        rows.reverse()
    return MemberPage(rows, has_earlier=more if backwards else after is not None, has_later=backwards or more)


def _read(
    entity: Entity, wanted: MemberQuery, from_code: str, size: int, *, backwards: bool = False
) -> list[dict[str, Any]]:
    columns = shown_columns(entity)
    conditions = [*_conditions(wanted)]
    if from_code:
        sign = "<" if backwards else ">"
        conditions.append(sql(f"p.code {sign} {{code}}", code=from_code))
    rows = fetch(
        sql(
            "SELECT {columns} FROM {production} p{joins} WHERE {conditions} ORDER BY p.code {direction} LIMIT {size}",
            direction=Sql("DESC" if backwards else "ASC"),
            columns=selected(columns),
            production=name(production_table(entity.code)),
            joins=reference_joins(columns),
            conditions=join(" AND ", conditions),
            size=size,
        )
    )
    return [read_member(columns, row) for row in rows]


def _conditions(wanted: MemberQuery) -> Iterator[Sql]:
    yield Sql("1 = 1")
    if wanted.active is not None:
        yield Sql("p.is_active" if wanted.active else "NOT p.is_active")
    if wanted.search:
        code, label = (contains(Sql(f"p.{each}"), wanted.search) for each in ("code", "name"))
        yield sql("({code} OR {label})", code=code, label=label)
    yield from map(condition, wanted.filters)
