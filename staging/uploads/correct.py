"""Takes our own export of rejected rows back, corrected: each row is found by its id and is pending again.

A row that is not rejected any more, or is no longer what it was when it was exported, is told and not touched.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from django.db import transaction

from staging.errors import BadFile
from staging.exports.xlsx import cell_text
from staging.models import Entity
from staging.sql.dialect import dialect
from staging.tables.mending import lock_rejected, row_check, store_corrections
from staging.uploads.columns import ERRORS, ROW_CHECK, ROW_ID, is_correction, targets
from staging.uploads.deposit import action_number
from staging.uploads.reading.formats import Format
from staging.uploads.reading.read import open_table
from staging.uploads.reading.table import Row, Table
from staging.wording import say

_ROWS_AT_ONCE = 500
_REMEMBERED = 100  # changes that are kept in words


@dataclass
class Corrected:
    """What became of a corrected file: rows pending again, rows that were not touched, and the first changes."""

    pending: int = 0
    changed: int = 0
    moved: list[int] = field(default_factory=list)  # no longer what they were when they were exported
    gone: list[int] = field(default_factory=list)  # not rejected any more, or deleted
    changes: list[tuple[int, dict[str, tuple[Any, Any]]]] = field(default_factory=list)


def correct(entity: Entity, path: Path, form: Format) -> Corrected:
    """Store the corrections of a file, all or none; raises BadFile with line and column.

    Only columns that the file has are looked at; those that are equal to what is staged are left as they are.
    """
    done, seen = Corrected(), set[int]()
    with open_table(path, form) as table:
        columns = _columns(entity, table)
        with transaction.atomic():
            dialect().patient()
            while some := list(islice(table.rows, _ROWS_AT_ONCE)):
                _store(entity, dict(_numbered(some, table.columns, seen)), columns, table.columns, done)
    return done


def _columns(entity: Entity, table: Table) -> dict[str, int]:
    """Return the place of each staged column of the file."""
    if not is_correction(table.columns):
        raise BadFile(
            say(
                "The columns {row_id} and {row_check} are missing; they come with the export of rejected rows.",
                row_id=ROW_ID,
                row_check=ROW_CHECK,
            )
        )
    allowed = targets(entity)
    places = {name: at for at, name in enumerate(table.columns) if name not in (ROW_ID, ROW_CHECK, ERRORS)}
    if strange := [name for name in places if name not in allowed]:
        raise BadFile(
            say(
                "{entity} has no column that a file may fill with the name {strange!r}.",
                entity=entity.name,
                strange=strange[0],
            )
        )
    return places


def _numbered(rows: Sequence[Row], names: list[str], seen: set[int]) -> Iterator[tuple[int, Row]]:
    """Yield each row with the id it names; raises BadFile when that is none, or was there before."""
    place = names.index(ROW_ID)
    for row in rows:
        text = (row.cells[place] or "").strip()
        if not (text.isascii() and text.isdigit() and len(text) <= 18):
            raise BadFile(
                say(
                    "Line {line}, column {row_id}: {text!r} is not the number of a row.",
                    line=row.line,
                    row_id=ROW_ID,
                    text=text[:80],
                )
            )
        if int(text) in seen:
            raise BadFile(say("Line {line}: row {text} is in the file twice.", line=row.line, text=text))
        seen.add(int(text))
        yield int(text), row


def _store(
    entity: Entity, rows: Mapping[int, Row], columns: Mapping[str, int], names: list[str], done: Corrected
) -> None:
    """Store a few corrected rows, and note what became of them."""
    rejected, corrections = lock_rejected(entity, list(rows)), []
    place = names.index(ROW_CHECK)
    for row_id, row in rows.items():
        old = rejected.get(row_id)
        if old is None:
            done.gone.append(row_id)
        elif (row.cells[place] or "").strip() != row_check(old):
            done.moved.append(row_id)
        else:
            values = dict(_changes(old, row, columns))
            corrections.append((row_id, values))
            done.changed += bool(values)
            if values and len(done.changes) < _REMEMBERED:
                done.changes.append((row_id, {name: (old[name], new) for name, new in values.items()}))
    done.pending += store_corrections(entity, corrections)


def _changes(old: Mapping[str, Any], row: Row, columns: Mapping[str, int]) -> Iterator[tuple[str, Any]]:
    """Yield the columns whose value is another than what is staged; blank is null."""
    for name, place in columns.items():
        new = row.cells[place] or ""
        if not _is_same("" if old[name] is None else str(old[name]), new):
            yield name, (action_number(new, row.line, name) if name == "import_action" else new or None)


def _is_same(old: str, new: str) -> bool:
    """Return whether a cell shows what is staged: workbooks turn line ends, and cannot hold every text."""
    return new == old or _one_line_end(new) in (_one_line_end(old), _one_line_end(cell_text(old, guarded=False)))


def _one_line_end(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")
