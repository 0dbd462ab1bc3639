"""What the two databases say differently about values, under one set of names."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Any, ClassVar

from staging.sql.compose import Sql
from staging.sql.table_dialect import TableDialect
from staging.states import DataType

# The longest staged text of a number that is looked at, and the most digits a decimal has on either side of the point.
NUMBER_TEXT = 100
DECIMAL_DIGITS = 40
BIGINT_MAX = 9223372036854775807
# What surrounds a staged text without belonging to it.
BLANKS = " \t\r\n\u00a0"
# Where a column may hold anything: what stands in the place of a value that is cleared, or is none of the type.
CLEARED, WRONG, TOO_BIG = Sql("x''"), Sql("x'01'"), Sql("x'02'")


class Dialect(TableDialect, ABC):
    """Expressions over staged text; `value` is trimmed and never null where it is evaluated."""

    # Ends a subquery so that its expressions are computed once per row and not once per use.
    fence: ClassVar[Sql]
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
    worth_lanes: ClassVar[int]
    # Whether the chunks of a large batch take their rows in tiles (order.py). It pays where a page that was changed is
    # written to the log as a whole, and not where a chunk is large enough to share its pages anyway.
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

    @abstractmethod
    def explained(self, asked: Sql, *, analyze: bool) -> tuple[list[str], int | None]:
        """Return the plan of a statement, line by line.

        With `analyze`, where a database then runs a statement that writes, also how many rows it touched; else None.
        """

    @abstractmethod
    def among(self, value: Sql, numbers: Sequence[int]) -> Sql:
        """Return whether a number is one of these, however many they are."""

    def by_bytes(self, value: Sql) -> Sql:
        """Return the text as it is sorted fastest, for orders that nobody sees."""
        return value

    def length(self, value: Sql) -> Sql:
        """Return the number of characters."""
        return Sql(f"length({value.text})", value.params)

    def type_of(self, data_type: str) -> str:
        """Return the column type of a work table for this data type."""
        return self.types[DataType(data_type)]
