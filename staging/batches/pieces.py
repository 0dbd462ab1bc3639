"""Classifies the rows of a large batch in pieces, side by side, into one work table.

On PostgreSQL all pieces write the work table itself, each on a connection of its own. On SQLite it is private to its
connection, so other processes write the other pieces to files that are then copied into it.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

from staging.batches import worktable
from staging.batches.classify import classification, classify
from staging.batches.context import BatchContext
from staging.batches.lanes import side_by_side
from staging.sql.choose import dialect
from staging.sql.compose import Sql, join, name, run
from staging.sql.other_process import run_in_other_process
from staging.sql.statement import statement
from staging.transactions import outside_transaction

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
