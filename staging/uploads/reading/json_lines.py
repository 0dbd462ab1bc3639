"""Reads JSON lines as a table: one object a line, whose keys are the columns."""

import json
from collections.abc import Iterator
from decimal import Decimal
from typing import Any, TextIO

from staging.errors import BadFile
from staging.uploads.reading.delimited import lines
from staging.uploads.reading.limits import Limits
from staging.uploads.reading.table import Number, Row, Table, check_width, named
from staging.wording import say


def read_json_lines(file: TextIO, limits: Limits) -> Table:
    """Return the table of an open text file; it is read twice, for a key may appear late. Raises BadFile."""
    keys: dict[str, int] = {}
    for line, item in _objects(file, limits):
        for key in item:
            keys.setdefault(key, line)
        check_width(keys, limits, line)
    if not keys:
        raise BadFile(say("The file is empty."))
    file.seek(0)
    columns = named(list(keys), limits, 1)
    if columns != list(keys):
        raise BadFile(say("A key has no name, or blanks around it."))
    return Table(columns, _rows(file, columns, limits))


def _rows(file: TextIO, columns: list[str], limits: Limits) -> Iterator[Row]:
    for line, item in _objects(file, limits):
        yield Row(line, [_text(item.get(column), column, line, limits) for column in columns])


def _objects(file: TextIO, limits: Limits) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, line in lines(file, limits):
        if not line.strip():
            continue
        try:
            item = json.loads(line, parse_float=Decimal, parse_int=_whole, parse_constant=_no_number)
        except (ValueError, RecursionError) as error:
            text = error.msg if isinstance(error, json.JSONDecodeError) else str(error) or say("too deep")
            raise BadFile(say("Line {number} is no JSON: {text}.", number=number, text=text)) from error
        if not isinstance(item, dict):
            raise BadFile(
                say("Line {number} is no JSON object; write one object in curly brackets on each line.", number=number)
            )
        yield number, item


def _whole(text: str) -> str:
    """Return a whole number as the text it is: Python refuses to read very long ones."""
    return Number(text)


def _no_number(text: str) -> None:
    raise ValueError(say("{text} is no number of JSON", text=text))


def _text(value: Any, column: str, line: int, limits: Limits) -> str | None:
    if value is None:
        return None
    if isinstance(value, dict | list):
        raise BadFile(
            say(
                "Line {line}, column {column}: the value is a list or an object; only single values can be taken.",
                line=line,
                column=column,
            )
        )
    text = ("true" if value else "false") if isinstance(value, bool) else str(value)
    text = Number(text) if isinstance(value, Decimal) else text
    if len(text) > limits.cell:
        raise BadFile(
            say(
                "Line {line}, column {column}: the value is longer than {cell:,} characters.",
                line=line,
                column=column,
                cell=limits.cell,
            )
        )
    if "\x00" in text or any("\ud800" <= character <= "\udfff" for character in text):
        raise BadFile(
            say(
                "Line {line}, column {column}: the value holds a character that no database can store.",
                line=line,
                column=column,
            )
        )
    return text
