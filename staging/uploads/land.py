"""Puts posted rows into staging as pending ones, set by set, and tells which could not be taken and why."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from itertools import chain
from tempfile import TemporaryFile
from typing import Any, BinaryIO, cast

from django.conf import settings
from django.db import transaction

from staging.errors import BadFile
from staging.identifiers import staging_table
from staging.models import Entity
from staging.sql.dialect import dialect
from staging.tables.columns import named_problems
from staging.tables.held import newest_row
from staging.uploads.blocks import Block, Objects, Posted, Value, texts
from staging.uploads.columns import targets
from staging.uploads.deposit import action_number, check_tag
from staging.uploads.posted import (
    MOST_ROWS,
    Blocks,
    Readable,
    Refusal,
    Taken,
    TooMuch,
    Unreadable,
    csv_text,
    posted_array,
    posted_csv,
    posted_lines,
)
from staging.uploads.reading.limits import megabytes
from staging.uploads.store import Write, copied, inserted, spooled, written
from staging.wording import say

MOST_TOLD = 1_000
_MOST_ERRORS = 100
_SET_BYTES = 16 << 20
_SPOOLED_AT_ONCE = 1 << 20
_FEW_VALUES = 1_000
_BLOCK_ROWS = 1_000
# Is told the first and the last id of rows that landed, in the transaction in which they did.
Noted = Callable[[int, int], object]
Way = Callable[[str, list[str], Iterator[Sequence[Any]]], AbstractContextManager[Write]]


class Refused(Unreadable):
    """All rows or none were asked for, and some cannot be taken; `answer` names them."""

    def __init__(self, answer: "Landed"):
        super().__init__(*((f"[{each.position - 1}].{each.path}".rstrip("."), each.text) for each in answer.refused))
        self.answer = answer


@dataclass
class Landed:
    """What became of posted rows: how many landed, the first 1,000 that were refused, and how many were in all."""

    landed: int = 0
    refused: list[Refusal] = field(default_factory=list)
    refused_total: int = 0

    def refuse(self, refusal: Refusal) -> None:
        """Count a refusal, and tell it when it is among the first."""
        self.refused_total += 1
        if len(self.refused) < MOST_TOLD:
            self.refused.append(refusal)


@dataclass
class Resumption:
    """Lets a delivery go on where an earlier sending of it stopped: what became of that, and how far it was taken.

    `keep` is told what became of all so far in the transaction in which rows land, and so of both or of neither.
    """

    keep: Callable[[Landed], object]
    landed: Landed = field(default_factory=Landed)
    taken: Taken = field(default_factory=Taken)


@dataclass(frozen=True)
class Delivery:
    """Where posted rows go: the entity, a tag for all of them, whether one that is refused refuses all."""

    entity: Entity
    tag: str = ""
    is_atomic: bool = False
    also: Noted | None = None
    resumption: Resumption | None = None


def land_array(delivery: Delivery, body: bytes) -> Landed:
    """Land the rows of a JSON array in one transaction.

    Raises Unreadable (also for a column that is unknown), TooMuch, or Refused; then nothing has landed.
    """
    into, done = _Staging(delivery), Landed()
    into.store(list(into.fitting(_columns_known(into, posted_array(body)), done)), done)
    return done


def land_csv(delivery: Delivery, source: Readable) -> Landed:
    """Land the rows of a CSV body of any length in one transaction; raises Unreadable or Refused, as `land_array`."""
    into, done = _Staging(delivery), Landed()
    with csv_text(_spooled(source)) as text:
        columns, rows = posted_csv(text)
        if errors := [(column, into.unknown(column)) for column in columns if column not in into.columns]:
            raise Unreadable(*errors[:_MOST_ERRORS])
        into.store_together(columns, rows, done)
    return done


def land_lines(delivery: Delivery, source: Readable) -> Landed:
    """Land the rows of a stream of JSON lines, committing as they come; a line that cannot be taken is refused.

    What landed before the stream breaks stays; with a `resumption` the same stream goes on behind it, else raises
    OtherStream. Raises Refused when all or none were asked for; then nothing has landed.
    """
    into, done = _Staging(delivery), Landed()
    if delivery.is_atomic:
        with _spooled(source) as file:
            into.store_together(into.columns, chain.from_iterable(posted_lines(file)), done)
        return done
    resumption, taken = delivery.resumption, None
    if resumption:
        done, taken = resumption.landed, resumption.taken
    for some in _sets(posted_lines(source, taken)):
        into.store(list(into.fitting(iter(some), done)), done)
    return done


def _sets(groups: Iterable[list[Block | Posted | Refusal]]) -> Iterator[list[Block | Posted | Refusal]]:
    """Yield as many rows as one statement stores, neither many nor long; each set ends where a group of lines does."""
    some: list[Block | Posted | Refusal] = []
    count = size = 0
    for group in groups:
        some += group
        count += sum(len(found) if isinstance(found, Block) else 1 for found in group)
        size += sum(found.size for found in group if not isinstance(found, Refusal))
        if count >= MOST_ROWS or size > _SET_BYTES:
            yield some
            some, count, size = [], 0, 0
    if some:
        yield some


def _columns_known(into: "_Staging", blocks: Blocks) -> Blocks:
    """Yield the rows of an array; raises Unreadable at the end when any has a column that is unknown."""
    errors: list[tuple[str, str]] = []
    for found in blocks:
        rows = found.each() if isinstance(found, Block) else [found] if isinstance(found, Posted) else []
        if not (isinstance(found, Block) and into.knows(found)):
            for row in rows:
                strange = [column for column in row.values if column not in into.columns]
                errors += [(f"[{row.position - 1}].{column}", into.unknown(column)) for column in strange]
        if len(errors) < _MOST_ERRORS:
            yield found
    if errors:
        raise Unreadable(*errors[:_MOST_ERRORS])


class _Staging:
    """The staging table of a delivery: which columns may be filled, and how rows get into it."""

    def __init__(self, delivery: Delivery):
        check_tag(delivery.tag)
        self.delivery = delivery
        self.columns = dict.fromkeys(targets(delivery.entity))
        self.table = staging_table(delivery.entity.code)

    def unknown(self, column: str) -> str:
        """Return the sentence about a column that there is none of."""
        return say(
            "{entity} has no column that may be filled with the name {column!r}.",
            entity=self.delivery.entity.name,
            column=column[:80],
        )

    def knows(self, block: Block) -> bool:
        """Return whether all columns of these rows may be filled."""
        return block.columns <= self.columns.keys()

    def fitting(self, blocks: Blocks, done: Landed) -> Iterator[Block]:
        """Yield the rows that can be stored in their order, their action a number; the others are refused."""
        good: list[dict[str, Value]] = []
        size = 0
        for found in blocks:
            if isinstance(found, Block) and self.knows(found) and "import_action" not in found.columns:
                if good:  # of two rows for one member the later one may win
                    yield Objects(0, good, size)
                    good, size = [], 0
                yield found
                continue
            for row in found.each() if isinstance(found, Block) else [found]:
                fitted = self._fitted(row) if isinstance(row, Posted) else row
                if isinstance(fitted, Posted):
                    good.append(fitted.values)
                    size += fitted.size
                else:
                    done.refuse(fitted)
            if len(good) >= _BLOCK_ROWS or size > _SET_BYTES:
                yield Objects(0, good, size)
                good, size = [], 0
        if good:
            yield Objects(0, good, size)

    def _fitted(self, row: Posted) -> Posted | Refusal:
        if not row.values.keys() <= self.columns.keys():
            strange = next(column for column in row.values if column not in self.columns)
            return Refusal(row.position, strange, self.unknown(strange))
        action = row.values.get("import_action")
        if action is None:
            return row
        try:
            number = action_number(texts([action])[0], row.position, "import_action")
        except BadFile:
            text = say("{action!r} is no import action; write 0 to 6 or nothing.", action=str(action)[:80])
            return Refusal(row.position, "import_action", text)
        return Posted(row.position, {**row.values, "import_action": None if number is None else str(number)}, row.size)

    def store(self, blocks: list[Block], done: Landed) -> None:
        """Store a set of rows, the columns that any of them has; raises Refused when none may be missing."""
        self.insist(done)
        if not blocks:
            return
        names, values = self._values(set[str]().union(*(block.columns for block in blocks)), blocks)
        rows = sum(map(len, blocks))
        if rows * len(names) <= _FEW_VALUES:
            self._insert(names, list(values), done)
        else:
            self._write(copied if dialect().streams_rows else written, names, values, done)

    def store_together(self, columns: Iterable[str], blocks: Blocks, done: Landed) -> None:
        """Store rows of any number in one transaction."""
        names, values = self._values(set(columns), self.fitting(blocks, done))
        self._write(copied if dialect().streams_rows else spooled, names, values, done)

    def _values(self, used: set[str], blocks: Iterable[Block]) -> tuple[list[str], Iterator[Sequence[Any]]]:
        """Return the columns to fill, and their values row by row."""
        tag = self.delivery.tag
        taken = [name for name in self.columns if name in used and not (tag and name == "batch_tag")]
        last = [tag or None] if tag or not taken else []
        rows = chain.from_iterable(block.values(taken) for block in blocks)
        return [*taken, *["batch_tag" for _ in last]], ([*row, *last] for row in rows) if last else rows

    def _write(self, way: Way, names: list[str], values: Iterator[Sequence[Any]], done: Landed) -> None:
        entity = self.delivery.entity
        with way(self.table, names, values) as write, named_problems(entity), transaction.atomic(savepoint=False):
            dialect().patient()
            before = newest_row(entity) if self.delivery.also else 0
            count = write()
            self.insist(done)
            if self.delivery.also and count:
                self.delivery.also(before + 1, newest_row(entity))
            self._keep(done, count)
        done.landed += count

    def _insert(self, names: list[str], rows: Sequence[Sequence[Any]], done: Landed) -> None:
        """Store a few rows: whoever sends them one by one waits for few statements."""
        with named_problems(self.delivery.entity), transaction.atomic(savepoint=False):  # that one has its own
            ids = inserted(self.table, names, rows)
            if self.delivery.also:
                self.delivery.also(*ids)
            self._keep(done, len(rows))
        done.landed += len(rows)

    def _keep(self, done: Landed, count: int) -> None:
        """Keep what became of all rows so far, in the transaction in which the last of them land."""
        if self.delivery.resumption:
            self.delivery.resumption.keep(replace(done, landed=done.landed + count))

    def insist(self, done: Landed) -> None:
        """Raise Refused when a row was refused and none may be."""
        if self.delivery.is_atomic and done.refused_total:
            raise Refused(Landed(0, done.refused, done.refused_total))


def _spooled(source: Readable) -> BinaryIO:
    """Return the whole body as a file: its transaction must not last as long as a slow connection sends."""
    file = cast(BinaryIO, TemporaryFile())  # noqa: SIM115  (the caller closes it)
    size = 0
    try:
        while piece := source.read(_SPOOLED_AT_ONCE):
            size += len(piece)
            if size > settings.UPLOAD_MAX_BYTES:
                raise TooMuch(
                    say(
                        "The body is larger than {most}. Send the rows as a stream: one object on each line,"
                        " Content-Type: application/x-ndjson.",
                        most=megabytes(settings.UPLOAD_MAX_BYTES),
                    )
                )
            file.write(piece)
    except BaseException:
        file.close()
        raise
    file.seek(0)
    return file
