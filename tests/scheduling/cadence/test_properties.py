"""No fire too many and none too few: every kind against a slow walk through real minutes, in any zone and year."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

from hypothesis import given, settings
from hypothesis import strategies as st

from scheduling.cadence.parse import parse_cadence
from tests.depth import examples

MINUTE = timedelta(minutes=1)
# Shifts of half an hour, two hours and a whole day; changes at midnight, at 01:00, 02:00, 02:45 and 24:00.
ODD_ZONES = [
    "Europe/Amsterdam", "America/New_York", "Australia/Lord_Howe", "Pacific/Chatham", "America/Sao_Paulo",
    "Asia/Beirut", "Africa/Casablanca", "Pacific/Apia", "America/Havana", "Asia/Amman", "America/Santiago",
    "Antarctica/Troll", "Asia/Kathmandu", "Asia/Tehran", "Pacific/Kwajalein", "Africa/Cairo",
    "America/Scoresbysund", "Asia/Gaza",
]  # fmt: skip
ZONES = sorted(available_timezones() - {"localtime", "Factory"})
WEEKDAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
Match = Callable[[datetime], bool]


@lru_cache(maxsize=512)
def changes(zone: str, year: int) -> tuple[datetime, ...]:
    """Return the UTC days of a year on which the zone's clock changes."""
    days = [datetime(year, 1, 1, tzinfo=UTC) + timedelta(days=number) for number in range(366)]
    offsets = [day.astimezone(ZoneInfo(zone)).utcoffset() for day in days]
    return tuple(day for day, before, after in zip(days, offsets, offsets[1:], strict=False) if before != after)


@st.composite
def places(draw: st.DrawFn) -> tuple[str, datetime]:
    """Draw a zone and an instant, mostly a day with a clock change near."""
    zone = draw(st.sampled_from([None, *ODD_ZONES])) or draw(st.sampled_from(ZONES))
    year = draw(st.sampled_from([2011, 2018, 2026, 1993, None])) or draw(st.integers(1990, 2100))
    near = changes(zone, year)
    if near and draw(st.sampled_from([True, True, True, False])):
        day = draw(st.sampled_from(near))
    else:
        day = datetime(year, 1, 1, tzinfo=UTC) + timedelta(days=draw(st.integers(0, 364)))
    return zone, day - timedelta(hours=24) + timedelta(minutes=draw(st.integers(0, 1440)))


def real_minutes(zone: str, start: datetime, end: datetime) -> list[tuple[datetime, datetime, datetime]]:
    """Return (instant, wall clock a minute before, wall clock now) for every minute after start up to end."""
    found, place = [], ZoneInfo(zone)
    instant = start.replace(second=0)
    before = instant.astimezone(place)
    while instant < end:
        instant += MINUTE
        now = instant.astimezone(place)
        found.append((instant, before, now))
        before = now
    return found


@lru_cache(maxsize=512)
def turning_minutes(zone: str, start: datetime) -> tuple[int, ...]:
    """Return the minutes of the day that a clock change soon after start skips or repeats, with those beside them."""
    found: list[int] = []
    for _, before, now in real_minutes(zone, start, start + timedelta(hours=60)):
        passed, moment = before.replace(tzinfo=None, fold=0) + MINUTE, now.replace(tzinfo=None, fold=0)
        if passed != moment:
            first, last = sorted((passed, moment))
            count = (last - first) // MINUTE
            found += [(first.hour * 60 + first.minute + number) % 1440 for number in range(-1, count + 1)]
    return tuple(found)


def slow_fixed(zone: str, match: Match, start: datetime, end: datetime) -> list[datetime]:
    """Fixed times: first copy; a time the clock jumped over fires where the jump lands."""
    fires = []
    for instant, before, now in real_minutes(zone, start, end):
        moment, passed = now.replace(tzinfo=None, fold=0), before.replace(tzinfo=None, fold=0) + MINUTE
        due = match(moment) and now.fold == 0
        while passed < moment:
            due = due or match(passed)
            passed += MINUTE
        if due:
            fires.append(instant)
    return fires


def slow_grid(zone: str, match: Match, start: datetime, end: datetime) -> list[datetime]:
    """Grids: every real minute whose wall clock matches."""
    return [instant for instant, _, now in real_minutes(zone, start, end) if match(now.replace(tzinfo=None, fold=0))]


