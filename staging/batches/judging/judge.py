"""Decides about every row that waits, in the work table only: batches act on it, previews show it."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

from staging.batches import worktable
from staging.batches.context import BatchContext, Field, connections_for, side_by_side
from staging.batches.judging import checks, intent
from staging.batches.judging.business_rules import judge_by_rules
from staging.batches.judging.cascade import cascade
from staging.batches.judging.classify import classification, classify, extent, settled
from staging.batches.judging.delivered import pending, sentinel, trimmed
from staging.batches.judging.intent import settle_renames
from staging.batches.judging.reject import reject
from staging.batches.judging.removals import REMOVED, settle_removals
from staging.batches.worktable import Special, put_in_order, special
from staging.errors import RowsChanged
from staging.sql.compose import Sql, column, fetch, join, name, run, sql, statement
from staging.sql.dialect import dialect
from staging.sql.other_process import run_in_other_process
from staging.states import DataType, DuplicatePolicy
from staging.transactions import outside_transaction
from staging.wording import say


def judge(context: BatchContext) -> int:
    """Fill the work table with the outcome of every waiting row; return how many wait.

    What is settled here is final: a preview and the batch that follows it differ only by what changed meanwhile.
    Raises RowsChanged when others changed rows under our hands in a way that has to be judged afresh.
    """
    first, last, rows = extent(context)
    pieces = connections_for(rows)
    if pieces > 1:
        rows = classify_in_pieces(context, (first, last), rows, pieces)
    with context.sql.private():
        if pieces == 1:
            worktable.create(context, rows)
            rows = classify(context, rows)
        found = _settle_what_goes(context)
        if is_needed(context, found):
            context, rows = _again(context, rows, found)
        _settle(context, found)
    return rows - settled(context)


def _again(context: BatchContext, rows: int, found: Special) -> tuple[BatchContext, int]:
    """Start again, now that it is known which members go and which rows count."""
    context = remember_known(context, found)
    worktable.create(context, rows)
    rows = classify(context, rows)
    _settle_what_goes(context)
    check_same(context)
    return context, rows


def _settle_what_goes(context: BatchContext) -> Special:
    """Settle which rows count and which members go, once all rows are classified."""
    worktable.index_numbers(context)
    worktable.analyze(context)
    settle_duplicates(context)
    found = special(context)
    if found.removals:
        settle_removals(context)
    return found


def _settle(context: BatchContext, found: Special) -> None:
    """Judge the rows beside one another and beside what will be there."""
    if found.renames:
        settle_renames(context)
    if context.rules:
        judge_by_rules(context)
    cascade(context, found)
    put_in_order(context, found)
    worktable.analyze(context)


def settle_duplicates(context: BatchContext) -> None:
    """Give each code of the work table at most one row that counts."""
    if not _find(context):
        return
    _compare(context)
    policy = context.entity.duplicates
    which = Sql("d.alike = 1" if policy == DuplicatePolicy.REJECT_ALL else "TRUE")
    run(
        statement(
            "supersede",
            which=which,
            work=context.work,
            twice=context.table("_twice"),
        )
    )
    if policy == DuplicatePolicy.REJECT_ALL:
        reject(
            context,
            checks.DUPLICATE,
            "code",
            Sql("w.code"),
            sql("w.code IN (SELECT d.code FROM {twice} d WHERE d.alike = 0)", twice=context.table("_twice")),
        )


def _find(context: BatchContext) -> int:
    """Note each code with several rows; return how many there are.

    A table of their own: only for a few codes is it worth looking each row of them up.
    """
    worktable.create_beside(context, "_again", [("code", context.sql.type_of(DataType.TEXT))])
    found = run(
        statement(
            "find_duplicates",
            again=context.table("_again"),
            work=context.work,
        )
    )
    if found:
        worktable.analyze(context, "_again")
    return found


def _compare(context: BatchContext) -> None:
    """Note of each of these codes the row that is kept, and whether the copies are alike in every column."""
    worktable.create_beside(
        context, "_twice", [("code", context.sql.type_of(DataType.TEXT)), ("kept", "bigint"), ("alike", "smallint")]
    )
    staged = ["new_code", *(f.name for f in context.fields)]
    alike = [sql("count(DISTINCT COALESCE({v}, '')) = 1", v=trimmed(context, column)) for column in staged]
    kept = Sql("max" if context.entity.duplicates == DuplicatePolicy.LAST_WINS else "min")
    run(
        statement(
            "compare_duplicates",
            again=context.table("_again"),
            twice=context.table("_twice"),
            kept=kept,
            work=context.work,
            staging=context.staging,
            action=context.entity.default_import_action,
            alike=join(" AND ", alike),
        )
    )
    worktable.analyze(context, "_twice")


Ids = tuple[int, int]

_SCHEMA = "piece"


@outside_transaction
def classify_in_pieces(context: BatchContext, ids: Ids, rows: int, pieces: int) -> int:
    """Fill the work table with the rows that wait, which have these first and last ids; return how many there are."""
    worktable.create(context, rows)
    here, *beside = _split(ids, pieces)
    each = rows // pieces
    first = partial(_classify, replace(context, ids=here), each)
    if context.sql.writes_abreast:
        return sum(side_by_side([first, *(partial(_classify, _piece(context, ids), each) for ids in beside)]))
    with TemporaryDirectory(prefix="staging-batch-") as folder:
        files = {Path(folder) / str(number): ids for number, ids in enumerate(beside)}
        others = [
            partial(_classify_apart, replace(_piece(context, ids), schema=_SCHEMA), each, file)
            for file, ids in files.items()
        ]
        found = sum(side_by_side([first, *others]))
        for file in files:
            _take_in(context, file)
    return found


def _split(ids: Ids, pieces: int) -> list[Ids]:
    """Return so many ranges of ids, one after the other."""
    first, last = ids
    ends = [first + (last + 1 - first) * number // pieces for number in range(pieces + 1)]
    return [(start, end - 1) for start, end in pairwise(ends)]


def _piece(context: BatchContext, ids: Ids) -> BatchContext:
    """Return the context of a piece; what a dialect knows of its connection is its own."""
    return replace(context, ids=ids, sql=dialect())


def _classify(piece: BatchContext, rows: int) -> int:
    with piece.sql.private():
        return classify(piece, rows)


def _classify_apart(piece: BatchContext, rows: int, file: Path) -> int:
    return run_in_other_process(_SCHEMA, file, [worktable.creation(piece), classification(piece, rows)])


def _take_in(context: BatchContext, file: Path) -> None:
    """Copy what another piece found into the work table."""
    columns = join(", ", (name(column) for column in worktable.columns(context) if column != "seq"))
    with _attached(file):
        run(
            statement(
                "take_in",
                work=context.work,
                columns=columns,
                theirs=replace(context, schema=_SCHEMA).work,
            )
        )


@contextmanager
def _attached(file: Path) -> Iterator[None]:
    run(statement("attach", file=str(file), schema=Sql(_SCHEMA)))
    try:
        yield
    finally:
        run(statement("detach", schema=Sql(_SCHEMA)))


_GONE = "_gone"
_SUPERSEDED = "_superseded"


def is_needed(context: BatchContext, found: Special) -> bool:
    """Return whether a row means or meets something else, now that it is known what goes and what counts."""
    if not context.self_references:
        return False
    return any(fetch(query) for query in _reasons(context, found))


def remember_known(context: BatchContext, found: Special) -> BatchContext:
    """Keep what is known, drop all other tables of this judgement, and return the context of the next one."""
    known = replace(context, gone=_GONE if found.removals else "", superseded=_SUPERSEDED if found.superseded else "")
    for suffix, columns, rows in _known(known):
        worktable.create_beside(context, suffix, [(name, "bigint") for name in columns])
        run(statement("remember", table=context.table(suffix), rows=rows))
    worktable.start_afresh(context, *(suffix for suffix, _, _ in _known(known)))
    for suffix, _, _ in _known(known):
        worktable.analyze(context, suffix)
    return known


def check_same(context: BatchContext) -> None:
    """Raise RowsChanged when the second judgement would take away or supersede something else than the first."""
    for suffix, _, now in _known(context):
        before = statement("noted", table=context.table(suffix))
        for one, other in ((before, now), (now, before)):
            if fetch(statement("find_difference", one=one, other=other)):
                raise RowsChanged(say("Others staged or changed rows while these were looked at."))


def _known(context: BatchContext) -> Iterator[tuple[str, list[str], Sql]]:
    """Yield the tables of what is known, with their columns and what belongs there."""
    if context.gone:
        rows = statement("members_that_go", removed=context.table(REMOVED), clearing=intent.CLEARING)
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
    ids = statement("cleared_members", removed=context.table(REMOVED), clearing=intent.CLEARING)
    return statement(
        "lose_a_reference",
        work=context.work,
        production=context.production,
        removes=intent.removes("w"),
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
        removes=intent.takes_away(context),
        clears=sentinel(context, field),
    )


def _refer_to_superseded(context: BatchContext, field: Field) -> Sql:
    """Return the rows that refer to a code or new code of a superseded row, and of no row that counts and has it."""
    return statement(
        "refer_to_superseded",
        work=context.work,
        late=column("w", f"l_{field.name}"),
        brings=intent.may_bring("o"),
    )
