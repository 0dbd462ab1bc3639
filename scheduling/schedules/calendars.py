"""The rules of blackout calendars and their periods: the admin's form and the import of holidays share them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from scheduling.cadence.blackout import Blackout, Days, WeeklyWindow, YearlyDays
from scheduling.models import BlackoutPeriod
from scheduling.schedules.settings import normalise
from scheduling.states import BlackoutPolicy, PeriodKind
from staging.wording import aloud, say

EMPTY_PERIOD: dict[str, Any] = {
    "kind": PeriodKind.DAYS.value,
    "first_day": None,
    "last_day": None,
    "run_days": "",
    "window_start": None,
    "window_end": None,
    "note": "",
}
_OF_DATES = ("first_day", "last_day")
_OF_WEEKS = ("run_days", "window_start", "window_end")
_NOTE_LENGTH = 100
# A Monday from which every date, 29 February among them, comes within the time that counts as never.
_ANY_DAY = date(2001, 1, 1)
_DAY = timedelta(days=1)
_YEARS = timedelta(days=1400)


def period_errors(values: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return every fault of one period by column, empty when it is valid."""
    return judged_period(values)[1]


def judged_period(values: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, list[str]]]:
    """Return the period as it would be stored, and every fault by column.

    Columns of the other kinds are set back without being judged; days of the week get their one written form.
    """
    given = {**EMPTY_PERIOD, **values}
    kind = str(given["kind"]).strip().lower()
    if kind not in PeriodKind.values:
        return given, {
            "kind": [
                say("'{kind}' is not known; write {values}.", kind=given["kind"], values=", ".join(PeriodKind.values))
            ]
        }
    errors: dict[str, list[str]] = {}
    stored: dict[str, Any] = {**EMPTY_PERIOD, "kind": kind, "note": " ".join(str(given["note"] or "").split())}
    for column in _OF_WEEKS if kind == PeriodKind.WEEKLY else _OF_DATES:
        try:
            stored[column] = _read(column, given[column])
        except ValueError as error:
            errors[column] = [aloud(text) for text in error.args]
    if len(stored["note"]) > _NOTE_LENGTH:
        errors["note"] = [
            say(
                "This is too long: {length} characters, at most {longest} are kept.",
                length=len(stored["note"]),
                longest=_NOTE_LENGTH,
            )
        ]
    for column, text in (_weekly_faults(stored) if kind == PeriodKind.WEEKLY else _date_faults(stored)).items():
        errors.setdefault(column, [text])
    return stored, errors


def calendar_errors(
    values: Mapping[str, Any], periods: Iterable[Days | YearlyDays | WeeklyWindow]
) -> dict[str, list[str]]:
    """Return every fault of a calendar by column: its zone, its policy, and that it is always dark.

    `periods` are the values of all its periods as they would be stored.
    """
    errors: dict[str, list[str]] = {}
    if not str(values.get("name") or "").strip():
        errors["name"] = [say("A calendar needs a name.")]
    if values.get("policy", BlackoutPolicy.SKIP) not in BlackoutPolicy.values:
        errors["policy"] = [
            say(
                "'{policy}' is not known; write {values}.",
                policy=values["policy"],
                values=" or ".join(BlackoutPolicy.values),
            )
        ]
    try:
        zone = normalise("timezone", values.get("timezone"))
    except ValueError as error:
        return errors | {"timezone": [aloud(error)]}
    if reason := _always_dark(Blackout("", zone, False, tuple(periods))):
        errors["periods"] = [reason]
    return errors


def period_value(stored: Mapping[str, Any]) -> Days | YearlyDays | WeeklyWindow:
    """Return valid stored columns as the value that rules work with."""
    return BlackoutPeriod(**{column: stored[column] for column in EMPTY_PERIOD}).value()


def _read(column: str, value: Any) -> Any:
    if column in _OF_DATES:
        return normalise("starts_on", value)
    return normalise(column, value)


def _date_faults(stored: Mapping[str, Any]) -> dict[str, str]:
    """Return what dates lack. Yearly dates may run over New Year, so their last day may come before the first."""
    first, last = stored["first_day"], stored["last_day"]
    if first is None:
        return {"first_day": say("Write the first day, for example 2026-12-25.")}
    if stored["kind"] == PeriodKind.DAYS and last is not None and last < first:
        return {"last_day": say("The last day is before the first day; exchange them or clear it.")}
    return {}


def _weekly_faults(stored: Mapping[str, Any]) -> dict[str, str]:
    faults: dict[str, str] = {}
    if not stored["run_days"]:
        faults["run_days"] = say("A weekly window needs at least one day; write for example sat, sun.")
    if stored["window_start"] is not None and stored["window_end"] is None:
        faults["window_end"] = say("The window has a start only; fill in its end too, or clear both.")
    if stored["window_end"] is not None and stored["window_start"] is None:
        faults["window_start"] = say("The window has an end only; fill in its start too, or clear both.")
    return faults


def _always_dark(blackout: Blackout) -> str:
    """Return why nothing could ever start, empty when something can."""
    recurring = tuple(period for period in blackout.periods if not isinstance(period, Days))
    weeks = Blackout(blackout.name, blackout.timezone, blackout.rolls, recurring)
    if recurring and weeks.never_ends(_midday(_ANY_DAY)):
        return say("Nothing could ever start: weekly windows and yearly dates leave no time free. Take some out.")
    for first, last in _runs([period for period in blackout.periods if isinstance(period, Days)], weeks):
        if last - first >= _YEARS:
            return say(
                "Nothing could start for years: it is dark from {first} to {last} without a gap. Take some days out.",
                first=first,
                last=last,
            )
    return ""


def _runs(days: list[Days], weeks: Blackout) -> Iterator[tuple[date, date]]:
    """Yield the first and the last of days that are dark without a gap, `weeks` filling those between."""
    first = last = None
    for period in sorted(days, key=lambda period: period.first):
        if first is None or last is None or not _is_dark_between(last, period.first, weeks):
            if first is not None and last is not None:
                yield first, last
            first, last = period.first, period.last
        last = max(last, period.last)
    if first is not None and last is not None:
        yield first, last


def _is_dark_between(last: date, following: date, weeks: Blackout) -> bool:
    """Return whether no light falls between one dark day and the next."""
    if following <= last + _DAY:
        return True
    light = weeks.end_of(_midday(last + _DAY))
    return light is not None and light >= _midday(following) - _DAY / 2


def _midday(day: date) -> datetime:
    """Return an instant on this day in any zone near UTC; a day's difference does not matter to years of darkness."""
    return datetime.combine(day, time(12), tzinfo=UTC)
