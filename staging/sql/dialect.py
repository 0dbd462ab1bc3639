"""What the two databases say differently about tables and about values, under one set of names."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import UTC, date, datetime, timedelta
from typing import Any, ClassVar, NamedTuple

from django.db import connection
from django.db.models import IntegerField
from django.db.models.lookups import In
from django.utils.dateparse import parse_datetime

from staging.sql.compose import Sql
from staging.states import NO, YES, DataType
from staging.wording import say

YES_TEXTS, NO_TEXTS = (", ".join(f"'{word}'" for word in words) for words in (YES, NO))

# The longest staged text of a number that is looked at, and the most digits a decimal has on either side of the point.
NUMBER_TEXT = 100
DECIMAL_DIGITS = 40
BIGINT_MAX = 9223372036854775807
# What stands in the places of a statement, by their names: `%(code)s`.
Values = Mapping[str, str] | None
# What surrounds a staged text without belonging to it.
BLANKS = " \t\r\n\u00a0"
# Where a column may hold anything: what stands in the place of a value that is cleared, or is none of the type.
CLEARED, WRONG, TOO_BIG = Sql("x''"), Sql("x'01'"), Sql("x'02'")


class Server(NamedTuple):
    """A server: its version, its encoding, and whether our account may do anything there.

    `oldest` is the process that has had a transaction open for longest, and for how long; None when nobody has one.
    """

    version: int
    encoding: str
    is_superuser: bool
    oldest: tuple[int, timedelta] | None = None


class OfItself(NamedTuple):
    """What a database tells of itself: about how many rows some tables have, and its server where it has one."""

    rows_about: dict[str, int]
    server: Server | None = None


class TableDialect(ABC):
    """Definitions and settings; names come in unquoted, as code knows them."""

    # The column type of each data type in production, and of a small number ("small"), as the database reports it.
    stored_types: ClassVar[dict[str, str]]
    # The data types whose values come out as what they are in Python.
    given_as_values: ClassVar[frozenset[str]]
    # What a column is by default: yes, and the instant at which a statement began.
    true: ClassVar[str]
    now: ClassVar[str]
    # Whether an index can get another name.
    renames_indexes: ClassVar[bool]
    # Whether several transactions may write at once, so that one that reads rows to change them has to lock them.
    locks_rows: ClassVar[bool]
    # Whether a file is streamed into its table, which keeps nobody waiting; else it is read to its end first.
    streams_rows: ClassVar[bool]
    # Whether a statement can insert what another one, inside of it, returns.
    nests_inserts: ClassVar[bool]
    # Where work tables are, and those that outlive their connection; empty: where all tables are.
    work_schema: ClassVar[str]
    kept_schema: ClassVar[str]
    # Whether a work table is there for its own connection only.
    has_private_tables: ClassVar[bool]
    # What a table is called that need not outlive a crash.
    unlogged_table: ClassVar[Sql]
    # How the rows of a work table get their numbers, and whether these have to be indexed.
    numbering: ClassVar[str]
    indexes_numbers: ClassVar[bool]
    # What puts the texts of many rows together, with something between.
    joins_texts: ClassVar[str]
    # What makes a short text of a long one, another one of each: the SHA-256 of its UTF-8 in hexadecimal, a template.
    hashed: ClassVar[str]
    # What writes texts as one list of JSON: a template.
    listed: ClassVar[str]
    # How long it is from one instant to another: a template of SQL with `start` and `end`.
    microseconds: ClassVar[str]
    # How many tables one statement asks at once, each by its indexes.
    tables_at_once: ClassVar[int]
    # How a column is indexed in which values are only looked up: a staged text may be too long for an ordered index.
    lookup_index: ClassVar[Sql]

    @abstractmethod
    def room(self, percent: int) -> str:
        """Return the end of a CREATE TABLE that fills each page up to so much; the rest is for updates."""

    @abstractmethod
    def identity(self, table: str) -> str:
        """Return the `id` column of a table; every name it makes is ours."""

    @abstractmethod
    def index_by_pages(self, label: str, table: str, column: str, pages: int | None = None) -> str:
        """Return the statement that indexes, for next to nothing, a column whose values rise as rows come.

        Empty where a database has no such index. `pages` are those that one entry stands for.
        """

    @abstractmethod
    def index_exists(self, name: str) -> bool:
        """Return whether there is an index of this name."""

    @abstractmethod
    def columns_of(self, tables: Sequence[str]) -> Iterator[tuple[str, str, str, str]]:
        """Yield table, name, type and the table referred to of each column of these tables that are there."""

    def states_of_columns(self, tables: Sequence[str]) -> dict[str, Hashable]:
        """Return of each of these tables that is there what is the same as long as its columns are."""
        found: dict[str, tuple[Any, ...]] = {}
        for table, *column in self.columns_of(tables):
            found[table] = (*found.get(table, ()), *column)
        return dict(found)

    @abstractmethod
    def of_itself(self, tables: Sequence[str]) -> OfItself:
        """Return what the database tells of itself, and of those of these tables that are there; counts nothing."""

    @abstractmethod
    def rows_of_each(self, statements: Sequence[str], values: Values = None, *, of_a_page: bool) -> list[Any]:
        """Return the rows of statements that each ask `tables_at_once`, and have the same columns.

        Each has the same values in its places. A page asks in as few messages as the database takes; all else as it
        takes the least time.
        """

    @abstractmethod
    def hold_tables(self, tables: Sequence[str]) -> None:
        """Keep others out of the tables until the end of the transaction."""

    @abstractmethod
    def take_turns(self, key: tuple[int, int]) -> None:
        """Wait until no other transaction has this key, and keep it until the end of this one."""

    @abstractmethod
    def begin_within(self, seconds: int) -> AbstractContextManager[None]:
        """Return a transaction that gives up when it cannot take its first locks within so many seconds.

        What follows them waits as usual again once `wait_as_usual` was called.
        """

    @abstractmethod
    def wait_as_usual(self) -> None:
        """End the patience, or impatience, of `begin_within` for the rest of its transaction."""

    @abstractmethod
    def at_most(self, seconds: int) -> AbstractContextManager[None]:
        """Return the context in which a statement is given up after so many seconds, where that can be told."""

    @abstractmethod
    def give_up_soon(self) -> None:
        """Let the statements of this transaction wait for locks of others only for a moment."""

    @abstractmethod
    def analyze(self, table: Sql) -> None:
        """Let the planner look at a new table: a plan made for an empty one takes for ever."""

    @abstractmethod
    def work_tables(self, pattern: str, *, kept: bool) -> list[str]:
        """Return the tables with such a name; where they are private, those of this connection or those `kept`."""

    @abstractmethod
    def is_in_memory(self) -> bool:
        """Return whether no other connection can see the database."""

    @abstractmethod
    def stored(self, value: int | date) -> Any:
        """Return a whole number or a day as the parameter to compare with what is stored."""

    @abstractmethod
    def in_order(self, decimal: Sql) -> Sql:
        """Return a stored decimal, or the text of one, as a number that is compared near enough."""

    @abstractmethod
    def bulk_example(self, table: str, columns: Sequence[str], file: str) -> str:
        """Return how many rows go into a table at once; shown to people, never run. Names are quoted."""


class Dialect(TableDialect, ABC):
    """Expressions over staged text; `value` is trimmed and never null where it is evaluated."""

    # Ends a subquery so that its expressions are computed once per row and not once per use.
    barrier: ClassVar[Sql]
    types: ClassVar[dict[str, str]]
    # What stands before the statement that types values.
    calendar = Sql("")
    # Whether a row tells that it was changed since it was read.
    has_row_versions: ClassVar[bool]
    # Whether an update writes the index of a column it sets even when the value stays.
    rewrites_indexes: ClassVar[bool]
    # How many rows one transaction merges: few enough that other writers wait for a second or two at most, many enough
    # to share the pages they write.
    chunk_rows: ClassVar[int]
    # With fewer rows a batch is done before another connection is open, or another process has started.
    worth_connections: ClassVar[int]
    # Whether the chunks of a large batch take their rows in tiles (worktable.py). It pays where a page that was changed
    # is written to the log as a whole, and not where a chunk is large enough to share its pages anyway.
    merges_in_tiles: ClassVar[bool]
    # Whether several connections may write at once.
    writes_abreast: ClassVar[bool]
    # Whether a column may hold a mark in the place of a value; then `marked` is used in the place of `typed`.
    marks: ClassVar[bool]

    @abstractmethod
    def start(self) -> None:
        """Make the connection ready for a batch, before its first chunk."""

    @abstractmethod
    def patient(self) -> None:
        """Allow the statements of this transaction to be long ones."""

    @abstractmethod
    def favour_indexes(self) -> None:
        """Make this transaction find the few rows of a chunk by index."""

    @abstractmethod
    def favour_hashes(self) -> AbstractContextManager[None]:
        """Return the context in which many rows are joined that the planner cannot know of yet."""

    @abstractmethod
    def private(self) -> AbstractContextManager[None]:
        """Return the context in which the work tables are filled; no other session waits for it."""

    @abstractmethod
    def trim(self, value: Sql) -> Sql:
        """Return the text without surrounding blanks, null when nothing is left."""

    @abstractmethod
    def typed(self, data_type: str, value: Sql, day: Sql) -> Sql:
        """Return the value as production stores it, null when the text is not one of the accepted forms.

        `day` is what the join of `look_up_day` found, where there is one.
        """

    def marked(self, data_type: str, staged: Sql, clears: str) -> Sql:
        """Return the typed value of raw text, null when blank, else a mark: `CLEARED`, `WRONG`, `TOO_BIG`.

        All values are less than the marks.
        """
        raise NotImplementedError

    def expect(self, rows: int) -> None:
        """Say how many rows are coming, so that the cheaper way for so many is taken."""
        self.calendar = Sql("")

    def look_up_day(self, data_type: str, value: Sql, alias: Sql) -> Sql:
        """Return the join that finds the day a date or date-time begins with; empty when none is needed."""
        return Sql("")

    @abstractmethod
    def staged_form(self, data_type: str, value: Sql) -> Sql:
        """Return a stored value as the text that would be staged for it; references are for the caller to name."""

    @abstractmethod
    def constant(self, data_type: str, text: str) -> Sql:
        """Return a bound or a choice of a definition as production stores it."""

    @abstractmethod
    def less(self, data_type: str, left: Sql, right: Sql) -> Sql:
        """Return whether one stored value is smaller than the other."""

    @abstractmethod
    def matches(self, pattern: str, value: Sql) -> Sql:
        """Return whether the text matches a user's pattern somewhere."""

    @abstractmethod
    def same(self, left: Sql, right: Sql) -> Sql:
        """Return whether two values are equal, null being equal to null."""

    @abstractmethod
    def shown(self, value: Sql) -> Sql:
        """Return text that is safe to show: cut at 80 characters, printable on this database."""

    @abstractmethod
    def instant(self, value: datetime) -> Any:
        """Return an instant as the parameter that this database stores."""

    @abstractmethod
    def literal(self, value: Any) -> str:
        """Return a parameter as it would be written into a statement, for people to read and try."""

    def asked_often(
        self, statement: str, parameters: Sequence[Any], places: Mapping[int, DataType]
    ) -> Callable[[Sequence[Any]], list[tuple[Any, ...]]]:
        """Return what asks this with other values each time in these places of its parameters, and returns the rows.

        `places` are in the order of the values, each with the type that it has.
        """

        def ask(values: Sequence[Any]) -> list[tuple[Any, ...]]:
            given = list(parameters)
            for place, value in zip(places, values, strict=True):
                given[place] = value
            with connection.cursor() as cursor:
                cursor.execute(statement, given)
                return list(cursor.fetchall())

        return ask

    def foreseen(self, now: datetime) -> AbstractContextManager[None]:
        """Return the context in which what was `asked_often` the last times is asked at once, if a message costs."""
        return nullcontext()

    @abstractmethod
    def explained(self, asked: Sql, *, analyze: bool) -> tuple[list[str], int | None]:
        """Return the plan of a statement, line by line.

        With `analyze`, where a database then runs a statement that writes, also how many rows it touched; else None.
        """

    @abstractmethod
    def among(self, value: Sql, numbers: Sequence[int]) -> Sql:
        """Return whether a number is one of these, however many they are."""

    def part(self, whole: Sql) -> Sql:
        """Return a statement with an order and a limit of its own as one of many parts of a UNION ALL.

        Not as a subquery: PostgreSQL needs 1.5 s to plan 500 of them, and a tenth of a second for these.
        """
        return Sql(f"({whole.text})", whole.params)

    def by_bytes(self, value: Sql) -> Sql:
        """Return the text as it is sorted fastest, for orders that nobody sees."""
        return value

    def length(self, value: Sql) -> Sql:
        """Return the number of characters."""
        return Sql(f"length({value.text})", value.params)

    def type_of(self, data_type: str) -> str:
        """Return the column type of a work table for this data type."""
        return self.types[DataType(data_type)]


