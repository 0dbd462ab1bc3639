"""Puts SQL together from pieces that carry their own parameters, so that values never become text of a statement.

The statements of a batch stand in the files of `statements/`, each under a head: its name, its purpose, the aliases
that it and what is put into it may use (aliases.py), and the locks that others may wait for. The head stays here: the
database is sent the statement only.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from copy import copy
from dataclasses import dataclass, field
from functools import cache, lru_cache
from itertools import count
from pathlib import Path
from string import Formatter
from typing import Any, Generic, NamedTuple, TypeVar

from django.db import connection
from django.db.models import QuerySet
from django.db.models.sql.compiler import SQLCompiler

from staging.identifiers import quote
from staging.states import ImportAction, ImportStatus, RowOutcome, UndoKind

# The enumerations whose numbers templates may name, as in `{RowOutcome.INSERT}`.
_ENUMERATIONS = {each.__name__: each for each in (ImportAction, ImportStatus, RowOutcome, UndoKind)}

_PLACES = re.compile("%[s%]")
_Row = TypeVar("_Row")
# What stands for a value while the statement is compiled: nobody asks for such a number or such a text.
_FIRST_MARK = -7_530_901

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
    for literal, name in _parsed(template):
        text.append(literal)
        if name is None:
            continue
        part = _number(name) if "." in name else parts[name]
        text.append(part.text if isinstance(part, Sql) else "%s")
        params.extend(part.params if isinstance(part, Sql) else (part,))
    return Sql("".join(text), tuple(params))


@lru_cache(maxsize=1_000)
def _parsed(template: str) -> tuple[tuple[str, str | None], ...]:
    """Return the pieces of a template: one may be filled for hundreds of tables."""
    return tuple((literal, name) for literal, name, _, _ in Formatter().parse(template))


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


class _Compiled(NamedTuple):
    """A query set with its statement; `places` says which parameter is which value."""

    rows: QuerySet[Any]
    compiler: SQLCompiler
    text: str
    params: tuple[Any, ...]
    places: dict[int, int]


class FixedQuery(Generic[_Row]):
    """A read that every request makes: compiled once, and asked again with other values only.

    Django builds and compiles a query set each time; where the statement is long and finds one row by its key, that
    takes much longer than the database does.

    `build` returns the query set for what stands for the values, each a number or a text (`kinds`) that is compared as
    it is; it is called once in a process. Calling with values returns what that query set would, models with everything
    that was annotated or selected along.
    """

    def __init__(self, build: Callable[..., Any], *kinds: type[int] | type[str]):
        self._build, self._kinds = build, kinds
        self._known: _Compiled | None = None

    def __call__(self, *values: Any) -> list[_Row]:
        """Return the rows for these values."""
        self._known = known = self._known or self._compile()
        params = list(known.params)
        for place, value in known.places.items():
            params[place] = values[value]
        compiler = copy(known.compiler)
        compiler.connection = connection
        compiler.as_sql = lambda *args, **options: (known.text, tuple(params))  # type: ignore[method-assign]
        rows = known.rows.all()
        rows.query.get_compiler = lambda *args, **options: compiler  # type: ignore[method-assign]
        return list(rows)

    def first(self, *values: Any) -> _Row | None:
        """Return the first of the rows for these values; None without any."""
        return next(iter(self(*values)), None)

    def _compile(self) -> _Compiled:
        marks = [kind(mark) for kind, mark in zip(self._kinds, count(_FIRST_MARK), strict=False)]
        rows = self._build(*marks)
        compiler = rows.query.get_compiler(connection=connection)
        text, params = compiler.as_sql()
        places = {place: marks.index(value) for place, value in enumerate(params) if value in marks}
        if sorted(places.values()) != list(range(len(marks))):
            raise TypeError(text)
        return _Compiled(rows, compiler, text, tuple(params), places)
