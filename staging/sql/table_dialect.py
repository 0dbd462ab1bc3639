"""What the two databases say differently about tables: how they are made, read, locked and filled."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from datetime import date
from typing import Any, ClassVar

from staging.sql.compose import Sql


class TableDialect(ABC):
    """Definitions and settings; names come in unquoted, as code knows them."""

    # The column type of each data type in production, and of a small number ("small"), as the database reports it.
    stored_types: ClassVar[dict[str, str]]
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

    @abstractmethod
    def hold_tables(self, tables: Sequence[str]) -> None:
        """Keep others out of the tables until the end of the transaction."""

    @abstractmethod
    def take_turns(self, key: tuple[int, int]) -> None:
        """Wait until no other transaction has this key, and keep it until the end of this one."""

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