_DIALECTS: dict[str, type[Dialect]] = {}


def register(vendor: str, of: type[Dialect]) -> None:
    """Make the dialect of a database known; done once, when the app is loaded."""
    _DIALECTS[vendor] = of


def dialect() -> Dialect:
    """Return what the database in use says about tables and values."""
    return _DIALECTS[connection.vendor]()


@IntegerField.register_lookup
class InReach(In):
    """`in` of whole numbers, without those that no column can hold: SQLite raises an error, PostgreSQL finds nothing.

    A form asks for all the keys that were sent at once; of one alone Django knows.
    """

    def process_rhs(self, compiler: Any, connection: Any) -> Any:
        """Return the values as the statement has them."""
        if self.rhs_is_direct_value():
            lowest, highest = connection.ops.integer_field_range(self.lhs.output_field.get_internal_type())
            self.rhs = [each for each in self.rhs if not isinstance(each, int) or lowest <= each <= highest]
        return super().process_rhs(compiler, connection)


def to_database(instant: datetime) -> Any:
    """Return an aware instant as a parameter for raw SQL; SQLite keeps `YYYY-MM-DD HH:MM:SS.ffffff` in UTC."""
    return dialect().instant(instant)


def from_database(value: Any) -> datetime | None:
    """Return what raw SQL gave as an aware instant in UTC; raises ValueError for text that is no instant."""
    if value is None:
        return None
    parsed = value if isinstance(value, datetime) else parse_datetime(str(value))
    if parsed is None:
        raise ValueError(say("{value!r} is not an instant.", value=value))
    return parsed.astimezone(UTC) if parsed.tzinfo else parsed.replace(tzinfo=UTC)
