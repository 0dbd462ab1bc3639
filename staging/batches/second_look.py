"""Judges the rows once more when it matters to others which members go, or which rows are superseded.

Both show only when every row is classified, and both change what a reference means and what a value meets. It is rare
that a row names such a member or code, or that its own member loses a reference, so nobody else pays for it.
"""

from collections.abc import Iterator
from dataclasses import replace

from staging.batches import actions, worktable
from staging.batches.errors import RowsChanged
from staging.batches.order import Special
from staging.batches.plan import Field, Plan
from staging.batches.removals import REMOVED
from staging.batches.staged import pending, sentinel, trimmed
from staging.sql.compose import Sql, column, fetch, join, run, sql
from staging.sql.statement import statement

_GONE = "_gone"
_SUPERSEDED = "_superseded"


def is_needed(plan: Plan, found: Special) -> bool:
    """Return whether a row means or meets something else, now that it is known what goes and what counts."""
    if not plan.self_references:
        return False
    return any(fetch(query) for query in _reasons(plan, found))


def remember(plan: Plan, found: Special) -> Plan:
    """Keep what is known, drop all other tables of this judgement, and return the plan of the next one."""
    known = replace(plan, gone=_GONE if found.removals else "", superseded=_SUPERSEDED if found.superseded else "")
    for suffix, columns, rows in _known(known):
        worktable.create_beside(plan, suffix, [(name, "bigint") for name in columns])
        run(statement("remember", table=plan.table(suffix), rows=rows))
    worktable.start_afresh(plan, *(suffix for suffix, _, _ in _known(known)))
    for suffix, _, _ in _known(known):
        worktable.analyze(plan, suffix)
    return known


def check(plan: Plan) -> None:
    """Raise RowsChanged when the second judgement would take away or supersede something else than the first."""
    for suffix, _, now in _known(plan):
        before = statement("noted", table=plan.table(suffix))
        for one, other in ((before, now), (now, before)):
            if fetch(statement("find_difference", one=one, other=other)):
                raise RowsChanged("Others staged or changed rows while these were looked at.")


def _known(plan: Plan) -> Iterator[tuple[str, list[str], Sql]]:
    """Yield the tables of what is known, with their columns and what belongs there."""
    if plan.gone:
        rows = statement("members_that_go", removed=plan.table(REMOVED), clearing=actions.CLEARING)
        yield plan.gone, ["id", "clears"], rows
    if plan.superseded:
        yield plan.superseded, ["row_id"], statement("superseded_rows", work=plan.work)


def _reasons(plan: Plan, found: Special) -> Iterator[Sql]:
    """Yield queries; a row that one of them finds is a reason to judge again."""
    if found.removals:
        yield _lose_a_reference(plan)
        yield from (_refer_to_who_goes(plan, field) for field in plan.self_references)
    if found.superseded:
        yield from (_refer_to_superseded(plan, field) for field in plan.self_references)


def _lose_a_reference(plan: Plan) -> Sql:
    """Return the rows, beside removals, whose member loses a reference."""
    ids = statement("cleared_members", removed=plan.table(REMOVED), clearing=actions.CLEARING)
    return statement(
        "lose_a_reference",
        work=plan.work,
        production=plan.production,
        removes=actions.removes("w"),
        lost=join(" OR ", [sql("{v} IN ({ids})", v=column("p", f.name), ids=ids) for f in plan.self_references]),
    )


def _refer_to_who_goes(plan: Plan, field: Field) -> Sql:
    """Return the rows, beside removals, that refer to a member that goes; an inactive one is not found anyway."""
    return statement(
        "refer_to_who_goes",
        staging=plan.staging,
        removed=plan.table(REMOVED),
        text=trimmed(plan, field.name),
        pending=pending(plan),
        removes=actions.takes_away(plan),
        clears=sentinel(plan, field),
    )


def _refer_to_superseded(plan: Plan, field: Field) -> Sql:
    """Return the rows that refer to a code or new code of a superseded row, and of no row that counts and has it."""
    return statement(
        "refer_to_superseded",
        work=plan.work,
        late=column("w", f"l_{field.name}"),
        brings=actions.may_bring("o"),
    )
