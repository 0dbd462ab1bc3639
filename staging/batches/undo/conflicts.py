"""Finds the members that cannot be taken back without breaking what others rely on, until nothing changes.

A member that stays may be in the way of another one, so the rules are asked again as long as one finds something.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum

from django.utils.translation import gettext_noop

from staging.batches.undo.part import Part, referring_columns, was_value
from staging.identifiers import production_table
from staging.models import Entity
from staging.sql.compose import Sql, column, fetch, name, run, sql, statement
from staging.wording import say


class Reason(IntEnum):
    """Why a member stays as it is, as the work table of an undo holds it; 0 there: it does not."""

    CHANGED = 1
    CODE = 2
    UNIQUE = 3
    GONE = 4
    NEEDED = 5


_REASONS = {
    Reason.CHANGED: gettext_noop("it was changed since"),
    Reason.CODE: gettext_noop("another member has its code now"),
    Reason.UNIQUE: gettext_noop("another member has its value of a unique attribute now"),
    Reason.GONE: gettext_noop("a member it referred to is gone or inactive"),
    Reason.NEEDED: gettext_noop("other members refer to it"),
}
_COMES = sql("u.kind IN ({UndoKind.REVIVE}, {UndoKind.RESTORE})")


@dataclass(frozen=True)
class Conflict:
    """A member that stays as it is, and why; `entity` is empty for the batch's own entity."""

    entity: str
    code: str
    reason: str

    def __str__(self) -> str:
        return f"{self.entity}/{self.code}" if self.entity else self.code


def mark_conflicts(parts: Sequence[Part]) -> None:
    """Mark every member of the work tables that has to stay as it is."""
    rules = [rule for part in parts for rule in _rules(part, parts)]
    while any(rule() for rule in rules):
        pass


def conflicts(parts: Sequence[Part]) -> Iterator[Conflict]:
    """Yield the members that stay as they are, the main part's first, by code."""
    for part in parts:
        rows = fetch(
            statement(
                "read_conflicts",
                work=part.work,
                history=part.history.table,
                production=part.production,
            )
        )
        entity = "" if part is parts[0] else part.entity.code
        yield from (Conflict(entity, code, say(_REASONS[Reason(number)])) for code, number in rows)


def _rules(part: Part, parts: Sequence[Part]) -> Iterator[Callable[[], int]]:
    yield lambda: _mark(part, Reason.CODE, _taken(part, "code"))
    for attribute in part.attributes:
        if attribute.unique and not attribute.is_cancelled:
            yield lambda label=attribute.name: _mark(part, Reason.UNIQUE, _taken(part, label))  # type: ignore[misc]
        if attribute.reference:
            gone = _gone(part, attribute.name, attribute.reference, _part_of(attribute.reference, parts))
            yield lambda condition=gone: _mark(part, Reason.GONE, condition)  # type: ignore[misc]
    for entity, label in referring_columns(part.entity):
        needed = _needed(part, entity, label, _part_of(entity, parts))
        yield lambda condition=needed: _mark(part, Reason.NEEDED, condition)  # type: ignore[misc]


def _part_of(entity: Entity, parts: Sequence[Part]) -> Part | None:
    return next((part for part in parts if part.entity.pk == entity.pk), None)


def _mark(part: Part, conflict: Reason, condition: Sql) -> int:
    """Put the members that meet the condition in conflict; `u` is the work row, `h` what was, `p` what is."""
    return run(
        statement(
            "mark_conflicts",
            work=part.work,
            conflict=conflict.value,
            history=part.history.table,
            production=part.production,
            condition=condition,
        )
    )


def _going(part: Part, member: Sql, condition: Sql) -> Sql:
    """Return whether a member is taken back by this undo (`o`, with what it was as `oh`) and meets the condition."""
    return sql(
        "EXISTS (SELECT 1 FROM {work} o JOIN {history} oh ON oh.id = o.history_id"
        " WHERE o.member_id = {member} AND o.conflict = 0 AND ({condition}))",
        work=part.work,
        history=part.history.table,
        member=member,
        condition=condition,
    )


def _taken(part: Part, label: str) -> Sql:
    """Return whether another member has the value (or code) that would come back, and keeps it."""
    leaves = sql("o.kind = {UndoKind.REMOVE} OR {differs}", differs=part.differs("oh", "q", label))
    return sql(
        "{comes} AND EXISTS (SELECT 1 FROM {production} q WHERE {theirs} = {was} AND q.id <> u.member_id"
        " AND NOT {leaves})",
        comes=_COMES,
        production=part.production,
        theirs=column("q", label),
        was=was_value("h", label),
        leaves=_going(part, Sql("q.id"), leaves),
    )


def _gone(part: Part, label: str, target: Entity, target_part: Part | None) -> Sql:
    """Return whether a reference would come back to a member that is not there, or not active as its own is.

    One that is taken back with it is again what it was beside it.
    """
    was = was_value("h", label)
    stays = Sql("1 = 1")
    comes = Sql("1 = 0")
    if target_part is not None:
        stays = sql("NOT {going}", going=_going(target_part, Sql("r.id"), Sql("1 = 1")))
        comes = _going(target_part, was, sql("o.kind <> {UndoKind.REMOVE}"))
    return sql(
        "{comes} AND {was} IS NOT NULL"
        " AND (u.kind = {UndoKind.REVIVE} OR {differs} OR (h.was_is_active AND NOT p.is_active))"
        " AND NOT {back} AND NOT EXISTS (SELECT 1 FROM {target} r WHERE r.id = {was}"
        " AND (r.is_active OR NOT h.was_is_active) AND {stays})",
        comes=_COMES,
        was=was,
        differs=part.differs("h", "p", label),
        back=sql("({comes})", comes=comes),
        target=name(production_table(target.code)),
        stays=stays,
    )


def _needed(part: Part, entity: Entity, label: str, their_part: Part | None) -> Sql:
    """Return whether a member that would go, or become inactive, is referred to by one that stays as it is."""
    leaves = Sql("1 = 0")
    if their_part is not None:
        kept = label in their_part.history.attributes
        differs = their_part.differs("oh", "q", label) if kept else Sql("1 = 0")
        inactive = Sql("NOT oh.was_is_active")
        leaves = _going(
            their_part,
            Sql("q.id"),
            sql(
                "o.kind = {UndoKind.REMOVE} OR {differs} OR (u.kind = {UndoKind.RESTORE} AND {inactive})",
                differs=differs,
                inactive=inactive,
            ),
        )
    return sql(
        "(u.kind = {UndoKind.REMOVE} OR (u.kind = {UndoKind.RESTORE} AND p.is_active AND NOT h.was_is_active))"
        " AND EXISTS (SELECT 1 FROM {theirs} q WHERE {reference} = u.member_id{other}"
        " AND (u.kind = {UndoKind.REMOVE} OR q.is_active) AND NOT {leaves})",
        theirs=name(production_table(entity.code)),
        reference=column("q", label),
        other=Sql(" AND q.id <> u.member_id" if entity.pk == part.entity.pk else ""),
        leaves=sql("({leaves})", leaves=leaves),
    )
