"""What a member was: each change with who made it, in which batch, when, and every value before and after."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from staging.identifiers import before_column, history_table, production_table
from staging.members.columns import MemberColumn, attribute_columns, to_value
from staging.models import Entity
from staging.sql.compose import Sql, column, fetch, join, name, sql
from staging.sql.dialect import from_database
from staging.states import DataType, HistoryAction
from staging.tables.columns import real_columns, table_exists
from staging.wording import say

_SYSTEM = (
    MemberColumn("code", DataType.TEXT),
    MemberColumn("name", DataType.TEXT),
    MemberColumn("is_active", DataType.BOOLEAN),
)
_ID = MemberColumn("id", DataType.INTEGER)


@dataclass(frozen=True)
class Difference:
    """One value that a change made another one."""

    column: str
    before: Any
    after: Any


@dataclass(frozen=True)
class MemberChange:
    """One change of a member, with what differs; `undoes` says that older values hold again."""

    id: int
    action: str
    batch_id: int
    restored_batch_id: int | None
    changed_at: datetime
    changed_by: str
    differences: list[Difference]

    @property
    def words(self) -> str:
        """Return what happened, in the word that says most."""
        changed = {d.column: d for d in self.differences}
        if self.action != HistoryAction.UPDATED:
            return str(HistoryAction(self.action).label)
        if "is_active" in changed:
            return say("active again") if changed["is_active"].after else say("deactivated")
        return say("renamed") if "code" in changed else say("updated")


def member_changes(
    entity: Entity, member_id: int, *, before_id: int | None = None, size: int = 20
) -> list[MemberChange]:
    """Return the changes of a member, newest first, at most `size`; the next page starts with `before_id`.

    Empty when no history of it is there. What a change left is what the next one found, or what is there now.
    """
    if not table_exists(history_table(entity.code)):
        return []
    columns = _kept_columns(entity)
    rows = _rows(entity, columns, member_id, sql("h.id < {id}", id=before_id) if before_id else Sql("1 = 1"), size)
    if not rows:
        return []
    newer = _rows(entity, columns, member_id, sql("h.id > {id}", id=rows[0]["id"]), 1, ascending=True)
    after = newer[0] if newer else _now(entity, columns, member_id)
    states = [after, *rows]
    codes = _codes(columns, [*rows, after])
    return [_change(columns, codes, row, states[place]) for place, row in enumerate(rows)]


def _kept_columns(entity: Entity) -> list[MemberColumn]:
    kept = real_columns(history_table(entity.code))
    return [*_SYSTEM, *(c for c in attribute_columns(entity) if before_column(c.name) in kept)]


def _rows(
    entity: Entity, columns: list[MemberColumn], member_id: int, where: Sql, size: int, *, ascending: bool = False
) -> list[dict[str, Any]]:
    own = ("id", "action", "batch_id", "restored_batch_id", "changed_at", "changed_by")
    wanted = [*(column("h", each) for each in own), *(column("h", before_column(c.name)) for c in columns)]
    found = fetch(
        sql(
            "SELECT {wanted} FROM {history} h WHERE h.member_id = {id} AND {where}"
            " ORDER BY h.id {direction} LIMIT {size}",
            direction=Sql("ASC" if ascending else "DESC"),
            wanted=join(", ", wanted),
            history=name(history_table(entity.code)),
            id=member_id,
            where=where,
            size=size,
        )
    )
    return [
        {
            **dict(zip(own, row, strict=False)),
            "was": _values(columns, row[len(own) :], row[1] != HistoryAction.INSERTED),
        }
        for row in found
    ]


def _values(columns: list[MemberColumn], raw: Iterable[Any], exists: bool) -> dict[str, Any]:
    """Return the values by column; none at all of a member that did not exist."""
    return {c.name: to_value(c.data_type, value) for c, value in zip(columns, raw, strict=True)} if exists else {}


def _now(entity: Entity, columns: list[MemberColumn], member_id: int) -> dict[str, Any]:
    found = fetch(
        sql(
            "SELECT {columns} FROM {production} p WHERE p.id = {id}",
            columns=join(", ", (column("p", c.name) for c in columns)),
            production=name(production_table(entity.code)),
            id=member_id,
        )
    )
    return {"was": _values(columns, found[0], True) if found else {}}


def _change(
    columns: list[MemberColumn], codes: Mapping[tuple[str, int], str], row: dict[str, Any], after: dict[str, Any]
) -> MemberChange:
    was, became = row["was"], after["was"]
    return MemberChange(
        id=row["id"],
        action=row["action"],
        batch_id=row["batch_id"],
        restored_batch_id=row["restored_batch_id"],
        changed_at=from_database(row["changed_at"]),  # type: ignore[arg-type]
        changed_by=row["changed_by"],
        differences=list(_differences(columns, codes, was, became)),
    )


def _differences(
    columns: list[MemberColumn],
    codes: Mapping[tuple[str, int], str],
    was: Mapping[str, Any],
    became: Mapping[str, Any],
) -> Iterator[Difference]:
    for each in columns:
        old, new = was.get(each.name), became.get(each.name)
        if old != new:
            yield Difference(each.name, _shown(each, codes, old), _shown(each, codes, new))


def _shown(each: MemberColumn, codes: Mapping[tuple[str, int], str], value: Any) -> Any:
    """Return a value; a reference as the code its member has now, or its number when that member is gone."""
    if each.target is None or value is None:
        return value
    return codes.get((each.target.code, value), say("number {value}, which is gone", value=value))


def _codes(columns: list[MemberColumn], states: list[dict[str, Any]]) -> dict[tuple[str, int], str]:
    """Return the codes of the members that references of these states point at, by entity and id."""
    found = {}
    for each in columns:
        ids = {state["was"].get(each.name) for state in states if each.target} - {None}
        if each.target is None or not ids:
            continue
        rows = fetch(
            sql(
                "SELECT r.id, r.code FROM {target} r WHERE r.id IN ({ids})",
                target=name(production_table(each.target.code)),
                ids=join(", ", (sql("{id}", id=each_id) for each_id in sorted(ids))),
            )
        )
        found.update({(each.target.code, row_id): code for row_id, code in rows})
    return found
