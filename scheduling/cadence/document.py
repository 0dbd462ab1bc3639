"""Reads a cadence document field by field and collects every fault, so that a person sees all of them at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime, time
from typing import Any, TypeVar

from scheduling.cadence.errors import CadenceError
from scheduling.cadence.resolve import FIRST, FIRST_VALID, GAP_POLICIES, OVERLAP_POLICIES
from scheduling.cadence.words import a_whole_number, is_whole, read_month_day, read_time, read_weekdays, read_zone
from staging.phrases import Phrase, listed, marked, phrase

T = TypeVar("T")
_ANY_DATE = date(2000, 1, 3)  # stands in for a refused value; nothing is built once a fault was found


class Document:
    """The fields of one cadence; each read notes its faults, `finish` raises them together."""

    def __init__(self, fields: Mapping[str, Any], timezone: object):
        self.fields = dict(fields)
        self.errors: dict[str, list[Phrase]] = {}
        self._read = {"kind"}
        self.timezone = "UTC"
        try:
            self.timezone = read_zone(str(timezone or "")).key
        except ValueError as error:
            self.refuse("timezone", *error.args)

    def refuse(self, field: str, *faults: Phrase) -> None:
        """Note faults at a field."""
        self.errors.setdefault(field, []).extend(faults)

    def finish(self) -> None:
        """Raise CadenceError with every fault found, fields nobody asked for included."""
        for field in self.fields.keys() - self._read:
            kind = self.fields.get("kind")
            self.refuse(field, phrase("A cadence of kind {kind} has no field {field}.", kind=kind, field=field))
        if self.errors:
            raise CadenceError(self.errors)

    def common(self, gap: str = FIRST_VALID) -> dict[str, Any]:
        """Return what every local kind has: zone, dates and the two clock-change policies."""
        return self.dates() | {
            "dst_gap": self.choice("dst_gap", GAP_POLICIES, gap),
            "dst_overlap": self.choice("dst_overlap", OVERLAP_POLICIES, FIRST),
        }

    def dates(self) -> dict[str, Any]:
        """Return the zone and the first and last day."""
        starts_on, ends_on = self.date("starts_on"), self.date("ends_on")
        if starts_on and ends_on and starts_on > ends_on:
            text = phrase("The last day {last} is before the first day {first}.", last=ends_on, first=starts_on)
            self.refuse("ends_on", text)
        return {"timezone": self.timezone, "starts_on": starts_on, "ends_on": ends_on}

    def value(self, field: str) -> Any:
        """Return the raw value, None when missing."""
        self._read.add(field)
        return self.fields.get(field)

    def times(self, field: str = "times") -> tuple[time, ...]:
        """Return the times of day, sorted, without doubles; at least one."""
        return tuple(sorted(self._list(field, read_time, marked("Write at least a time such as 06:00.")))) or (time(),)

    def weekdays(self, field: str = "days", *, required: bool = True) -> tuple[int, ...]:
        """Return weekdays (Monday 0), sorted; all of them when the field is optional and missing."""
        if not required and self.value(field) is None:
            return tuple(range(7))
        found = self._list(field, lambda item: read_weekdays([item]), marked("Write at least a day such as mon."))
        return tuple(sorted({day for days in found for day in days})) or (0,)

    def month_days(self, field: str = "days") -> tuple[int | str, ...]:
        """Return the days of the month, numbers first, `last` at the end."""
        found = self._list(field, read_month_day, marked("Write at least a day such as 15 or last."))
        return tuple(sorted(found, key=lambda day: 99 if isinstance(day, str) else day)) or (1,)

    def numbers(self, field: str, least: int, most: int) -> tuple[int, ...]:
        """Return whole numbers, sorted; all from least to most when missing."""
        if self.value(field) is None:
            return tuple(range(least, most + 1))

        def read(item: Any) -> int:
            if not is_whole(item, least, most):
                raise ValueError(phrase("'{item}' is not {number}.", item=item, number=a_whole_number(least, most)))
            return int(item)

        nothing = marked("Write at least a number from {least} to {most}.")
        return tuple(sorted(self._list(field, read, nothing, least=least, most=most)))

    def number(self, field: str, least: int, most: int, default: int | None = None) -> int:
        """Return a whole number within the limits."""
        value = self.value(field)
        if value is None and default is not None:
            return default
        if not is_whole(value, least, most):
            shown = phrase("nothing") if value is None else f"'{value}'"
            wanted = a_whole_number(least, most)
            self.refuse(field, phrase("Write {wanted}, not {shown}.", wanted=wanted, shown=shown))
            return least
        return int(value)

    def choice(self, field: str, choices: Sequence[str], default: str) -> str:
        """Return one of the words."""
        value = self.value(field)
        if value is None:
            return default
        if value not in choices:
            known = listed(choices, "or")
            self.refuse(field, phrase("'{value}' is not known; write {known}.", value=value, known=known))
            return default
        return str(value)

    def flag(self, field: str, default: bool) -> bool:
        """Return true or false."""
        value = self.value(field)
        if value is None:
            return default
        if not isinstance(value, bool):
            self.refuse(field, phrase("Write true or false, not '{value}'.", value=value))
        return bool(value)

    def date(self, field: str) -> date | None:
        """Return a date, None when missing."""
        value = self.value(field)
        if value is None or (isinstance(value, date) and not isinstance(value, datetime)):
            return value
        return self._parsed(field, date.fromisoformat, marked("a date such as 2026-01-31"), _ANY_DATE)

    def instant(self, field: str) -> datetime:
        """Return an instant, which needs its offset, in UTC."""
        wanted = marked("an instant such as 2026-01-31T06:00:00+01:00")
        found = self._parsed(field, datetime.fromisoformat, wanted, _fallback())
        value = self.fields.get(field)
        if found.tzinfo is None:
            likely = f"{found.isoformat()}+00:00"
            text = phrase("'{value}' has no offset; write for example {likely}.", value=value, likely=likely)
            self.refuse(field, text)
            return _fallback()
        try:
            return found.astimezone(UTC)
        except OverflowError:
            self.refuse(field, phrase("'{value}' lies outside the calendar (years 1 to 9999).", value=value))
            return _fallback()

    def local(self, field: str) -> datetime:
        """Return a local date-time, which has no offset."""
        wanted = marked("a local date and time such as 2026-06-15T09:00:00")
        found = self._parsed(field, datetime.fromisoformat, wanted, _fallback().replace(tzinfo=None))
        if found.tzinfo is not None:
            text = phrase(
                "'{value}' has an offset; write {wanted}, the time zone is a field of its own.",
                value=self.fields[field],
                wanted=phrase(wanted),
            )
            self.refuse(field, text)
        return found.replace(tzinfo=None)

    def _parsed(self, field: str, read: Callable[[str], T], wanted: str, otherwise: T) -> T:
        value = self.value(field)
        if isinstance(value, datetime):
            value = value.isoformat()
        try:
            return read(value)
        except (TypeError, ValueError):
            shown = phrase("nothing") if value is None else repr(value)
            self.refuse(field, phrase("Write {wanted}, not {shown}.", wanted=phrase(wanted), shown=shown))
            return otherwise

    def _list(self, field: str, read: Callable[[Any], T], nothing: str, **values: int) -> set[T]:
        """Return what each item says; `nothing` is the template, with `values`, of what is told when there is none."""
        value = self.value(field)
        found: set[T] = set()
        if value is not None and not isinstance(value, list | tuple):
            self.refuse(field, phrase("Write a list, not '{value}'.", value=value))
            return found
        if not value:
            self.refuse(field, phrase(nothing, **values))
        for item in value or ():
            try:
                found.add(read(item))
            except ValueError as error:
                self.refuse(field, *error.args)
        return found


def _fallback() -> datetime:
    return datetime.combine(_ANY_DATE, time(), tzinfo=UTC)
