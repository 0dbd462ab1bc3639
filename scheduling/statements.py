"""Asks the database where the ORM takes longer to build a query, or to make its rows, than the database to answer.

What every task costs is SQL that is written out. Tables and columns stand in the text, values are parameters. States
stand in the text too: SQLite uses an index of some states only when it can read them there.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import UTC, datetime, timedelta
from functools import cache, partial
from hashlib import sha256
from typing import Any, NamedTuple, TypeVar, cast
from uuid import UUID

from django.core.exceptions import EmptyResultSet
from django.db import connection
from django.db.models import Case, Field, Model, QuerySet, Value, When
from django.db.models.base import ModelState
from django.db.models.functions import Cast

from staging.sql.dialect import dialect
from staging.sql.texts import text_of
from staging.states import DataType

T = TypeVar("T")
M = TypeVar("M", bound=Model)


def run(statement: str, *values: Any) -> int:
    """Run a statement; return how many rows it touched. Raises database errors."""
    with connection.cursor() as cursor:
        cursor.execute(statement, [_stored(value) for value in values])
        return int(cursor.rowcount)


def rows(statement: str, *values: Any) -> list[tuple[Any, ...]]:
    """Run a query; return its rows. Raises database errors."""
    with connection.cursor() as cursor:
        cursor.execute(statement, [_stored(value) for value in values])
        return list(cursor.fetchall())


def have_rows(*queries: QuerySet[Any, Any]) -> list[bool]:
    """Return of each of these queries whether it finds any row; one statement. Raises database errors."""
    if not queries:
        return []
    asked = [query.query.exists().get_compiler(connection=connection, elide_empty=False).as_sql() for query in queries]
    with connection.cursor() as cursor:
        statement = f"SELECT {', '.join(f'EXISTS ({text})' for text, _ in asked)}"
        cursor.execute(statement, [value for _, values in asked for value in values])
        return [bool(found) for found in cursor.fetchone()]


def insert(row: Model) -> None:
    """Insert a new row of a model and note its id. Raises database errors."""
    statement, fields = _insertion(type(row))
    with connection.cursor() as cursor:
        cursor.execute(f"{statement} RETURNING id", _values(row, fields))
        row.pk = cursor.fetchone()[0]
    row._state.adding, row._state.db = False, connection.alias


def insert_apart(*rows: Model) -> None:
    """Insert new rows of one model; an error is raised, and leaves the caller's transaction as it was.

    On PostgreSQL an error would spoil the transaction without a savepoint; set and released here in the same message
    to the server. On SQLite it undoes only its statement. The ids of the rows are not noted.
    """
    statement, fields = _insertion(type(rows[0]), len(rows))
    values = [value for row in rows for value in _values(row, fields)]
    with connection.cursor() as cursor:
        if connection.vendor != "postgresql" or not connection.in_atomic_block:
            cursor.execute(statement, values)
            return
        try:
            cursor.execute(f"SAVEPOINT apart; {statement}; RELEASE SAVEPOINT apart", values)
        except Exception:
            if connection.connection.info.transaction_status.name == "INERROR":
                cursor.execute("ROLLBACK TO SAVEPOINT apart; RELEASE SAVEPOINT apart")
            raise


def update_each(rows: QuerySet[Any], columns: Mapping[int, Mapping[str, Any]], *, by: str = "pk") -> int:
    """Update some of these rows, each with the columns that are given for its `by`; return how many there were.

    One statement for all that change the same columns; a value that all of them share is written as one.
    """
    alike: dict[tuple[str, ...], list[int]] = {}
    for key, values in columns.items():
        alike.setdefault(tuple(sorted(values)), []).append(key)
    updated = 0
    for names, keys in alike.items():
        changes = {name: _by_row(rows.model, name, by, {key: columns[key][name] for key in keys}) for name in names}
        updated += rows.filter(**{f"{by}__in": keys}).update(**changes)
    return updated


def _by_row(model: type[Model], name: str, by: str, values: Mapping[int, Any]) -> Any:
    """Return the value of a column that is the same for all rows, or the expression that chooses each row's own."""
    first = next(iter(values.values()))
    if all(value == first for value in values.values()):
        return first
    field = cast("Field[Any, Any]", model._meta.get_field(name))
    own = {key: value.pk if isinstance(value, Model) else value for key, value in values.items()}
    choices = (When(**{by: key}, then=Value(value, output_field=field)) for key, value in own.items())
    chosen = Case(*choices, output_field=field)
    # PostgreSQL takes a choice between parameters for text.
    return Cast(chosen, output_field=field) if connection.features.requires_casted_case_in_updates else chosen


@cache
def _insertion(model: type[Model], number: int = 1) -> tuple[str, list[Any]]:
    """Return the statement that inserts so many rows of a model, and the fields of the values of each."""
    fields = [field for field in model._meta.local_concrete_fields if not field.primary_key]
    names = ", ".join(connection.ops.quote_name(field.column) for field in fields)
    table = connection.ops.quote_name(model._meta.db_table)
    marks = f"({', '.join(['%s'] * len(fields))})"
    return f"INSERT INTO {table} ({names}) VALUES {', '.join([marks] * number)}", fields  # noqa: S608 (names of our own models)


