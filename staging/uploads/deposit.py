"""Puts the rows of a file into staging as pending ones: all of them or none, in the memory of a few."""

from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

from django.db import transaction

from staging.errors import BadFile
from staging.identifiers import staging_table
from staging.models import Entity
from staging.sql.dialect import dialect
from staging.states import DataType
from staging.tables.columns import named_problems
from staging.uploads.columns import check_mapping
from staging.uploads.reading.formats import Format
from staging.uploads.reading.read import open_table
from staging.uploads.reading.table import Number, Table
from staging.uploads.store import copied, spooled
from staging.wording import say

_SMALLEST, _LARGEST = -32_768, 32_767  # a smallint
_LONGEST_TAG = 200
_MOST_DIGITS = 40  # a longer number is none of ours


def deposit(
    entity: Entity,
    path: Path,
    form: Format,
    mapping: Mapping[str, str],
    tag: str = "",
    also: Callable[[int], object] = lambda count: None,
) -> int:
    """Store the rows of a file as pending rows with this batch tag; return how many.

    `mapping` names the staged column of each column of the file, "" where it is left out; `also` is called with the
    number of rows, in the same transaction. Raises BadFile with line and column, or StagingError when the table is not
    as defined; then nothing is stored.
    """
    check_mapping(entity, mapping)
    check_tag(tag)
    with open_table(path, form) as table:
        columns = [mapping.get(column, "") for column in table.columns]
        names = [column for column in columns if column and not (tag and column == "batch_tag")]
        names += ["batch_tag"] if tag else []
        store = copied if dialect().streams_rows else spooled
        integers = entity.attributes.filter(data_type=DataType.INTEGER)
        rows = _staged(table, columns, tag, set(integers.values_list("name", flat=True)))
        with store(staging_table(entity.code), names, rows) as write, named_problems(entity), transaction.atomic():
            dialect().patient()
            count = write()
            also(count)
    return count


def check_tag(tag: str) -> None:
    """Raise BadFile for a batch tag that no batch could ask for."""
    if len(tag) > _LONGEST_TAG or "\x00" in tag:
        raise BadFile(say("A batch tag has at most {longest_tag} characters and no NUL.", longest_tag=_LONGEST_TAG))


def action_number(text: str | None, line: int, column: str) -> int | None:
    """Return an import action as the number staging stores; raises BadFile for text that is none.

    A number that no action has is stored: the batch rejects its row and says so.
    """
    if text is None or not text.strip():
        return None
    try:
        number = int(text.strip()) if len(text.strip()) < 10 else _LARGEST + 1
    except ValueError:
        number = _LARGEST + 1
    if not _SMALLEST <= number <= _LARGEST:
        raise BadFile(
            say(
                "Line {line}, column {column}: {text!r} is no import action; write 0 to 6 or nothing.",
                line=line,
                column=column,
                text=text[:80],
            )
        )
    return number


def whole_number(text: str | None) -> str | None:
    """Return a number of a file without decimals of nothing, for a column of whole numbers: 1.0 and 1e2 are 1 and 100.

    Text, and a number that has decimals, is left for the batch to judge.
    """
    if not isinstance(text, Number) or text.lstrip("-").isdigit():
        return text
    number = Decimal(text)
    return str(int(number)) if number.adjusted() < _MOST_DIGITS and number == number.to_integral_value() else text


def _staged(table: Table, columns: list[str], tag: str, whole: set[str]) -> Iterator[list[Any]]:
    """Yield the values of each row in the order of the statement; blank values are null, `whole` are whole numbers."""
    taken = [at for at, column in enumerate(columns) if column and not (tag and column == "batch_tag")]
    action = next((at for at, column in enumerate(columns) if column == "import_action"), None)
    numbers = [at for at in taken if columns[at] in whole]
    last = [tag] if tag else []
    for row in table.rows:
        cells: list[Any] = list(row.cells)
        if action is not None:
            cells[action] = action_number(cells[action], row.line, table.columns[action])
        for at in numbers:
            cells[at] = whole_number(cells[at])
        values = [None if cells[at] == "" else cells[at] for at in taken]
        if any(value is not None for value in values):
            yield [*values, *last]
