"""Reads rows that a program posts, a few at a time: a JSON array, lines of JSON, CSV; each row with its position.

What cannot be read at all is Unreadable. A row that cannot be stored is a Refusal in its place, and the next one comes.
No text is turned into values before it is known to be one flat object, so that no nesting fills the memory.
"""

import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from io import TextIOWrapper
from itertools import chain
from typing import Any, BinaryIO, Protocol, TextIO

from django.utils.translation import gettext_noop

from staging.entities.values import is_storable
from staging.errors import BadFile, StagingError
from staging.uploads.blocks import Block, Lines, Objects, Posted
from staging.uploads.json_array import READING, TOO_LONG, Unreadable, elements, read_flat, reason
from staging.uploads.reading.delimited import RowGroup, read_groups
from staging.uploads.reading.formats import FileKind, Format
from staging.uploads.reading.limits import limits
from staging.wording import Said, say

MOST_ROWS = 10_000
PIECE = 1 << 16
_MOST_PLAIN = 500_000  # values that are read at once without a closer look
_WORDS = re.compile(rb':\s*+(?:true|false|"")')
# What the reading room says of a file, said of a body.
_OF_A_BODY = {
    "The file is empty.": gettext_noop("The body is empty."),
    "the file ends inside a value in quotation marks.": gettext_noop(
        "the body ends inside a value in quotation marks."
    ),
}


class OtherStream(StagingError):
    """A stream that was sent before begins with other lines now."""


class TooMuch(StagingError):
    """More was posted than one request of this kind may bring; the text names the way that takes it."""


@dataclass(frozen=True)
class Refusal:
    """A row that cannot be stored: its position, counted from 1, the column where it is about one, and why."""

    position: int
    path: str
    text: str


class Readable(Protocol):
    """What bytes are read from."""

    def read(self, size: int = -1, /) -> bytes:
        """Return at most so many bytes; none at the end."""
        ...


Rows = Iterator[Posted | Refusal]
Blocks = Iterator[Block | Posted | Refusal]


class Taken:
    """How many lines of a stream were taken, and a digest of them; those of an earlier sending are passed over."""

    def __init__(self, lines: int = 0, digest: str = ""):
        self._earlier, self._digest = lines, digest
        self.lines, self._sha = 0, hashlib.sha256()

    def digest(self) -> str:
        """Return the digest of the lines so far, however many came at a time."""
        return self._sha.hexdigest()

    def known(self, text: bytes) -> int:
        """Count these lines; return how many are of an earlier sending. Raises OtherStream when it had others."""
        count = _lines_in(text)
        known = min(max(self._earlier - self.lines, 0), count)
        first, rest = _parted(text, known)
        self._count(first, known)
        if known and self.lines == self._earlier and self.digest() != self._digest:
            raise _other_stream()
        self._count(rest, count - known)
        return known

    def end(self) -> None:
        """Raise OtherStream when the stream is shorter than what was taken of it."""
        if self.lines < self._earlier:
            raise _other_stream()

    def _count(self, text: bytes, lines: int) -> None:
        if lines:
            self._sha.update(text)
            self._sha.update(b"\n")
            self.lines += lines


def _lines_in(text: bytes) -> int:
    return text.count(b"\n") + 1


def _parted(text: bytes, lines: int) -> tuple[bytes, bytes]:
    """Return so many lines, and the others."""
    if not lines:
        return b"", text
    parts = text.split(b"\n", lines)
    return b"\n".join(parts[:lines]), b"".join(parts[lines:])


def _other_stream() -> OtherStream:
    return OtherStream(say("The stream began with other lines when it was sent before."))


def one_by_one(blocks: Blocks) -> Rows:
    """Yield rows, those of blocks too, one by one."""
    for found in blocks:
        if isinstance(found, Block):
            yield from found.each()
        else:
            yield found


