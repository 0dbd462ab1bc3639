"""Puts SQL together from pieces that carry their own parameters, so that values never become text of a statement."""

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from string import Formatter
from typing import Any

from django.db import connection

from staging.identifiers import quote
from staging.states import ImportAction, ImportStatus, RowOutcome, UndoKind

# The enumerations whose numbers templates may name, as in `{RowOutcome.INSERT}`.
_ENUMERATIONS = {each.__name__: each for each in (ImportAction, ImportStatus, RowOutcome, UndoKind)}


@dataclass(frozen=True)
class Sql:
    """A piece of SQL with `%s` placeholders and the parameters they stand for, in order."""

    text: str
    params: tuple[Any, ...] = ()

    def filled(self, literal: Callable[[Any], str]) -> str:
        """Return the text with its parameters written out, for people; the database gets them as parameters."""
        values = map(literal, self.params)
        return _PLACES.sub(lambda found: next(values) if found[0] == "%s" else "%", self.text)


_PLACES = re.compile("%[s%]")


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
