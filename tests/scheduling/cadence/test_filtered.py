"""Filters take fires away and never add one, whatever the kind, the zone and the clock change."""

from datetime import UTC, datetime, time, timedelta
from itertools import islice
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scheduling.cadence.filtered import Filtered
from scheduling.cadence.parse import parse_cadence
from tests.depth import examples

START = datetime(2026, 1, 1, tzinfo=UTC)
DAILY = {"kind": "daily", "times": ["06:00"]}
INNER = [
    DAILY,
    {"kind": "daily", "times": ["02:30", "23:45"]},
    {"kind": "weekly", "days": ["mon", "fri"], "times": ["00:00"]},
    {"kind": "monthly", "days": [1, 15, "last"], "times": ["02:30"]},
    {"kind": "interval", "every_minutes": 90, "between": ["22:00", "04:00"]},
    {"kind": "cron", "expr": "*/30 * * * *"},
]


def filtered(document, timezone="UTC", **filters):
    cadence = parse_cadence(document, timezone)
    return Filtered(timezone=timezone, cadence=cadence, **filters)


def days(cadence, count, after=START):
    found = []
    for _ in range(count):
        after = cadence.next_after(after)
        found.append(f"{after:%Y-%m-%d}")
    return found


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"days": (0, 4)}, ["2026-01-02", "2026-01-05", "2026-01-09"]),
        ({"months": (3,)}, ["2026-03-01", "2026-03-02", "2026-03-03"]),
        ({"weeks": (1,), "days": (0,)}, ["2026-01-05", "2026-02-02", "2026-03-02"]),
        ({"weeks": ("last",), "days": (4,)}, ["2026-01-30", "2026-02-27", "2026-03-27"]),
        ({"weeks": (1, 3), "days": (0,)}, ["2026-01-05", "2026-01-19", "2026-02-02"]),
        ({"weeks": (5,), "days": (0,), "months": (2,)}, ["2044-02-29", "2072-02-29", "2112-02-29"]),
    ],
)
def test_days_months_and_weeks(filters, expected):
    assert days(filtered(DAILY, **filters), 3) == expected


@pytest.mark.parametrize(
    ("hours", "expected"),
    [
        ((time(9), time(10)), ["09:00", "09:30", "10:00"]),
        ((time(23, 30), time(0, 30)), ["00:30", "23:30", "00:00"]),
    ],
)
def test_hours_also_over_midnight(hours, expected):
    cadence = filtered({"kind": "cron", "expr": "*/30 * * * *"}, hours=hours)
    fires = islice(cadence.between(START, START + timedelta(days=3)), 3)
    assert [f"{fire:%H:%M}" for fire in fires] == expected


def test_what_nothing_passes_has_no_fire_and_says_so():
    cadence = filtered(DAILY, hours=(time(7), time(8)), months=(1,))
    assert cadence.next_after(START) is None
    assert not cadence.can_fire()


def test_the_sentence_names_every_filter():
    cadence = filtered(DAILY, "Europe/Amsterdam", days=(5, 6), weeks=(1, "last"), months=(1, 7))
    assert cadence.describe() == (
        "Every day at 06:00, only at weekends, only the 1st and last of the month, only in January and July, "
        "Europe/Amsterdam"
    )


@st.composite
def cases(draw):
    zone = draw(st.sampled_from(["UTC", "Europe/Amsterdam", "America/Sao_Paulo", "Pacific/Apia", "Asia/Beirut"]))
    numbers = st.lists(st.integers(0, 6), min_size=3, max_size=7, unique=True).map(sorted).map(tuple)
    months = st.lists(st.integers(1, 12), min_size=1, max_size=12, unique=True).map(sorted).map(tuple)
    weeks = st.lists(st.sampled_from(["last", 1, 2, 3, 4, 5]), max_size=3, unique=True).map(tuple)
    times = st.times().map(lambda at: at.replace(minute=at.minute // 15 * 15, second=0, microsecond=0))
    hours = st.none() | st.tuples(times, times)
    document = draw(st.sampled_from(INNER))
    start = datetime(
        draw(st.sampled_from([2011, 2018, 2026])), draw(st.integers(1, 12)), draw(st.integers(1, 28)), tzinfo=UTC
    )
    here = tuple(sorted({*draw(months), start.month}))  # most cases let something through
    cadence = filtered(document, zone, days=draw(numbers), months=here, weeks=draw(weeks), hours=draw(hours))
    return cadence, start


def slow(cadence, start, end):
    """Every fire of the inner cadence, judged one by one."""
    for fire in cadence.cadence.between(start, end):
        here = fire.astimezone(ZoneInfo(cadence.timezone))
        nth = {(here.day - 1) // 7 + 1, "last" if (here + timedelta(days=7)).month != here.month else None}
        at, (first, last) = here.time(), cadence.hours or (time.min, time.max)
        inside = first <= at <= last if first < last else at >= first or at <= last
        of_week = not cadence.weeks or nth & set(cadence.weeks)
        if here.weekday() in cadence.days and here.month in cadence.months and inside and of_week:
            yield fire


@settings(max_examples=examples(25), deadline=None)
@given(cases())
def test_it_is_the_inner_cadence_less_what_the_filters_refuse(case):
    cadence, start = case
    end = start + timedelta(days=21)
    expected = list(slow(cadence, start, end))
    assert list(cadence.between(start, end)) == expected
    back, instant = [], end + timedelta(microseconds=1)
    while (instant := cadence.previous_before(instant)) is not None and instant > start:
        back.append(instant)
    assert back[::-1] == expected
