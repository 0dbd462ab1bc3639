"""Puts SQL together from pieces that carry their own parameters, so that values never become text of a statement.

The statements of a batch stand in the files of `statements/`, each under a head: its name, its purpose, the aliases
that it and what is put into it may use (aliases.py), and the locks that others may wait for. The head stays here: the
database is sent the statement only.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from string import Formatter
from typing import Any

from django.db import connection

from staging.identifiers import quote
from staging.states import ImportAction, ImportStatus, RowOutcome, UndoKind

# The enumerations whose numbers templates may name, as in `{RowOutcome.INSERT}`.
_ENUMERATIONS = {each.__name__: each for each in (ImportAction, ImportStatus, RowOutcome, UndoKind)}

_PLACES = re.compile("%[s%]")

_FOLDER = Path(__file__).parent / "statements"
_NAME = "-- name: "
_FIELDS = ("purpose", "aliases", "locks")


@dataclass(frozen=True)
class Sql:
    """A piece of SQL with `%s` placeholders and the parameters they stand for, in order."""

    text: str
    params: tuple[Any, ...] = ()

    def filled(self, literal: Callable[[Any], str]) -> str:
        """Return the text with its parameters written out, for people; the database gets them as parameters."""
        values = map(literal, self.params)
        return _PLACES.sub(lambda found: next(values) if found[0] == "%s" else "%", self.text)


def sql(template: str, **parts: Any) -> Sql:
    """Fill the `{names}` of a template: a piece of SQL is put in place, anything else becomes a bound parameter.

    `{RowOutcome.INSERT}` is the number of that name, in the text. The same name may be used several times. A literal
    percent sign is written `%%`.
    """
    text: list[str] = []
    params: list[Any] = []
    for literal, name, _, _ in Formatter().parse(template):
        text.append(literal)
        if name is None:
            continue
        part = _number(name) if "." in name else parts[name]
        text.append(part.text if isinstance(part, Sql) else "%s")
        params.extend(part.params if isinstance(part, Sql) else (part,))
    return Sql("".join(text), tuple(params))


def _number(name: str) -> Sql:
    enumeration, _, member = name.partition(".")
    return Sql(str(_ENUMERATIONS[enumeration][member].value))


def name(identifier: str) -> Sql:
    """Return an identifier, quoted and escaped."""
    return Sql(quote(identifier))


def column(table: str, identifier: str) -> Sql:
    """Return `table.column`; the table is an alias of ours."""
    return Sql(f"{table}.{quote(identifier)}")


def join(separator: str, pieces: Iterable[Sql]) -> Sql:
    """Return the pieces in one row with the separator between them."""
    found = list(pieces)
    return Sql(separator.join(piece.text for piece in found), tuple(p for piece in found for p in piece.params))


def tree(operator: str, pieces: Iterable[Sql], empty: str) -> Sql:
    """Join many terms with a binary operator as a balanced tree; SQLite refuses expressions deeper than 1,000."""
    found = list(pieces)
    if not found:
        return Sql(empty)
    while len(found) > 1:
        pairs = [found[i : i + 2] for i in range(0, len(found), 2)]
        found = [sql(f"({{a}} {operator} {{b}})", a=p[0], b=p[1]) if len(p) == 2 else p[0] for p in pairs]
    return found[0]


class Database:
    """Sends statements to the database; what stands in its place sees each of them (`instead`)."""

    def run(self, statement: Sql) -> int:
        """Execute a statement and return how many rows it touched."""
        with connection.cursor() as cursor:
            cursor.execute(statement.text, statement.params)
            return int(cursor.rowcount)

    def fetch(self, statement: Sql) -> list[tuple[Any, ...]]:
        """Execute a query of few rows and return them."""
        with connection.cursor() as cursor:
            cursor.execute(statement.text, statement.params)
            return list(cursor.fetchall())


_REAL = Database()
_DATABASE: ContextVar[Database] = ContextVar("staging_database", default=_REAL)


@contextmanager
def instead(other: Database) -> Iterator[None]:
    """Hand all statements of this thread to another `Database` until the context ends."""
    token = _DATABASE.set(other)
    try:
        yield
    finally:
        _DATABASE.reset(token)


def run(statement: Sql) -> int:
    """Execute a statement and return how many rows it touched."""
    return _DATABASE.get().run(statement)


def fetch(statement: Sql) -> list[tuple[Any, ...]]:
    """Execute a query of few rows and return them."""
    return _DATABASE.get().fetch(statement)


@dataclass(frozen=True)
class Template:
    """One statement as its file has it; `file` is the step of a batch that it belongs to."""

    file: str
    name: str
    purpose: str
    aliases: tuple[str, ...]
    locks: str
    text: str


@dataclass(frozen=True)
class Statement(Sql):
    """A statement ready to be sent, which still knows what it is for."""

    template: Template = field(kw_only=True)


def statement(name: str, **parts: Any) -> Statement:
    """Return the statement of this name with its `{names}` filled as `sql` does."""
    template = templates()[name]
    filled = sql(template.text, **parts)
    return Statement(filled.text, filled.params, template=template)


@cache
def templates() -> dict[str, Template]:
    """Return every statement of the files by its name. Raises RuntimeError when two have the same one."""
    found: dict[str, Template] = {}
    for path in sorted(_FOLDER.glob("*.sql")):
        for part in f"\n{path.read_text(encoding='utf-8')}".split(f"\n{_NAME}")[1:]:
            template = _read(path.stem, part)
            if template.name in found:
                raise RuntimeError(f"{path.name} has a second statement {template.name}.")
            found[template.name] = template
    return found


def _read(file: str, part: str) -> Template:
    """Return the statement of a part: its name, the lines of its head, its text."""
    name, *lines = part.splitlines()
    head: dict[str, str] = {}
    field = ""
    while lines and lines[0].startswith("--"):
        line = lines.pop(0).removeprefix("--").strip()
        label, colon, value = line.partition(": ")
        if colon and label in _FIELDS:
            field, head[label] = label, value
        else:
            head[field] += f" {line}"
    aliases = () if head["aliases"] == "none" else tuple(head["aliases"].split())
    return Template(file, name, head["purpose"], aliases, head["locks"], "\n".join(lines).strip())