clock_times = st.lists(
    st.tuples(st.sampled_from([0, 0, 1, 1, 2, 2, 3, 23, *range(24)]), st.integers(0, 59)), min_size=1, max_size=4
)


@st.composite
def meetings(
    draw: st.DrawFn, cadences: Callable[[tuple[int, ...]], st.SearchStrategy[tuple[dict[str, Any], Match]]]
) -> tuple[tuple[str, datetime], tuple[dict[str, Any], Match]]:
    """Draw a place and a cadence, often one that meets the change of the clock there."""
    place = draw(places())
    return place, draw(cadences(turning_minutes(*place)))


@st.composite
def fixed_cadences(draw: st.DrawFn, near: tuple[int, ...]) -> tuple[dict[str, Any], Match]:
    """Draw a cadence of fixed times and the plain question whether a local minute is one of its times."""
    times = set(draw(clock_times))
    if near and draw(st.sampled_from([True, True, False])):
        times |= {divmod(minute, 60) for minute in draw(st.sets(st.sampled_from(near), min_size=1, max_size=2))}
    document: dict[str, Any] = {"times": [f"{hour:02}:{minute:02}" for hour, minute in times]}
    kind = draw(st.sampled_from(["daily", "daily", "weekly", "monthly", "monthly_nth_weekday", "yearly", "cron"]))
    days = sorted(draw(st.sets(st.integers(0, 6), min_size=1)))
    numbers = sorted(draw(st.sets(st.integers(1, 31), min_size=1, max_size=20)))
    is_day: Callable[[date], bool]
    if kind == "daily":

        def is_day(day: date) -> bool:
            return True
    elif kind == "weekly":
        every = draw(st.integers(1, 3))
        anchor = date(2026, 1, 7)
        document |= {"days": [WEEKDAYS[day] for day in days], "every_weeks": every, "anchor_date": "2026-01-07"}

        def is_day(day: date) -> bool:
            monday, first = day - timedelta(days=day.weekday()), anchor - timedelta(days=anchor.weekday())
            return day.weekday() in days and (monday - first).days // 7 % every == 0
    elif kind == "monthly":
        document |= {"days": [*numbers, "last"]}

        def is_day(day: date) -> bool:
            return day.day in numbers or (day + timedelta(days=1)).day == 1
    elif kind == "monthly_nth_weekday":
        nth = draw(st.integers(1, 5))
        document |= {"nth": nth, "weekday": WEEKDAYS[days[0]]}

        def is_day(day: date) -> bool:
            return day.weekday() == days[0] and (day.day - 1) // 7 + 1 == nth
    elif kind == "yearly":
        month = draw(st.integers(1, 12))
        document |= {"month": month, "day": numbers[0]}

        def is_day(day: date) -> bool:
            return (day.month, day.day) == (month, numbers[0])
    else:
        hours, minutes = {hour for hour, _ in times}, {minute for _, minute in times}
        times = {(hour, minute) for hour in hours for minute in minutes}
        fields = [minutes, hours, numbers, range(1, 13), [(day + 1) % 7 for day in days]]
        document = {"expr": " ".join(",".join(str(number) for number in field) for field in fields)}

        def is_day(day: date) -> bool:
            return day.day in numbers or day.weekday() in days

    return document | {"kind": kind}, lambda moment: (moment.hour, moment.minute) in times and is_day(moment.date())


@st.composite
def grid_cadences(draw: st.DrawFn, near: tuple[int, ...]) -> tuple[dict[str, Any], Match]:
    """Draw a grid and the plain question whether a local minute is on it."""
    days = sorted(draw(st.one_of(st.just(set(range(7))), st.sets(st.integers(0, 6), min_size=1))))
    if draw(st.booleans()):
        step = draw(st.sampled_from([1, 5, 7, 15, 30]))
        fields = f"*/{step} * * * {','.join(str((day + 1) % 7) for day in days)}"
        return {"kind": "cron", "expr": fields}, lambda moment: moment.minute % step == 0 and moment.weekday() in days
    every = draw(st.sampled_from([7, 15, 45, 60, 420]))
    start = draw(st.one_of(st.integers(0, 1439), st.sampled_from(near or (0,))))
    length = draw(st.sampled_from([1440, 1200, 720, None])) or draw(st.integers(1, 1440))
    inclusive = draw(st.booleans())
    end = (start + length) % 1440
    document = {
        "kind": "interval",
        "every_minutes": every,
        "days": [WEEKDAYS[day] for day in days],
        "between": [f"{minute // 60:02}:{minute % 60:02}" for minute in (start, end)],
        "between_end_inclusive": inclusive,
    }
    last = length if inclusive else length - 1

    def match(moment: datetime) -> bool:
        minute = moment.hour * 60 + moment.minute
        today = 0 <= minute - start <= last and (minute - start) % every == 0
        late = minute + 1440 - start
        yesterday = late <= last and late % every == 0
        return (today and moment.weekday() in days) or (yesterday and (moment.weekday() - 1) % 7 in days)

    return document, match