def _values(row: Model, fields: list[Any]) -> list[Any]:
    """Return the values of these fields as the database stores them."""
    return [field.get_db_prep_save(field.pre_save(row, add=True), connection) for field in fields]


def _stored(value: Any) -> Any:
    """Return a value as this database stores it; the drivers would write instants and keys their own way on SQLite."""
    if isinstance(value, UUID) and not connection.features.has_native_uuid_field:
        return value.hex
    return connection.ops.adapt_unknown_value(value)


_NO_LIMIT = 2**31  # makes a query of its own of the rows in their order: both databases keep to it then
_MOST_WRITTEN = 500  # queries; those of rules that changed long ago are among them
# What stands for moments, long before any that is asked for, so far apart that what is reckoned from them tells whose.
_FIRST, _APART, _NEAR = datetime(3, 1, 1, tzinfo=UTC), timedelta(days=1000), timedelta(days=400)
_NO_KEY = -2_000_000_000  # the first of the numbers that stand for keys, down from there
_written: dict[object, "_Written | None"] = {}
_made: dict[object, tuple[Sequence[Any], Any]] = {}
_readers: dict[object, Any] = {}  # what reads the rows of a query


def digest_of(key: object, build: Callable[..., QuerySet[Any]], *columns: str, **moments: datetime) -> str:
    """Return a short text that is the same as long as these columns of all rows are; the database puts it together.

    It is the `digest_of_texts` of the rows in the order of their keys, and these are those of `prepared`.
    """
    (digest,) = digests_of(key, [build], *columns, **moments)
    return digest


def digest_of_texts(texts: Iterable[str]) -> str:
    """Return the digest of rows of which these are the `text_of`; empty for none."""
    joined = ",".join(texts)
    return sha256(joined.encode()).hexdigest() if joined else ""


def digests_of(
    key: object, builds: Sequence[Callable[..., QuerySet[Any]]], *columns: str, **moments: datetime
) -> list[str]:
    """Return the `digest_of` the rows of each of several queries; one statement asks for all of them."""
    digest = dialect().hashed.format(f"{dialect().joins_texts}(t.text, ',')")
    frame = f"(SELECT {digest} FROM ({{}}) t)"  # noqa: S608 (names of the dialect's)

    def texts(build: Callable[..., QuerySet[Any]], **moments: datetime) -> QuerySet[Any, Any]:
        rows = build(**moments).order_by("pk").annotate(text=text_of(*columns)).values_list("text")
        return rows[:_NO_LIMIT]

    def write() -> tuple[str, list[Any]] | None:
        parts = [_write(partial(texts, build), frame, moments) for build in builds]
        if not any(parts):
            return None
        asked = [part or ("''", []) for part in parts]
        return f"SELECT {', '.join(text for text, _ in asked)}", [each for _, given in asked for each in given]

    found = _ask((key, columns, frame), write, moments)
    return [digest or "" for digest in found[0]] if found else [""] * len(builds)


def prepared(
    key: object, build: Callable[..., QuerySet[Any, Any]], frame: str = "{}", /, **values: datetime | int
) -> list[tuple[Any, ...]]:
    """Return the rows of a query that is built once for its key, and asked with other moments and keys each time.

    All else must be the same whenever the key is; what is so long before or after one of the moments, as an hour
    before, is told by it. What it gives is as the driver has it: ask for keys, numbers and texts. Raises database
    errors.
    """
    return _ask(key, lambda: _write(build, frame, values), values)


def prepared_values(
    key: object, build: Callable[..., QuerySet[Any, Any]], /, **values: datetime | int
) -> list[tuple[Any, ...]]:
    """Return the rows of `prepared` as the query itself gives them: instants and JSON are read by their fields."""
    rows = prepared(key, build, **values)
    reader = _readers.get(key)
    if reader is None:
        if len(_readers) >= _MOST_WRITTEN:
            _readers.clear()
        reader = _readers[key] = build(**values).query.get_compiler(connection=connection)
        reader.setup_query()
    return list(reader.results_iter([rows], tuple_expected=True))


def foreseen(now: datetime) -> AbstractContextManager[None]:
    """Return the context in which what `prepared` asks, and digests do, comes together if it was asked the last times.

    For what looks at the same things each minute: it is as they were when the context began.
    """
    return dialect().foreseen(now)


def _ask(
    key: object, write: Callable[[], tuple[str, list[Any]] | None], values: Mapping[str, datetime | int]
) -> list[tuple[Any, ...]]:
    """Return the rows of a statement that is written once for its key; none, where it finds nothing ever."""
    if key not in _written:
        if len(_written) >= _MOST_WRITTEN:
            _written.clear()
        _written[key] = _made_ready(write())
    written = _written.get(key) or _made_ready(write())  # another thread may have cleared them
    return written.ask([_given(each, values) for each in written.places]) if written else []


