"""What posted rows are between reading and storing: one that was looked at, or many that can be stored as they are."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from operator import itemgetter
from typing import Any, NamedTuple

Value = str | bool | None


class Posted(NamedTuple):
    """A row as it came: its position, its values by column, and how long about it was."""

    position: int
    values: dict[str, Value]
    size: int = 0


class Block(ABC):
    """Rows that follow one another and can be stored as they are, the first one's position, how long they are."""

    position: int
    size: int

    @property
    @abstractmethod
    def columns(self) -> set[str]:
        """The columns that any of the rows has."""

    @abstractmethod
    def __len__(self) -> int:
        """Return how many rows there are."""

    @abstractmethod
    def each(self) -> Iterator[Posted]:
        """Yield the rows one by one, each about as long as the others."""

    @abstractmethod
    def values(self, names: list[str]) -> Iterable[Sequence[Any]]:
        """Return the values of these columns of each row, as staging keeps them."""


@dataclass
class Objects(Block):
    """Rows that name their columns themselves; `needs_words`: there may be truths or empty texts among the values."""

    position: int
    rows: list[dict[str, Value]]
    size: int = 0
    needs_words: bool = True

    @cached_property
    def _orders(self) -> set[tuple[str, ...]]:
        """The orders in which the rows have their columns; of most programs it is one, which is seen at a glance."""
        first = list(self.rows[0])
        is_one = list(chain.from_iterable(self.rows)) == first * len(self.rows)
        return {tuple(first)} if is_one else set(map(tuple, self.rows))

    @cached_property
    def columns(self) -> set[str]:
        return set().union(*self._orders)

    def __len__(self) -> int:
        return len(self.rows)

    def each(self) -> Iterator[Posted]:
        each = self.size // len(self.rows)
        return (Posted(position, row, each) for position, row in enumerate(self.rows, start=self.position))

    def values(self, names: list[str]) -> Iterable[Sequence[Any]]:
        if self.needs_words:
            return (texts(map(row.get, names)) for row in self.rows)
        if self._orders == {tuple(names)}:
            return map(dict.values, self.rows)  # type: ignore[arg-type]
        if len(names) > 1 and all(set(order) == set(names) for order in self._orders):
            return map(itemgetter(*names), self.rows)
        return (tuple(map(row.get, names)) for row in self.rows)


@dataclass
class Lines(Block):
    """Rows of texts, each in the order of the same columns."""

    position: int
    names: list[str]
    rows: list[list[str]]
    size: int = 0

    @property
    def columns(self) -> set[str]:
        return set(self.names)

    def __len__(self) -> int:
        return len(self.rows)

    def each(self) -> Iterator[Posted]:
        rows = (dict[str, Value](zip(self.names, cells, strict=True)) for cells in self.rows)
        each = self.size // len(self.rows)
        return (Posted(position, row, each) for position, row in enumerate(rows, start=self.position))

    def values(self, names: list[str]) -> Iterable[Sequence[Any]]:
        if names == self.names:
            return (cells if all(cells) else [cell or None for cell in cells] for cells in self.rows)
        places = [self.names.index(name) if name in self.names else None for name in names]
        return ([None if at is None else cells[at] or None for at in places] for cells in self.rows)


def texts(row: Iterable[Value]) -> list[str | None]:
    """Return values as staging keeps them: the words true and false, blank is null."""
    return [value or None if type(value) is str else _WORDS.get(value) for value in row]  # type: ignore[arg-type]


_WORDS = {True: "true", False: "false"}
