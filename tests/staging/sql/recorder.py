"""Records the statements of a batch, and writes them so that a difference between two versions can be read."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from staging.sql.compose import Database, Sql, Statement
from staging.sql.dialect import BLANKS, dialect

# A text or a name in quotes, which stays as it is, or blanks, which mean nothing.
_QUOTED = r"""('(?:[^']|'')*'|"(?:[^"]|"")*")"""
_PIECE = re.compile(rf"{_QUOTED}|(\s+)")
# The name of a work table ends with a random part: here with a number, by when it is first met.
_WORK_TABLE = re.compile(r"(work\\*_(?:batch|preview)\\*_[0-9a-f]+\\*_([0-9a-f]{8}))")
_UNSEEN = {ord(blank): repr(blank)[1:-1] for blank in BLANKS[1:] if blank != "\n"}
_CLAUSE = re.compile(
    r" (?=(?:FROM|WHERE|LEFT JOIN|JOIN|UNION|GROUP BY|ORDER BY|SET|SELECT|CASE|WHEN|ELSE|VALUES|RETURNING|AND|OR)\b)"
)


class Recorder(Database):
    """Lets every statement pass and keeps it."""

    def __init__(self) -> None:
        self.statements: list[Sql] = []

    def run(self, statement: Sql) -> int:
        """Keep and run a statement."""
        self.statements.append(statement)
        return super().run(statement)

    def fetch(self, statement: Sql) -> list[tuple[Any, ...]]:
        """Keep and run a query."""
        self.statements.append(statement)
        return super().fetch(statement)


def written(statements: Sequence[Sql], known: Mapping[str, str]) -> str:
    """Return the statements with their parameters, one clause a line, whatever the layout of their templates.

    One that is `known`, or was there before, is only named.
    """
    seen, pieces = dict(known), []
    tables: dict[str, int] = {}
    for number, statement in enumerate(statements, 1):
        lines = _lines(statement)
        for name, token in _WORK_TABLE.findall(lines):
            number_of = str(tables.setdefault(token, len(tables) + 1))
            lines = lines.replace(name, f"work_{number_of}").replace(token, number_of)
        pieces.append(
            f"-- {number} is {seen[lines]};\n" if lines in seen else f"\n-- {number}{_titled(statement)}\n{lines};\n"
        )
        seen.setdefault(lines, str(number))
    return "".join(pieces)


def _titled(statement: Sql) -> str:
    """Return the step and the name of a statement that has them."""
    return f" {statement.template.file}: {statement.template.name}" if isinstance(statement, Statement) else ""


def read(name: str, text: str) -> dict[str, str]:
    """Return the statements of a written file, each with its place."""
    found = re.findall(r"^-- (\d+)(?: \w+: \w+)?\n(.*?);$(?=\n\n|\n--|\n\Z)", text, re.DOTALL | re.MULTILINE)
    return {lines: f"{name} {number}" for number, lines in found}


def _lines(statement: Sql) -> str:
    flat = _PIECE.sub(lambda found: found[1] or " ", statement.filled(dialect().literal)).strip()
    pieces = re.split(_QUOTED, flat)
    pieces[::2] = [_CLAUSE.sub("\n", piece.replace("( ", "(").replace(" )", ")")) for piece in pieces[::2]]
    return "".join(pieces).translate(_UNSEEN)
