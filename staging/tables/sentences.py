"""Takes the error text of a row apart: one sentence per error, each beside the column it names."""

import re
from collections.abc import Iterable, Mapping
from typing import Any


def sentences(message: str | None, columns: Iterable[str]) -> list[str]:
    """Return the sentences of an error text: one per line, or one after another, each starting with its column."""
    start = "|".join(re.escape(name) for name in columns) or "(?!)"
    boundary = re.compile(rf"\n|(?<=\.) (?=(?:{start})(?::| is ))")
    return [part.strip() for part in boundary.split(message or "") if part.strip()]


def column_of(sentence: str, columns: Iterable[str]) -> str:
    """Return the column a sentence speaks of, which is its first word; empty when it speaks of none of them."""
    word = re.split(r"[^a-z0-9_]", sentence, maxsplit=1)[0]
    return word if word in columns else ""


def by_column(message: str | None, columns: Iterable[str]) -> dict[str, list[str]]:
    """Return the sentences of an error text grouped by the column they name; "" holds those that name none."""
    names = list(columns)
    grouped: dict[str, list[str]] = {}
    for sentence in sentences(message, names):
        grouped.setdefault(column_of(sentence, names), []).append(sentence)
    return grouped


def offending(row: Mapping[str, Any], columns: Iterable[str]) -> list[tuple[str, Any]]:
    """Return the named columns of a rejected row with what was staged in them."""
    grouped = by_column(row["error_message"], columns)
    return [(column, row[column]) for column in grouped if column]