def agrees(document: dict[str, Any], zone: str, start: datetime, end: datetime, expected: list[datetime]) -> None:
    """Check next, previous and between against the expected fires."""
    rule = parse_cadence(document, zone)
    assert list(rule.between(start, end)) == expected
    backwards, moment = [], rule.previous_before(end + timedelta(microseconds=1))
    while moment is not None and moment > start:
        backwards.append(moment)
        moment = rule.previous_before(moment)
    assert backwards == expected[::-1]


@settings(max_examples=examples(60), deadline=None)
@given(meetings(fixed_cadences))
def test_fixed_times_have_no_hole_and_no_extra(
    meeting: tuple[tuple[str, datetime], tuple[dict[str, Any], Match]],
) -> None:
    (zone, start), (document, match) = meeting
    end = start + timedelta(hours=60)
    agrees(document, zone, start, end, slow_fixed(zone, match, start, end))


@settings(max_examples=examples(60), deadline=None)
@given(meetings(grid_cadences))
def test_grids_have_no_hole_and_no_extra(meeting: tuple[tuple[str, datetime], tuple[dict[str, Any], Match]]) -> None:
    (zone, start), (document, match) = meeting
    end = start + timedelta(hours=60)
    agrees(document, zone, start, end, slow_grid(zone, match, start, end))


@settings(max_examples=examples(60), deadline=None)
@given(
    meetings(fixed_cadences),
    st.sampled_from(["first_valid", "shift", "skip"]),
    st.sampled_from(["both", "first", "second"]),
)
def test_next_is_strictly_later_and_previous_undoes_it_under_every_policy(
    meeting: tuple[tuple[str, datetime], tuple[dict[str, Any], Match]], gap: str, overlap: str
) -> None:
    (zone, moment), (document, _) = meeting
    rule = parse_cadence(document | {"dst_gap": gap, "dst_overlap": overlap}, zone)
    for _ in range(12):
        later = rule.next_after(moment)
        if later is None:
            break
        assert later > moment
        assert rule.previous_before(later + timedelta(microseconds=1)) == later
        earlier = rule.previous_before(later)
        assert earlier is None or (earlier <= moment and rule.next_after(earlier) == later)
        moment = later


@settings(max_examples=examples(40), deadline=None)
@given(
    places(),
    st.integers(1, 200),
    st.integers(0, 59),
    st.sets(st.integers(0, 6), min_size=1),
    st.integers(-1, 1380),
    st.booleans(),
)
def test_elapsed_intervals_have_no_hole_and_no_extra(
    place: tuple[str, datetime], every: int, phase: int, days: set[int], opens: int, inclusive: bool
) -> None:
    zone, start = place
    end = start + timedelta(hours=60)
    document: dict[str, Any] = {
        "kind": "interval",
        "anchor": "epoch",
        "every_seconds": every * 60,
        "phase_seconds": phase * 60,
        "days": [WEEKDAYS[day] for day in sorted(days)],
    }
    if opens >= 0:
        between = [f"{minute // 60:02}:{minute % 60:02}" for minute in (opens, opens + 59)]
        document |= {"between": between, "between_end_inclusive": inclusive}

    def match(instant: datetime, moment: datetime) -> bool:
        on_grid = (int(instant.timestamp()) // 60 - phase) % every == 0
        passed = moment.hour * 60 + moment.minute - opens
        return on_grid and (opens < 0 or 0 <= passed < 59 + inclusive) and moment.weekday() in days

    walked = real_minutes(zone, start, end)
    agrees(document, zone, start, end, [instant for instant, _, now in walked if match(instant, now)])
