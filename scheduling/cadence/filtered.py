"""Narrows any cadence to certain days, months, weeks of the month or hours, so that filters compose with every kind."""

from __future__ import annotations

from calendar import monthrange
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from scheduling.cadence.base import HORIZON_YEARS, Cadence
from scheduling.cadence.resolve import BOTH, FIRST_VALID, local, resolve
from scheduling.cadence.sentences import months, on_weekdays, ordinal
from scheduling.cadence.words import write_time
from staging.phrases import Phrase, joined, listed, phrase

LAST = "last"
_ALL_DAYS, _ALL_MONTHS = tuple(range(7)), tuple(range(1, 13))
_ONE_DAY = timedelta(days=1)
_TICK = timedelta(microseconds=1)
_MOST_STEPS = 20_000  # each passes a fire that the hours exclude, or whole days: what is not found by then is not there


@dataclass(frozen=True, kw_only=True)
class Filtered(Cadence):
    """Lets through the fires of `cadence` whose local day and time pass every filter; it adds none.

    - `days` are weekdays (Monday 0), `months` 1-12. `weeks` are the n-th such weekday of the month, 1-5 or "last":
      the first Monday and the first Tuesday both lie in week 1.
    - `hours` is a first and a last local time, both included; a last one not after the first lies on the next day.
    - A fire that the clock change moved to another day is judged where it fires.
    """

    cadence: Cadence
    days: tuple[int, ...] = _ALL_DAYS
    months: tuple[int, ...] = _ALL_MONTHS
    weeks: tuple[int | str, ...] = ()
    hours: tuple[time, time] | None = None

    @property
    def passes_all(self) -> bool:
        """Return whether nothing is filtered."""
        return self.days == _ALL_DAYS and self.months == _ALL_MONTHS and not self.weeks and self.hours is None

    def rhythm(self) -> Phrase:
        """Return "On the 1st of every month at 06:00, only in January and July"."""
        words = [self.cadence.rhythm()]
        if self.days != _ALL_DAYS:
            words.append(phrase("only {days}", days=on_weekdays(self.days)))
        if self.weeks:
            weeks = listed(phrase("last") if isinstance(week, str) else ordinal(week) for week in self.weeks)
            words.append(phrase("only the {weeks} of the month", weeks=weeks))
        if self.months != _ALL_MONTHS:
            words.append(phrase("only in {months}", months=months(self.months)))
        if self.hours is not None:
            first, last = map(write_time, self.hours)
            words.append(phrase("only from {first} to {last}", first=first, last=last))
        return joined(words, by=", ")

    def is_day(self, day: date) -> bool:
        """Return whether the filters let anything of the local day through."""
        if day.weekday() not in self.days or day.month not in self.months:
            return False
        if not self.weeks:
            return True
        is_last = day.day + 7 > monthrange(day.year, day.month)[1]
        return (day.day - 1) // 7 + 1 in self.weeks or (is_last and LAST in self.weeks)

    def is_time(self, at: time) -> bool:
        """Return whether the local time of day is let through."""
        if self.hours is None:
            return True
        start, end = self.hours
        return start <= at <= end if start < end else at >= start or at <= end

    def _next(self, instant: datetime) -> datetime | None:
        for _ in range(_MOST_STEPS):
            fire = self.cadence.next_after(instant)
            if fire is None:
                return None
            moment = local(fire, self.zone)
            if not self.is_day(moment.date()):
                day = self._day_near(moment.date(), _ONE_DAY)
                if day is None:
                    return None
                instant = max(fire, self._midnight(day) - _TICK)
            elif self.is_time(moment.time()):
                return fire
            else:
                instant = fire
        return None

    def _previous(self, instant: datetime) -> datetime | None:
        for _ in range(_MOST_STEPS):
            fire = self.cadence.previous_before(instant)
            if fire is None:
                return None
            moment = local(fire, self.zone)
            if not self.is_day(moment.date()):
                day = self._day_near(moment.date(), -_ONE_DAY)
                if day is None:
                    return None
                instant = min(fire, self._midnight(day + _ONE_DAY, last=True))
            elif self.is_time(moment.time()):
                return fire
            else:
                instant = fire
        return None

    def _day_near(self, day: date, step: timedelta) -> date | None:
        """Return the next day in this direction that the filters let through, None when there is none for ages."""
        for _ in range(HORIZON_YEARS * 366):
            day += step
            if self.is_day(day):
                return day
        return None

    def _midnight(self, day: date, *, last: bool = False) -> datetime:
        found = resolve(datetime.combine(day, time()), self.zone, FIRST_VALID, BOTH)
        return found[-1 if last else 0].astimezone(UTC)
