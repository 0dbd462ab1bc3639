"""Holidays from a file into a blackout calendar: CSV or iCalendar, checked whole before anything is stored."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Any

from django.db import transaction

from scheduling.errors import InvalidSchedule
from scheduling.models import BlackoutCalendar, BlackoutPeriod
from scheduling.schedules.calendars import calendar_errors, judged_period, period_value
from scheduling.schedules.drafts import PeriodDraft
from scheduling.schedules.ics import read_ics
from scheduling.states import PeriodKind
from staging.versions.units import as_one_change, touch
from staging.wording import say

MAX_BYTES = 1_000_000
MAX_PERIODS = 2_000
_MOST_FAULTS = 20
_COLUMNS = ("date", "last_date", "note")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)


def read_holidays(content: str | bytes, name: str, *, today: date) -> list[PeriodDraft]:
    """Return the periods of a holiday file, in its order; `name` ends in .ics for iCalendar, else it is CSV.

    `today` bounds recurrences that become single days. Raises InvalidSchedule with the line of each fault.
    """
    if len(content) > MAX_BYTES:
        raise InvalidSchedule(
            {
                "file": [
                    say("The file has {size:,} bytes; at most {most:,} are read.", size=len(content), most=MAX_BYTES)
                ]
            }
        )
    text = _decoded(content)
    is_ics = name.lower().endswith(".ics") or text.lstrip()[:15].upper() == "BEGIN:VCALENDAR"
    drafts, faults = read_ics(text, today=today) if is_ics else _read_csv(text)
    for draft in drafts:
        faults += [
            (draft.line, message) for messages in judged_period(draft.values())[1].values() for message in messages
        ]
    if faults:
        raise InvalidSchedule(_by_line(faults))
    if not drafts:
        raise InvalidSchedule({"file": [say("There are no days in this file.")]})
    if len(drafts) > MAX_PERIODS:
        raise InvalidSchedule(
            {
                "file": [
                    say(
                        "The file has {periods:,} periods; a calendar takes {most:,}.",
                        periods=len(drafts),
                        most=MAX_PERIODS,
                    )
                ]
            }
        )
    return drafts


@as_one_change
def import_holidays(calendar: BlackoutCalendar, drafts: Sequence[PeriodDraft], *, replace: bool) -> int:
    """Store the periods in a saved calendar, in one transaction; return how many are new.

    What the calendar has already is not stored twice. With `replace` its single days and yearly dates are exchanged
    for those of the file; weekly windows stay. Raises InvalidSchedule, and then stores nothing, for a calendar that
    would never let anything start.
    """
    with transaction.atomic():
        # Two imports at once would each miss what the other stores.
        BlackoutCalendar.objects.select_for_update().get(pk=calendar.pk)
        touch(calendar)
        if replace:
            calendar.periods.exclude(kind=PeriodKind.WEEKLY).delete()
        kept = list(calendar.periods.all())
        known = {_identity(_columns(period)) for period in kept}
        new: list[BlackoutPeriod] = []
        for draft in drafts:
            stored, errors = judged_period(draft.values())
            if errors:
                raise InvalidSchedule(errors)
            if (identity := _identity(stored)) not in known:
                known.add(identity)
                new.append(BlackoutPeriod(calendar=calendar, **stored))
        facts = {"name": calendar.name, "timezone": calendar.timezone, "policy": calendar.policy}
        if errors := calendar_errors(facts, [period_value(_columns(period)) for period in [*kept, *new]]):
            raise InvalidSchedule(errors)
        BlackoutPeriod.objects.bulk_create(new)
    return len(new)


def _columns(period: BlackoutPeriod) -> dict[str, Any]:
    return {
        "kind": period.kind,
        "first_day": period.first_day,
        "last_day": period.last_day,
        "run_days": period.run_days,
        "window_start": period.window_start,
        "window_end": period.window_end,
        "note": period.note,
    }


def _identity(stored: Mapping[str, Any]) -> tuple[object, ...]:
    """Return what makes two periods the same: all but the note; of yearly dates the year does not matter."""
    first, last = stored["first_day"], stored["last_day"] or stored["first_day"]
    if stored["kind"] == PeriodKind.YEARLY:
        return PeriodKind.YEARLY, (first.month, first.day), (last.month, last.day)
    return stored["kind"], first, last, stored["run_days"], stored["window_start"], stored["window_end"]


def _decoded(content: str | bytes) -> str:
    if isinstance(content, str):
        return content.removeprefix("\ufeff")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        text = say("The file is not UTF-8 text; save it again as «CSV UTF-8» or as iCalendar.")
        raise InvalidSchedule({f"line {line}": [text]}) from None


def _read_csv(text: str) -> tuple[list[PeriodDraft], list[tuple[int, str]]]:
    """Read `date[,last_date][,note]`; a header may name the columns in another order."""
    lines = text.splitlines()
    first = next((line for line in lines if line.strip()), "")
    reader = csv.reader(lines, delimiter=";" if ";" in first else ",", skipinitialspace=True)
    drafts: list[PeriodDraft] = []
    faults: list[tuple[int, str]] = []
    columns: Sequence[str] | None = None
    try:
        for cells in reader:
            row = [cell.strip() for cell in cells]
            if not any(row):
                continue
            if columns is None:
                columns = _header(row)
                if columns is not None:
                    continue
                columns = _COLUMNS
            try:
                drafts.append(_draft(row, columns, reader.line_num))
            except ValueError as error:
                faults.append((reader.line_num, str(error)))
    except csv.Error as error:
        faults.append((reader.line_num, say("This line is not CSV: {error}.", error=error)))
    return drafts, faults


def _header(row: list[str]) -> list[str] | None:
    """Return the columns that a header names, None when the row is not one."""
    names = [cell.lower().replace(" ", "_") for cell in row]
    return names if "date" in names else None


def _draft(row: list[str], columns: Sequence[str], line: int) -> PeriodDraft:
    """Return one row as a period; raises ValueError. Without a last day, the second cell may be the note."""
    cells = dict(zip(columns, row, strict=False))
    if len(row) > len(columns) and any(row[len(columns) :]):
        raise ValueError(
            say(
                "There are {cells} cells, but only {columns}; put a note with commas in quotes.",
                cells=len(row),
                columns=", ".join(columns),
            )
        )
    last = cells.get("last_date", "")
    if columns is _COLUMNS and len(row) == 2 and last and not _DATE.match(last) and not last[:1].isdigit():
        cells, last = {**cells, "note": last}, ""
    return PeriodDraft(
        first_day=_date(cells.get("date", "")),
        last_day=_date(last) if last else None,
        note=cells.get("note", "")[:100],
        line=line,
    )


def _date(text: str) -> date:
    try:
        if _DATE.fullmatch(text):
            return date.fromisoformat(text)
    except ValueError:
        raise ValueError(say("There is no day {text} in the calendar.", text=text)) from None
    raise ValueError(say("'{text}' is not a date; write it like 2026-12-31.", text=text))


def _by_line(faults: Iterable[tuple[int, str]]) -> dict[str, list[str]]:
    """Return the first faults by their lines, and how many more there are."""
    found: dict[str, list[str]] = {}
    ordered = sorted(faults)
    for line, text in ordered[:_MOST_FAULTS]:
        found.setdefault(f"line {line}", []).append(text)
    if len(ordered) > _MOST_FAULTS:
        found["file"] = [say("There are {number} more faults.", number=len(ordered) - _MOST_FAULTS)]
    return found
