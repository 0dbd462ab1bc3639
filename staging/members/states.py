"""What members were before and after the rows of the history, read in few statements for a page of them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from staging.identifiers import before_column, history_table, production_table
from staging.members.columns import ALWAYS, MemberColumn, Reference, attribute_columns, converters, to_value
from staging.models import ChangeSet, Entity
from staging.sql.compose import Sql, column, fetch, join, name, sql
from staging.sql.dialect import dialect, from_database
from staging.states import DataType, HistoryAction
from staging.tables.columns import real_columns

State = dict[str, Any]
_ID = MemberColumn("id", DataType.INTEGER)


@dataclass(frozen=True)
class Commit:
    """What one transaction changed: its place in the order of commits, and where its rows of the history lie."""

    id: int
    number: int
    above: int
    last: int

    @property
    def most_rows(self) -> int:
        """Return how many rows it has at most."""
        return self.last - self.above


@dataclass(frozen=True)
class HistoryRow:
    """One row of the history with the place of its commit; `was` is the member before."""

    number: int
    id: int
    action: str
    batch_id: int
    changed_at: datetime | None
    new_code: str | None
    was: State

    @property
    def frees_a_code(self) -> bool:
        """Return whether nobody has the code of before any more, unless another member took it."""
        return self.action == HistoryAction.DELETED or self.new_code is not None

    @property
    def member_id(self) -> int:
        """Return the id of the member."""
        return int(self.was["id"])


class States:
    """The states of one entity's members: values by column, references as ids until they are `worded`."""

    def __init__(self, entity: Entity):
        self.entity = entity
        self.history = name(history_table(entity.code))
        self.production = name(production_table(entity.code))
        kept = real_columns(history_table(entity.code))
        self.columns = [_ID, *ALWAYS, *(c for c in attribute_columns(entity) if before_column(c.name) in kept)]
        self.names, self.converters = [c.name for c in self.columns], converters(self.columns)

    def rows(
        self, sets: Sequence[Commit], *, freed: bool | None = None, after: int = 0, limit: int | None = None
    ) -> list[HistoryRow]:
        """Return the rows of some change sets by id, behind the row `after`; `freed`: those that free a code or not."""
        own = ("c.number", "h.id", "h.action", "h.batch_id", "h.changed_at", "h.new_code")
        deleted = HistoryAction.DELETED.value
        found = fetch(
            sql(
                "SELECT {own}, {was} FROM {history} h JOIN {sets} c ON c.id = h.change_set_id"
                " WHERE {among} AND h.id > {first} AND h.id <= {last}{part} ORDER BY h.id{limit}",
                own=Sql(", ".join(own)),
                was=self._was("h"),
                history=self.history,
                sets=name(ChangeSet._meta.db_table),
                among=dialect().among(Sql("h.change_set_id"), [each.id for each in sets]),
                first=max(after, min(each.above for each in sets)),
                last=max(each.last for each in sets),
                part={
                    None: Sql(""),
                    True: sql(" AND (h.action = {deleted} OR h.new_code IS NOT NULL)", deleted=deleted),
                    False: sql(" AND h.action <> {deleted}", deleted=deleted),
                }[freed],
                limit=Sql("") if limit is None else sql(" LIMIT {limit}", limit=limit),
            )
        )
        return [_row(row[: len(own)], self._state(row[len(own) :])) for row in found]

    def after(self, wanted: Sequence[HistoryRow], rows: Sequence[HistoryRow], end: tuple[int, int]) -> dict[int, State]:
        """Return what members were after the commits of some rows, by row; nothing where the commit went on with it.

        `rows` are all that were read around them, and `end` is the place of the last one.
        """
        following = _following(rows)
        open_ = {row.member_id for row in wanted if row.id not in following}
        later = self._first_behind(open_, end)
        now = self._now(open_ - later.keys())
        found = {}
        for row in wanted:
            place = following.get(row.id) or later.get(row.member_id)
            if place and place.number == row.number:
                continue
            state = place.was if place and place.action != HistoryAction.INSERTED else None
            state = state if place else now.get(row.member_id)
            if state is not None:
                found[row.id] = state
        return found

    def of_batch(self, batch_id: int, after: int, limit: int) -> list[HistoryRow]:
        """Return the rows that a batch wrote, by id, behind the row `after`."""
        found = fetch(
            sql(
                "SELECT 0, h.id, h.action, h.batch_id, h.changed_at, h.new_code, {was} FROM {history} h"
                " WHERE h.batch_id = {batch} AND h.id > {after} ORDER BY h.id LIMIT {limit}",
                was=self._was("h"),
                history=self.history,
                batch=batch_id,
                after=after,
                limit=limit,
            )
        )
        return [_row(row[:6], self._state(row[6:])) for row in found]

    def next_or_now(self, rows: Sequence[HistoryRow]) -> dict[int, State]:
        """Return what the members of these rows were after each of them, by row: in the next one, or now."""
        ids = [row.id for row in rows]
        found = fetch(
            sql(
                "SELECT h.id, {was} FROM {history} h JOIN {history} n ON n.id = (SELECT min(o.id) FROM {history} o"
                " WHERE o.member_id = h.member_id AND o.id > h.id) WHERE {among} AND n.action <> {inserted}",
                was=self._was("n"),
                history=self.history,
                among=dialect().among(Sql("h.id"), ids),
                inserted=HistoryAction.INSERTED.value,
            )
        )
        later = {row[0]: self._state(row[1:]) for row in found}
        now = self._now({row.member_id for row in rows if row.id not in later})
        left = {row.id: later.get(row.id) or now.get(row.member_id) for row in rows}
        return {row_id: state for row_id, state in left.items() if state is not None}

    def without_birth(self, last: int, number: int, limit: int) -> list[State]:
        """Return the members with higher ids than `last` whose birth is in no change set behind this number."""
        found = fetch(
            sql(
                "SELECT {columns} FROM {production} p WHERE p.id > {last} AND NOT EXISTS (SELECT 1 FROM {history} h"
                " JOIN {sets} c ON c.id = h.change_set_id WHERE h.member_id = p.id AND h.action = {inserted}"
                " AND c.number > {number}) ORDER BY p.id LIMIT {limit}",
                columns=join(", ", (column("p", c.name) for c in self.columns)),
                production=self.production,
                last=last,
                history=self.history,
                sets=name(ChangeSet._meta.db_table),
                inserted=HistoryAction.INSERTED.value,
                number=number,
                limit=limit,
            )
        )
        return [self._state(row) for row in found]

    def worded(self, states: Sequence[State]) -> list[State]:
        """Return the states with references as `Reference`; one whose member is gone is empty."""
        references = [(c, self._codes(c, states)) for c in self.columns if c.target]
        if not references:
            return list(states)
        return [
            {**state, **{c.name: _reference(c, state[c.name], codes) for c, codes in references}} for state in states
        ]

    def _first_behind(self, members: Iterable[int], end: tuple[int, int]) -> dict[int, HistoryRow]:
        """Return the first row of each of these members that was committed behind a place."""
        ids = sorted(members)
        if not ids:
            return {}
        found = fetch(
            sql(
                "SELECT n.number, n.id, n.action, 0, NULL, n.new_code, {was} FROM (SELECT h.*, c.number, row_number()"
                " OVER (PARTITION BY h.member_id ORDER BY c.number, h.id) AS place FROM {history} h"
                " JOIN {sets} c ON c.id = h.change_set_id WHERE {among}"
                " AND (c.number > {number} OR (c.number = {number} AND h.id > {id}))) n WHERE n.place = 1",
                was=self._was("n"),
                history=self.history,
                sets=name(ChangeSet._meta.db_table),
                among=dialect().among(Sql("h.member_id"), ids),
                number=end[0],
                id=end[1],
            )
        )
        rows = [_row(row[:6], self._state(row[6:])) for row in found]
        return {row.member_id: row for row in rows}

    def _now(self, members: Iterable[int]) -> dict[int, State]:
        ids = sorted(members)
        found = fetch(
            sql(
                "SELECT {columns} FROM {production} p WHERE {among}",
                columns=join(", ", (column("p", c.name) for c in self.columns)),
                production=self.production,
                among=dialect().among(Sql("p.id"), ids),
            )
        )
        return {row[0]: self._state(row) for row in found}

    def _was(self, alias: str) -> Sql:
        kept = (column(alias, before_column(c.name)) for c in self.columns[1:])
        return join(", ", [column(alias, "member_id"), *kept])

    def _state(self, raw: Sequence[Any]) -> State:
        state = dict(zip(self.names, raw, strict=True))
        for label, data_type in self.converters:
            state[label] = to_value(data_type, state[label])
        return state

    def _codes(self, reference: MemberColumn, states: Sequence[State]) -> dict[int, str]:
        ids = sorted({state[reference.name] for state in states} - {None})
        if reference.target is None or not ids:
            return {}
        found = fetch(
            sql(
                "SELECT r.id, r.code FROM {target} r WHERE {among}",
                target=name(production_table(reference.target.code)),
                among=dialect().among(Sql("r.id"), ids),
            )
        )
        return dict(found)


def _row(own: Sequence[Any], was: State) -> HistoryRow:
    number, row_id, action, batch_id, changed_at, new_code = own
    return HistoryRow(number, row_id, action, batch_id, from_database(changed_at), new_code, was)


def _following(rows: Sequence[HistoryRow]) -> dict[int, HistoryRow]:
    """Return, for each of these rows that has one among them, the next of the same member."""
    newest: dict[int, HistoryRow] = {}
    found = {}
    for row in sorted(rows, key=lambda row: (row.number, row.id)):
        if before := newest.get(row.member_id):
            found[before.id] = row
        newest[row.member_id] = row
    return found


def _reference(c: MemberColumn, member_id: int | None, codes: Mapping[int, str]) -> Reference | None:
    if member_id is None or c.target is None or member_id not in codes:
        return None
    return Reference(c.target.pk, member_id, codes[member_id])
