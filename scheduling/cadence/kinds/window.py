"""The part of the day, and the days of the week, in which an interval may fire."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from scheduling.cadence.base import DAY_SECONDS
from scheduling.cadence.document import Document
from scheduling.cadence.sentences import on_weekdays
from scheduling.cadence.words import read_time, write_time
from staging.phrases import joined, phrase


@dataclass(frozen=True, kw_only=True)
class Window:
    """From `start` for `length` seconds on certain days; one that passes midnight belongs to the day it begins on."""

    start: int = 0
    length: int = DAY_SECONDS
    end_inclusive: bool = False
    days: tuple[int, ...] = tuple(range(7))

    @property
    def is_always(self) -> bool:
        """Return whether nothing is excluded."""
        return self.length == DAY_SECONDS and len(self.days) == 7

    def is_day(self, day: date) -> bool:
        """Return whether a window begins on the local day."""
        return day.weekday() in self.days

    def seconds(self, step: int) -> range:
        """Return the grid of a window: every `step` seconds from its start, counted from midnight."""
        return range(self.start, self.start + self.length + int(self.end_inclusive), step)

    def holds(self, moment: datetime) -> bool:
        """Return whether the naive local moment lies inside, the end itself only when included."""
        for day in (moment.date(), moment.date() - timedelta(days=1)):
            passed = (moment - datetime.combine(day, time())).total_seconds() - self.start
            if self.is_day(day) and (0 <= passed < self.length or (self.end_inclusive and passed == self.length)):
                return True
        return False

    def starts_from(self, day: date) -> Iterator[datetime]:
        """Yield the naive starts of the windows of nine days from the day before this one on."""
        for days in range(-1, 9):
            if self.is_day(day + timedelta(days=days)):
                yield datetime.combine(day, time()) + timedelta(days=days, seconds=self.start)

    def ends_back(self, day: date) -> Iterator[datetime]:
        """Yield the naive ends of the windows of ten days from the day after this one back."""
        for days in range(1, -10, -1):
            if self.is_day(day + timedelta(days=days)):
                yield datetime.combine(day, time()) + timedelta(days=days, seconds=self.start + self.length)

    def in_words(self) -> str:
        """Return "from 08:00 to 18:00 on weekdays", nothing when nothing is excluded."""
        return joined((self._hours(), on_weekdays(self.days)))

    def _hours(self) -> str:
        if self.length == DAY_SECONDS and not self.start:
            return ""
        start, end = _clock(self.start), _clock(self.start + self.length)
        if self.end_inclusive:
            return phrase("from {start} to {end}", start=start, end=end)
        return phrase("from {start} to {end} (not included)", start=start, end=end)


def read_window(document: Document) -> Window:
    """Build the window from `between`, `between_end_inclusive`, `days`; faults are noted in the document.

    The end is included unless said otherwise. An end at or before the start lies on the next day; 24:00 is midnight.
    """
    between, days = document.value("between"), document.weekdays(required=False)
    inclusive = document.flag("between_end_inclusive", True)
    if between is None:
        return Window(days=days)
    if not isinstance(between, list | tuple) or len(between) != 2:
        text = phrase("Write the start and the end of the window, for example 08:00 and 18:00.")
        document.refuse("between", text)
        return Window(days=days)
    try:
        start, end = _second(between[0]), DAY_SECONDS if between[1] == "24:00" else _second(between[1])
    except ValueError as error:
        document.refuse("between", *error.args)
        return Window(days=days)
    length = end - start if end > start else end - start + DAY_SECONDS
    return Window(start=start, length=length, end_inclusive=inclusive, days=days)


def _second(text: object) -> int:
    at = read_time(text)
    return at.hour * 3600 + at.minute * 60 + at.second


def _clock(second: int) -> str:
    if second == DAY_SECONDS:
        return "24:00"
    minute, rest = divmod(second % DAY_SECONDS, 60)
    return write_time(time(minute // 60, minute % 60, rest))
