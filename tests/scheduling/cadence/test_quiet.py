"""Promise: nobody is told in quiet hours, nor later than they end; a digest gathers to the next of its times."""

from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scheduling.cadence.quiet import day_of, told_at
from tests.depth import examples

AMSTERDAM, LORD_HOWE = ZoneInfo("Europe/Amsterdam"), ZoneInfo("Australia/Lord_Howe")
NIGHT = (time(22), time(7))
MINUTE = timedelta(minutes=1)
TIMES = st.builds(time, st.integers(0, 6), st.sampled_from([0, 15, 30])) | st.builds(time, st.integers(20, 23))


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)


@pytest.mark.parametrize(
    ("now", "quiet", "told"),
    [
        ("2026-06-15T21:59+02:00", NIGHT, "2026-06-15T21:59+02:00"),
        ("2026-06-15T22:00+02:00", NIGHT, "2026-06-16T07:00+02:00"),  # over midnight
        ("2026-06-16T00:30+02:00", NIGHT, "2026-06-16T07:00+02:00"),
        ("2026-06-16T06:59+02:00", NIGHT, "2026-06-16T07:00+02:00"),
        ("2026-06-16T07:00+02:00", NIGHT, "2026-06-16T07:00+02:00"),
        ("2026-06-15T12:30+02:00", (time(12), time(13)), "2026-06-15T13:00+02:00"),
        ("2026-06-15T13:00+02:00", (time(12), time(13)), "2026-06-15T13:00+02:00"),
        ("2026-06-15T12:30+02:00", (time(12), time(12)), "2026-06-15T12:30+02:00"),  # no hours at all
        ("2026-03-28T23:00+01:00", NIGHT, "2026-03-29T07:00+02:00"),  # the night that is an hour shorter
        ("2026-10-24T23:00+02:00", NIGHT, "2026-10-25T07:00+01:00"),  # and the one that is longer
        ("2026-03-29T01:30+01:00", (time(1), time(2, 30)), "2026-03-29T03:00+02:00"),  # they end at a time that is not
        ("2026-10-25T02:30+02:00", (time(2), time(3)), "2026-10-25T03:00+01:00"),  # both copies are within them
        ("2026-10-25T02:30+01:00", (time(2), time(3)), "2026-10-25T03:00+01:00"),
        (
            "2026-10-25T02:15+01:00",
            (time(1), time(2, 30)),
            "2026-10-25T02:30+01:00",
        ),  # the second copy
        ("2026-10-25T01:45+02:00", (time(1), time(2, 30)), "2026-10-25T02:30+02:00"),  # the first copy of their end
    ],
)
def test_quiet_hours_end_by_the_clocks(now, quiet, told):
    assert told_at(at(now), AMSTERDAM, quiet) == at(told)


@pytest.mark.parametrize(
    ("now", "told"),
    [
        ("2026-06-15T07:59+02:00", "2026-06-15T08:00+02:00"),
        ("2026-06-15T08:00+02:00", "2026-06-15T08:00+02:00"),
        ("2026-06-15T08:01+02:00", "2026-06-16T08:00+02:00"),
        ("2026-03-28T08:01+01:00", "2026-03-29T08:00+02:00"),
        ("2026-10-24T08:01+02:00", "2026-10-25T08:00+01:00"),
    ],
)
def test_a_daily_digest_waits_for_its_time_of_day(now, told):
    assert told_at(at(now), AMSTERDAM, daily=time(8)) == at(told)


def test_a_daily_digest_in_the_gap_is_told_after_it_and_of_the_hour_that_comes_twice_in_the_first():
    assert told_at(at("2026-03-28T12:00+01:00"), AMSTERDAM, daily=time(2, 30)) == at("2026-03-29T03:00+02:00")
    assert told_at(at("2026-10-24T12:00+02:00"), AMSTERDAM, daily=time(2, 30)) == at("2026-10-25T02:30+02:00")
    assert told_at(at("2026-10-25T02:30+01:00"), AMSTERDAM, daily=time(2, 30)) == at("2026-10-26T02:30+01:00")


def test_a_digest_that_falls_into_quiet_hours_waits_for_their_end():
    assert told_at(at("2026-06-15T12:00+02:00"), AMSTERDAM, NIGHT, daily=time(6)) == at("2026-06-16T07:00+02:00")
    assert told_at(at("2026-06-15T21:30+02:00"), AMSTERDAM, NIGHT, hourly=True) == at("2026-06-16T07:00+02:00")


def test_full_hours_are_those_of_the_clocks_of_the_zone():
    assert told_at(at("2026-06-15T12:10+05:30"), ZoneInfo("Asia/Kolkata"), hourly=True) == at("2026-06-15T13:00+05:30")
    assert told_at(at("2026-06-15T12:00+02:00"), AMSTERDAM, hourly=True) == at("2026-06-15T12:00+02:00")


def test_a_day_begins_and_has_its_time_by_the_clocks():
    begin, until = day_of(at("2026-03-29T12:00+02:00"), AMSTERDAM, time(2, 30))
    assert (begin, until) == (at("2026-03-29T00:00+01:00"), at("2026-03-29T03:00+02:00"))


@given(
    start=st.sampled_from(["2026-03-28T22:00+00:00", "2026-10-24T20:00+00:00", "2026-04-04T12:00+00:00"]),
    minutes=st.integers(0, 24 * 60),
    zone=st.sampled_from([AMSTERDAM, LORD_HOWE]),
    quiet=st.tuples(TIMES, TIMES),
)
@settings(max_examples=examples(200))
def test_it_is_told_in_the_first_minute_that_is_not_quiet(start, minutes, zone, quiet):
    """Minute by minute, around the nights in which the clocks change."""
    now = at(start) + minutes * MINUTE
    told, (begin, end) = told_at(now, zone, quiet), quiet

    def is_quiet(instant: datetime) -> bool:
        shown = instant.astimezone(zone).time()
        return begin <= shown < end if begin <= end else shown >= begin or shown < end

    free = now
    while is_quiet(free):
        free += MINUTE
    # Quiet hours that have begun go on when the clocks are put back to before their beginning. Where the clocks jump
    # over all that is free, what waits is told after the jump.
    was_put_back = free > now and free.astimezone(zone).fold and told > free and not is_quiet(told)
    jumped_over = told < free and _jumped(told, zone)
    assert told == free or was_put_back or jumped_over


def _jumped(instant: datetime, zone: ZoneInfo) -> bool:
    return instant.astimezone(zone).utcoffset() > (instant - MINUTE).astimezone(zone).utcoffset()
