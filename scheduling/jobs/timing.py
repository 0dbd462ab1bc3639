"""Turns what a cadence decorator says into a schedule's name and columns; faults are ValueErrors with a mend."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime, time
from difflib import get_close_matches
from typing import Any, TypedDict
from zoneinfo import ZoneInfo

from scheduling.cadence.errors import CadenceError
from scheduling.cadence.resolve import FIRST, FIRST_VALID, resolve
from scheduling.cadence.words import (
    a_whole_number,
    is_whole,
    read_date,
    read_moment,
    read_time,
    read_zone,
    write_moment,
    write_time,
)
from scheduling.jobs.words import (
    Words,
    comma_list,
    day_slug,
    month_day_slug,
    read_between,
    read_days,
    read_distance,
    read_month_days,
    read_months,
    read_weeks,
    week_slug,
    weekday_list,
)
from scheduling.models import Job, JobSchedule
from scheduling.states import CatchUp, DstGap, DstOverlap, IntervalAnchor, ScheduleType
from staging.phrases import listed
from staging.wording import said_together, say

Columns = dict[str, Any]

_LONGEST_CATCH_UP = 1000
_DAY = 86400
_EVER = date(2000, 1, 1)


class ScheduleOptions(TypedDict, total=False):
    """What every cadence decorator accepts beside its own arguments.

    `days`, `months`, `weeks` (of the month) and `between` (local time, both ends included) narrow any cadence;
    `start` and `end` are its first and last local day. `timezone` is an IANA zone (default: that of `@job`, else UTC).
    `catch_up` is the most runs that are made up for after an outage, none by default; `catch_up_minutes` is how old
    they may be. `enabled` and `jitter_seconds` are where users begin. `dst_gap` and `dst_overlap` as for any cadence.
    """

    name: str
    days: Words
    months: Words
    weeks: Words
    between: str | Sequence[str]
    timezone: str
    start: str | date
    end: str | date
    jitter_seconds: int
    catch_up: int
    catch_up_minutes: int
    enabled: bool
    dst_gap: str
    dst_overlap: str


def check_options(options: Mapping[str, Any], *, but: Sequence[str] = ()) -> None:
    """Raise ValueError for an option that there is not, or that this decorator has no use for (`but`)."""
    known = [name for name in ScheduleOptions.__annotations__ if name not in but]
    for name in options:
        if name in but:
            raise ValueError(say("It has no use for {name}; leave it out.", name=name))
        if name not in known:
            likely = get_close_matches(name, known, n=1)
            if likely:
                raise ValueError(say("There is no option {name}; did you mean {likely}?", name=name, likely=likely[0]))
            raise ValueError(say("There is no option {name}; it has {known}.", name=name, known=", ".join(known)))


def common_columns(options: ScheduleOptions, zone: str) -> Columns:
    """Return the columns that every kind has: zone, dates, clock changes, catch-up and filters."""
    found: Columns = {"timezone": read_zone(str(options.get("timezone", zone))).key}
    for option, column in (("start", "starts_on"), ("end", "ends_on")):
        if option in options:
            found[column] = read_date(options[option])  # type: ignore[literal-required]
    for option, choices in (("dst_gap", DstGap.values), ("dst_overlap", DstOverlap.values)):
        if option in options:
            found[option] = _choice(option, options[option], choices)  # type: ignore[literal-required]
    if "months" in options:
        months = read_months(options["months"])
        found["run_months"] = comma_list(months) if len(months) < 12 else ""
    if "weeks" in options:
        found["run_weeks_of_month"] = comma_list(read_weeks(options["weeks"]))
    if "days" in options:
        days = read_days(options["days"])
        found["run_days"] = weekday_list(days) if len(days) < 7 else ""
    if "between" in options:
        found["window_start"], found["window_end"] = read_between(options["between"])
    return found | _catch_up(options)


def _catch_up(options: ScheduleOptions, default: int = 0) -> Columns:
    """Return the columns of the catch-up: 0 runs nothing late, n at most n."""
    most = _number("catch_up", options.get("catch_up", default), 0, _LONGEST_CATCH_UP)
    minutes = _number("catch_up_minutes", options.get("catch_up_minutes", 1440), 1, 2_147_483_647)
    policy = CatchUp.ALL.value if most else CatchUp.NONE.value
    return {"catch_up": policy, "catch_up_limit": most or 10, "catch_up_window_minutes": minutes}


def daily_timing(at: str | time, options: ScheduleOptions, zone: str) -> tuple[str, Columns]:
    """Return name and columns of a time each day; with `days` it is told as a weekly one."""
    moment = _time(at)
    columns = common_columns(options, zone)
    kind = ScheduleType.WEEKLY if columns.get("run_days") else ScheduleType.DAILY
    columns |= {"schedule_type": kind.value, "run_times": write_time(moment)}
    return f"Daily_{_clock(moment)}", columns


def every_timing(count: int | str, unit: str, options: ScheduleOptions, zone: str) -> tuple[str, Columns]:
    """Return name and columns of a steady distance: on the clock's grid up to a day, from the first day beyond."""
    seconds, slug = read_distance(count, unit)
    if seconds % 60:
        raise ValueError(say("The scheduler looks once a minute; write whole minutes."))
    if seconds > 366 * _DAY:
        raise ValueError(say("That is more than a year; write at most 366 days."))
    columns = common_columns(options, zone)
    columns |= {"schedule_type": ScheduleType.INTERVAL.value, "interval_minutes": seconds // 60}
    if seconds > _DAY:
        first = datetime.combine(columns.get("starts_on") or _EVER, time())
        start = resolve(first, ZoneInfo(columns["timezone"]), FIRST_VALID, FIRST)[0]
        columns |= {"interval_anchor": IntervalAnchor.START.value, "interval_start": start}
    return f"Every_{slug}", columns


def weekly_timing(days: Words, at: str | time, every: int, options: ScheduleOptions, zone: str) -> tuple[str, Columns]:
    """Return name and columns of certain weekdays, each week or every so many weeks from that of the first day on."""
    weekdays, moment = read_days(days), _time(at)
    columns = common_columns(options, zone)
    columns |= {
        "schedule_type": ScheduleType.WEEKLY.value,
        "run_days": weekday_list(weekdays),
        "run_times": write_time(moment),
        "every_n_weeks": _number("every", every, 1, 520),
        "anchor_date": columns.get("starts_on"),
    }
    return f"Weekly_{day_slug(weekdays)}_{_clock(moment)}", columns


def monthly_timing(days: Words, at: str | time, options: ScheduleOptions, zone: str) -> tuple[str, Columns]:
    """Return name and columns of certain days of the month; a month without the day is left out."""
    month_days, moment = read_month_days(days), _time(at)
    columns = common_columns(options, zone)
    columns |= {
        "schedule_type": ScheduleType.MONTHLY.value,
        "run_days_of_month": comma_list(month_days),
        "run_times": write_time(moment),
    }
    return f"Monthly_{month_day_slug(month_days)}_{_clock(moment)}", columns


def monthly_dow_timing(
    weeks: Words, days: Words, at: str | time, options: ScheduleOptions, zone: str
) -> tuple[str, Columns]:
    """Return name and columns of the n-th weekdays of a month; several are told as weekly with a filter."""
    nth, weekdays, moment = read_weeks(weeks), read_days(days), _time(at)
    columns = common_columns(options, zone)
    single = len(nth) == 1 and len(weekdays) == 1
    columns |= {
        "schedule_type": (ScheduleType.MONTHLY_NTH_WEEKDAY if single else ScheduleType.WEEKLY).value,
        "run_weeks_of_month": comma_list(nth),
        "run_days": weekday_list(weekdays),
        "run_times": write_time(moment),
    }
    return f"MonthlyDow_{week_slug(nth)}_{day_slug(weekdays)}_{_clock(moment)}", columns


def once_timing(at: str | datetime, options: ScheduleOptions, zone: str) -> tuple[str, Columns]:
    """Return name and columns of a single local moment, made up for when it fell into an outage."""
    moment = read_moment(at)
    if moment.tzinfo is not None:
        raise ValueError(say("'{at}' has an offset; write local time, and name the zone in timezone.", at=at))
    columns = common_columns(options, zone) | _catch_up(options, default=1)
    columns |= {"schedule_type": ScheduleType.ONCE.value, "run_once_at": write_moment(moment)}
    seconds = f"_{moment:%S}" if moment.second else ""
    return f"Once_{moment:%Y_%m_%d_%H_%M}{seconds}", columns


def cron_timing(expression: str, options: ScheduleOptions, zone: str) -> tuple[str, Columns]:
    """Return name and columns of a cron expression."""
    text = " ".join(str(expression).split())
    columns = common_columns(options, zone)
    columns |= {"schedule_type": ScheduleType.CRON.value, "cron_expression": text}
    return f"Cron_{text.replace(' ', '_')}", columns


def _time(at: str | time) -> time:
    return at.replace(microsecond=0, tzinfo=None) if isinstance(at, time) else read_time(at)


def _clock(at: time) -> str:
    return write_time(at).replace(":", "_")


def _number(option: str, value: Any, least: int, most: int) -> int:
    if not is_whole(value, least, most):
        raise ValueError(
            say(
                "{option} is {value!r}; write {number}.", option=option, value=value, number=a_whole_number(least, most)
            )
        )
    return int(value)


def _choice(option: str, value: Any, choices: Sequence[str]) -> str:
    if value not in choices:
        raise ValueError(
            say(
                "{option}: {value!r} is not known; write {known}.",
                option=option,
                value=value,
                known=listed(choices, "or"),
            )
        )
    return str(value)


def schedule_of(columns: Columns) -> JobSchedule:
    """Return the schedule that these columns make; it is not stored."""
    return JobSchedule(job=Job(name=""), **columns)


def check_cadence(columns: Columns) -> None:
    """Raise ValueError when the columns make no cadence, or one that never fires."""
    try:
        cadence = schedule_of(columns).cadence()
    except CadenceError as error:
        raise ValueError(said_together(*(text for texts in error.errors.values() for text in texts))) from None
    if cadence is None or not cadence.can_fire():
        raise ValueError(say("It can never fire: no day and time passes all of its filters; widen one of them."))
