"""Judges the rows once more when it matters to others which members go, or which rows are superseded.

Both show only when every row is classified, and both change what a reference means and what a value meets. It is rare
that a row names such a member or code, or that its own member loses a reference, so nobody else pays for it.
"""

from collections.abc import Iterator
from dataclasses import replace

from staging.batches import actions, worktable
from staging.batches.context import BatchContext, Field
from staging.batches.errors import RowsChanged
from staging.batches.order import Special
from staging.batches.removals import REMOVED
from staging.batches.staged import pending, sentinel, trimmed
from staging.sql.compose import Sql, column, fetch, join, run, sql
from staging.sql.statement import statement

_GONE = "_gone"
_SUPERSEDED = "_superseded"


def is_needed(context: BatchContext, found: Special) -> bool:
    """Return whether a row means or meets something else, now that it is known what goes and what counts."""
    if not context.self_references:
        return False
    return any(fetch(query) for query in _reasons(context, found))


def remember(context: BatchContext, found: Special) -> BatchContext:
    """Keep what is known, drop all other tables of this judgement, and return the context of the next one."""
    known = replace(context, gone=_GONE if found.removals else "", superseded=_SUPERSEDED if found.superseded else "")
    for suffix, columns, rows in _known(known):
        worktable.create_beside(context, suffix, [(name, "bigint") for name in columns])
        run(statement("remember", table=context.table(suffix), rows=rows))
    worktable.start_afresh(context, *(suffix for suffix, _, _ in _known(known)))
    for suffix, _, _ in _known(known):
        worktable.analyze(context, suffix)
    return known


def check(context: BatchContext) -> None:
    """Raise RowsChanged when the second judgement would take away or supersede something else than the first."""
    for suffix, _, now in _known(context):
        before = statement("noted", table=context.table(suffix))
        for one, other in ((before, now), (now, before)):
            if fetch(statement("find_difference", one=one, other=other)):
                raise RowsChanged("Others staged or changed rows while these were looked at.")


def _known(context: BatchContext) -> Iterator[tuple[str, list[str], Sql]]:
    """Yield the tables of what is known, with their columns and what belongs there."""
    if context.gone:
        rows = statement("members_that_go", removed=context.table(REMOVED), clearing=actions.CLEARING)
        yield context.gone, ["id", "clears"], rows
    if context.superseded:
        yield context.superseded, ["row_id"], statement("superseded_rows", work=context.work)


def _reasons(context: BatchContext, found: Special) -> Iterator[Sql]:
    """Yield queries; a row that one of them finds is a reason to judge again."""
    if found.removals:
        yield _lose_a_reference(context)
        yield from (_refer_to_who_goes(context, field) for field in context.self_references)
    if found.superseded:
        yield from (_refer_to_superseded(context, field) for field in context.self_references)


def _lose_a_reference(context: BatchContext) -> Sql:
    """Return the rows, beside removals, whose member loses a reference."""
    ids = statement("cleared_members", removed=context.table(REMOVED), clearing=actions.CLEARING)
    return statement(
        "lose_a_reference",
        work=context.work,
        production=context.production,
        removes=actions.removes("w"),
        lost=join(" OR ", [sql("{v} IN ({ids})", v=column("p", f.name), ids=ids) for f in context.self_references]),
    )


def _refer_to_who_goes(context: BatchContext, field: Field) -> Sql:
    """Return the rows, beside removals, that refer to a member that goes; an inactive one is not found anyway."""
    return statement(
        "refer_to_who_goes",
        staging=context.staging,
        removed=context.table(REMOVED),
        text=trimmed(context, field.name),
        pending=pending(context),
        removes=actions.takes_away(context),
        clears=sentinel(context, field),
    )


def _refer_to_superseded(context: BatchContext, field: Field) -> Sql:
    """Return the rows that refer to a code or new code of a superseded row, and of no row that counts and has it."""
    return statement(
        "refer_to_superseded",
        work=context.work,
        late=column("w", f"l_{field.name}"),
        brings=actions.may_bring("o"),
    )
