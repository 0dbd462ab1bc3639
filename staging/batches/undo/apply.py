"""Writes what an undo decided, chunk by chunk: the history of the undo first, then the members.

Members come back first, then values, then members go, so references always find what they point at. Where members
have to change places (a code that another one of them has, members that refer to one another), the whole undo is one
transaction, in which codes and unique values are freed first.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from staging.batches import record
from staging.batches.context import Fence, guarded, note_new_codes
from staging.batches.merging.members import note_change
from staging.batches.undo.part import Part, was_value
from staging.errors import StagingError
from staging.identifiers import before_column
from staging.sql.compose import Sql, column, fetch, join, name, run, sql, statement
from staging.states import HistoryAction, RowOutcome, UndoKind
from staging.wording import say

_COUNTED = {
    UndoKind.REVIVE: RowOutcome.INSERT.counter,
    UndoKind.RESTORE: RowOutcome.UPDATE.counter,
    UndoKind.REMOVE: RowOutcome.DELETE.counter,
}
_SYSTEM = ("code", "name", "is_active", "updated_batch_id")
_EVERYTHING = 2**62


@dataclass(frozen=True)
class _Span:
    """A stretch of a part's rows that one transaction writes."""

    part: Part
    kinds: tuple[UndoKind, ...]
    first: int = 0
    last: int = _EVERYTHING


def apply(parts: Sequence[Part], fence: Fence) -> None:
    """Take back every member that is in no conflict; raises StagingError when one was changed in this moment."""
    main, *others = parts
    if any(map(_has_knots, parts)):
        spans = [_Span(main, (UndoKind.REVIVE, UndoKind.RESTORE)), *(_Span(part, tuple(UndoKind)) for part in others)]
        with guarded(main.context, fence):
            _write_together([*spans, _Span(main, (UndoKind.REMOVE,))])
        return
    for span in _spans(main, others):
        with guarded(main.context, fence):
            _note(span)
            _write(span)


def _spans(main: Part, others: Sequence[Part]) -> Iterator[_Span]:
    """Yield the chunks: what comes back to the batch's entity, all of the others, what goes from the batch's entity."""
    yield from _chunks(main, (UndoKind.REVIVE, UndoKind.RESTORE))
    for part in others:
        yield from _chunks(part, tuple(UndoKind))
    yield from _chunks(main, (UndoKind.REMOVE,))


def _chunks(part: Part, kinds: tuple[UndoKind, ...]) -> Iterator[_Span]:
    wanted = join(", ", (Sql(str(kind.value)) for kind in kinds))
    first, last = fetch(statement("undo_span", work=part.work, kinds=wanted))[0]
    if first is None:
        return
    for start in range(first, last + 1, part.context.chunk_rows):
        yield _Span(part, kinds, start, min(start + part.context.chunk_rows - 1, last))


def _write_together(spans: Sequence[_Span]) -> None:
    for span in spans:
        _note(span)
    for span in spans:
        _free(span.part)
    for span in spans:
        _write(span)


def _note(span: _Span) -> None:
    """Keep what changes or goes; members that come back are noted when they are there."""
    was = Sql("h.was_updated_batch_id")
    if UndoKind.RESTORE in span.kinds:
        _note_kind(span, UndoKind.RESTORE, HistoryAction.UPDATED, was)
    if UndoKind.REMOVE in span.kinds:
        _note_kind(span, UndoKind.REMOVE, HistoryAction.DELETED, None)


def _note_kind(span: _Span, kind: UndoKind, action: HistoryAction, restored: Sql | None) -> int:
    part = span.part
    members = sql(
        " JOIN {work} u ON u.member_id = p.id JOIN {history} h ON h.id = u.history_id WHERE {within}",
        work=part.work,
        history=part.history.table,
        within=_within(span, kind),
    )
    return note_change(part.history, part.context.batch, part.context.now, action, members, restored)