def _made_ready(written: tuple[str, list[Any]] | None) -> "_Written | None":
    """Return what asks such a statement; None for none."""
    if written is None:
        return None
    statement, parameters = written
    places = {number: each for number, each in enumerate(parameters) if isinstance(each, _Place)}
    types = {number: each.data_type for number, each in places.items()}
    return _Written(dialect().asked_often(statement, parameters, types), [*places.values()])


def sharing(
    rows: QuerySet[Any],
    referred: Mapping[str, Sequence[str]],
    *,
    own: Collection[str] = (),
    more: Sequence[str] = (),
    known: Mapping[type[Model], Mapping[Any, Model]] | None = None,
    key: object = None,
) -> Iterator[tuple[Any, tuple[Any, ...]]]:
    """Yield each row with its values of `more`; what several refer to is made once for all of them. One statement.

    `referred`: of which foreign keys what they lead to is read, and which of its columns, in the order of its model
    with its key first; `own`: the columns of the rows that are read, without them all; `known`: what they may lead to
    that was read with these columns already, by its key; `key`: under which the query is `prepared`, where it is the
    same each time.
    """
    model, database = rows.model, rows.db
    kept = [each.attname for each in model._meta.concrete_fields if not own or each.name in own]
    asked = (f"{to}__{name}" for to, names in referred.items() for name in names)
    made = {to: dict((known or {}).get(referred_to(model, to), {})) for to in referred}
    build = partial(rows.values_list, *kept, *asked, *more)
    for values in build() if key is None else prepared_values(key, build):
        row, at = row_of(model, database, kept, values), len(kept)
        for to, names in referred.items():
            told, at = values[at : at + len(names)], at + len(names)
            others = made[to]
            if told[0] is not None and told[0] not in others:
                others[told[0]] = row_of(referred_to(model, to), database, names, told)
            row._state.fields_cache[to] = others.get(told[0])
        yield row, values[at:]


def row_of(model: type[M], database: str, names: Sequence[str], values: Iterable[Any]) -> M:
    """Return a row of a table of which these columns are known, as `from_db` does, in a fifth of the time.

    Of a thousand rows that is what a page waits for. No signals are sent, and no column knows that it was set.
    """
    row = model.__new__(model)
    row._state = state = ModelState()
    state.adding, state.db = False, database
    row.__dict__.update(zip(names, values, strict=False))
    return row


def referred_to(model: type[Model], key: str) -> type[Model]:
    """Return the model that a foreign key of a model leads to."""
    return cast("type[Model]", model._meta.get_field(key).related_model)


def made_of(key: object, rows: Sequence[Any], make: Callable[[Any], T]) -> T:
    """Return what is made of these rows; what was made the last time under this key, while they are the same.

    What is made must follow from the rows alone, and nobody may change it.
    """
    last = _made.get(key)
    if last is None or last[0] != rows:
        if len(_made) >= _MOST_WRITTEN:
            _made.clear()
        last = _made[key] = rows, make(rows)
    made: T = last[1]
    return made


class _Place(NamedTuple):
    """The place of a key, of a moment, or of an instant so much later, among the parameters of a query."""

    name: str
    data_type: DataType
    later: timedelta = timedelta()


class _Written(NamedTuple):
    """A statement that is asked with other values each time, and of what these are reckoned."""

    ask: Callable[[Sequence[Any]], list[tuple[Any, ...]]]
    places: list[_Place]


def _write(
    build: Callable[..., QuerySet[Any, Any]], frame: str, values: Mapping[str, datetime | int]
) -> tuple[str, list[Any]] | None:
    """Return the text of a query and its parameters, with places for the values; None when it finds nothing ever."""
    stand_ins: dict[str, datetime | int] = {
        name: _NO_KEY - number if isinstance(value, int) else _FIRST + number * _APART
        for number, (name, value) in enumerate(values.items())
    }
    try:
        statement, parameters = build(**stand_ins).query.get_compiler(connection=connection).as_sql()
    except EmptyResultSet:
        return None
    return frame.format(statement), [_place(each, stand_ins) for each in parameters]


def _place(parameter: Any, stand_ins: Mapping[str, datetime | int]) -> Any:
    """Return the place that a parameter stands for, or the parameter."""
    if isinstance(parameter, int):
        keys = (_Place(name, DataType.INTEGER) for name, each in stand_ins.items() if each == parameter)
        return next(keys, parameter)
    try:
        instant = datetime.fromisoformat(parameter) if isinstance(parameter, str) else parameter
    except ValueError:
        return parameter
    if not isinstance(instant, datetime):
        return parameter
    instant = instant if instant.tzinfo else instant.replace(tzinfo=UTC)
    moments = {name: each for name, each in stand_ins.items() if isinstance(each, datetime)}
    later = ((name, instant - each) for name, each in moments.items())
    near = (_Place(name, DataType.DATETIME, by) for name, by in later if abs(by) < _NEAR)
    return next(near, parameter)


def _given(place: _Place, values: Mapping[str, datetime | int]) -> Any:
    """Return what stands in a place as a parameter has it on this database."""
    value = values[place.name]
    return value if isinstance(value, int) else connection.ops.adapt_datetimefield_value(value + place.later)