def posted_array(body: bytes) -> Blocks:
    """Yield the rows of a JSON array; raises Unreadable, and TooMuch for more than 10,000 of them."""
    check, count = _Check(), 0
    if (plain := _plain_array(body)) is not None and check.takes(body):
        yield Objects(1, plain, len(body), _needs_words(body))
        return
    for text, rows in elements(body):
        if count + len(rows) > MOST_ROWS:
            raise TooMuch(
                say(
                    "A JSON array may have {most:,} rows. Send more of them as a stream: one object on each line,"
                    " Content-Type: application/x-ndjson.",
                    most=MOST_ROWS,
                )
            )
        if check.takes(text):
            yield Objects(count + 1, rows, len(text), _needs_words(text))
        else:
            yield from map(check, range(count + 1, count + len(rows) + 1), rows)
        count += len(rows)


def posted_lines(source: Readable, taken: Taken | None = None) -> Iterator[list[Block | Posted | Refusal]]:
    """Yield what some lines of a stream became, one JSON object on each; a line that is none is refused.

    Lines without anything on them are passed over and have no position. `taken` counts the lines that were read, and
    passes over those of an earlier sending; raises OtherStream.
    """
    check, position = _Check(), 1
    for text in _texts(source, check.line):
        known = taken.known(text or b"") if taken else 0
        count = _lines_in(text or b"")
        if known < count:
            yield _became(check, position + known, text and _parted(text, known)[1])
        position += count
    if taken:
        taken.end()


def _became(check: "_Check", position: int, text: bytes | None) -> list[Block | Posted | Refusal]:
    """Return what lines became; None is one that was too long to be kept."""
    if text is None:
        return [check(position, TOO_LONG)]
    if _is_plain(text) and check.takes(text):
        rows = read_flat(text.replace(b"\n", b","))
        if rows is not None and len(rows) == _lines_in(text):
            return [Objects(position, rows, len(text), _needs_words(text))]
    return [_line(check, number, line) for number, line in enumerate(text.split(b"\n"), start=position)]


def csv_text(file: BinaryIO) -> TextIO:
    """Return the text of a CSV body; closed with it."""
    return TextIOWrapper(file, encoding=Format(FileKind.CSV).encoding.value, newline="")


def posted_csv(text: TextIO) -> tuple[list[str], Blocks]:
    """Return the columns that the first line names, and the rows; raises Unreadable, also while they are read."""
    bounds, form = limits(), Format(FileKind.CSV)
    try:
        # A value that is too long is one unusable row, a line that does not end is no CSV.
        columns, groups = read_groups(text, form, replace(bounds, cell=bounds.line), any_text=True)
    except BadFile as error:
        raise Unreadable(("", _of_body(str(error)))) from error
    return columns, _csv_rows(columns, groups)


def _csv_rows(columns: list[str], groups: Iterator[RowGroup]) -> Blocks:
    """Yield the rows, looked at together; one by one only when there is something among them."""
    check, position = _Check(), 1
    try:
        for _, cells in groups:
            whole = "".join(chain.from_iterable(cells))
            block = Lines(position, columns, cells, len(whole))
            if max(map(len, chain.from_iterable(cells))) <= check.cell and is_storable(whole):
                yield block
            else:
                yield from (check(row.position, row.values) for row in block.each())
            position += len(cells)
    except BadFile as error:
        raise Unreadable(("", _of_body(str(error)))) from error


def _of_body(text: str) -> str:
    """Return what the reading room says of a file as a sentence about a body; any other text as it is."""
    if type(text) is not Said:
        return text
    template = _OF_A_BODY.get(text.template, text.template)
    return say(template, **{name: _of_body(value) for name, value in text.values.items()})


def _line(check: "_Check", number: int, line: bytes) -> Posted | Refusal:
    try:
        return check(number, json.loads(line.decode(), **READING), len(line))
    except (ValueError, RecursionError) as error:
        return Refusal(number, "", say("The line is no JSON: {reason}.", reason=reason(error)))


def _texts(source: Readable, most: int) -> Iterator[bytes | None]:
    """Yield lines of a stream, as many as come at a time, none blank, none with blanks around it; None: too long."""
    for text in _whole_lines(source, most):
        if text is None:
            yield None
        elif lines := text if _is_plain(text) else b"\n".join(filter(None, map(bytes.strip, text.split(b"\n")))):
            yield lines