def _write(span: _Span) -> None:
    done = {}
    if UndoKind.REVIVE in span.kinds:
        done[UndoKind.REVIVE] = _revive(span)
        _note_kind(span, UndoKind.REVIVE, HistoryAction.INSERTED, Sql("h.was_updated_batch_id"))
    if UndoKind.RESTORE in span.kinds:
        done[UndoKind.RESTORE] = _restore(span)
        note_new_codes(span.part.entity, span.part.history.table, span.part.production)
    if UndoKind.REMOVE in span.kinds:
        done[UndoKind.REMOVE] = _remove(span)
    for kind, count in done.items():
        if count != _expected(span, kind):
            raise StagingError(say("Members were changed by others while they were taken back. Please try again."))
    record.add_counts(span.part.context.batch.pk, {_COUNTED[kind]: count for kind, count in done.items() if count})


def _within(span: _Span, kind: UndoKind) -> Sql:
    return sql(
        "u.seq BETWEEN {first} AND {last} AND u.conflict = 0 AND u.kind = {kind}",
        first=span.first,
        last=span.last,
        kind=Sql(str(kind.value)),
    )


def _expected(span: _Span, kind: UndoKind) -> int:
    return int(fetch(statement("count_expected", work=span.part.work, within=_within(span, kind)))[0][0])


def _as_left(part: Part) -> Sql:
    return part.context.sql.same(Sql("p.updated_batch_id"), Sql("u.left_batch_id"))


def _revive(span: _Span) -> int:
    """Insert the members that were deleted, with the id they had."""
    part = span.part
    columns = [*_SYSTEM, "created_batch_id", *part.history.attributes]
    return run(
        statement(
            "revive",
            production=part.production,
            columns=join(", ", map(name, columns)),
            values=join(", ", (was_value("h", label) for label in columns)),
            now=part.context.instant,
            work=part.work,
            history=part.history.table,
            within=_within(span, UndoKind.REVIVE),
        )
    )


def _restore(span: _Span) -> int:
    """Give members back what they had; `updated_at` tells of the undo, for those who ask what is new."""
    part = span.part
    changes = [
        sql("{to} = {was}", to=name(label), was=was_value("h", label)) for label in (*_SYSTEM, *part.history.attributes)
    ]
    return run(
        statement(
            "restore",
            production=part.production,
            changes=join(", ", changes),
            now=part.context.instant,
            work=part.work,
            history=part.history.table,
            within=_within(span, UndoKind.RESTORE),
            as_left=_as_left(part),
        )
    )


def _remove(span: _Span) -> int:
    part = span.part
    return run(
        statement(
            "remove",
            production=part.production,
            work=part.work,
            within=_within(span, UndoKind.REMOVE),
            as_left=_as_left(part),
        )
    )


def _free(part: Part) -> None:
    """Make room: give up the codes and unique values that change, until they are set a moment later."""
    unique = [a.name for a in part.attributes if a.unique and not a.is_cancelled]
    parked = sql("{mark} || p.id", mark=f"~undo {part.context.token} ")
    for label, empty in (("code", parked), *((label, Sql("NULL")) for label in unique)):
        run(
            statement(
                "make_room",
                production=part.production,
                label=name(label),
                empty=empty,
                work=part.work,
                history=part.history.table,
                differs=part.differs("h", "p", label),
            )
        )


def _has_knots(part: Part) -> bool:
    """Return whether members have to change places, or come or go together because they refer to one another."""
    unique = [a.name for a in part.attributes if a.unique and not a.is_cancelled]
    own = [a.name for a in part.attributes if a.reference_id == part.entity.pk]
    conditions = [
        *(_changes_places(part, label) for label in ("code", *unique)),
        *(condition for label in own for condition in (_come_together(part, label), _go_together(part, label))),
    ]
    return any(fetch(condition) for condition in conditions)


def _changes_places(part: Part, label: str) -> Sql:
    return statement(
        "change_places",
        work=part.work,
        history=part.history.table,
        production=part.production,
        theirs=column("q", label),
        was=Sql(f"h.{name(before_column(label)).text}"),
    )


def _come_together(part: Part, label: str) -> Sql:
    return statement(
        "come_together",
        work=part.work,
        history=part.history.table,
        was=was_value("h", label),
    )


def _go_together(part: Part, label: str) -> Sql:
    return statement(
        "go_together",
        work=part.work,
        production=part.production,
        now=column("q", label),
    )