def _whole_lines(source: Readable, most: int) -> Iterator[bytes | None]:
    """Yield what a stream brings up to the end of a line, None in the place of a line that is too long.

    A few pieces are in memory; a piece is shorter than a line may be, so that only the first one in it can be too long.
    """
    begun: list[bytes] = []
    size, skips = 0, False
    for piece in _pieces(source):
        end = piece.find(b"\n")
        if end >= 0 and (skips or size + end > most):
            yield None
            piece, begun, size, skips = piece[end + 1 :], [], 0, False
        last = piece.rfind(b"\n")
        if last >= 0:
            yield b"".join([*begun, piece[:last]])
            begun, size = [], 0
        begun.append(piece[last + 1 :])
        size += len(piece) - last - 1
        if size > most:
            begun, size, skips = [], 0, True
    if size or skips:
        yield None if skips else b"".join(begun)


def _pieces(source: Readable) -> Iterator[bytes]:
    """Yield a stream as it comes, without its byte order mark."""
    is_first = True
    while piece := source.read(PIECE):
        yield piece.removeprefix(b"\xef\xbb\xbf") if is_first else piece
        is_first = False


def _plain_array(body: bytes) -> list[Any] | None:
    """Return the rows of an array in which nothing is nested, as few reads tell; None where a closer look is needed.

    With one square bracket and as many curly ones as rows, no row can hold another; the commas bound the values.
    """
    count = body.count(b"{")
    if not 0 < count <= MOST_ROWS or body.count(b"[") != 1 or body.count(b",") > _MOST_PLAIN:
        return None
    try:
        rows = json.loads(body.decode("utf-8-sig"), **READING)
    except (ValueError, RecursionError):
        return None  # the closer look says where
    is_plain = isinstance(rows, list) and len(rows) == count and set(map(type, rows)) == {dict}
    return rows if is_plain else None


def _is_plain(text: bytes) -> bool:
    """Return whether each line is one object in which nothing is nested: as many brackets as lines, where they end."""
    lines = _lines_in(text)
    return (
        text[:1] == b"{"
        and text[-1:] == b"}"
        and text.count(b"}\n{") == lines - 1
        and text.count(b"{") == text.count(b"}") == lines
        and b"[" not in text
    )


def _needs_words(text: bytes) -> bool:
    """Return whether there may be truths or empty texts among the values."""
    return _WORDS.search(text) is not None


class _Check:
    """Tells of a row as it was read whether it can be staged."""

    def __init__(self) -> None:
        bounds = limits()
        self.cell, self.line = bounds.cell, bounds.line

    def takes(self, flat: bytes) -> bool:
        """Return whether flat objects with this text can be staged without a look at their values.

        Without an escape a value stands there as it is, and what no database keeps is no JSON. One that is too long
        would leave a whole stretch of half its length without a quotation mark.
        """
        if not flat or b"\\" in flat:
            return False
        stretch = max(self.cell // 2, 1)
        starts = range(0, len(flat) - stretch + 1, stretch)
        return all(flat.find(b'"', start, start + stretch) >= 0 for start in starts)

    def __call__(self, position: int, row: Any, size: int = 0) -> Posted | Refusal:
        if type(row) is not dict:
            return Refusal(position, "", self._no_row(row))
        for column, value in row.items():
            if type(value) is str:
                if len(value) > self.cell:
                    return Refusal(
                        position, column, say("The value is longer than {most:,} characters.", most=self.cell)
                    )
                if not is_storable(value):
                    return Refusal(position, column, say("The value holds a character that no database can store."))
            elif isinstance(value, dict | list):
                return Refusal(
                    position, column, say("The value is a list or an object; only single values can be taken.")
                )
        return Posted(position, row, size)

    def _no_row(self, row: Any) -> str:
        if row is TOO_LONG:
            return say("The row is longer than {most:,} bytes.", most=self.line)
        return say("The row is no object: write its values in curly brackets, by column.")
