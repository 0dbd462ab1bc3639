"""A local time becomes instants by one policy for gaps and one for overlaps."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from scheduling.cadence.resolve import calm_offset, local, offsets_near, resolve


def instants(text: str, zone: str, gap: str = "first_valid", overlap: str = "first") -> list[str]:
    found = resolve(datetime.fromisoformat(text), ZoneInfo(zone), gap, overlap)
    assert all(fire.tzinfo is UTC for fire in found)
    return [fire.astimezone(ZoneInfo(zone)).isoformat() for fire in found]


def test_an_ordinary_time_is_one_instant_under_every_policy() -> None:
    for gap in ("first_valid", "shift", "skip"):
        for overlap in ("first", "second", "both"):
            assert instants("2026-06-01T02:30", "Europe/Amsterdam", gap, overlap) == ["2026-06-01T02:30:00+02:00"]


@pytest.mark.parametrize(
    ("gap", "expected"),
    [
        ("first_valid", ["2026-03-29T03:00:00+02:00"]),
        ("shift", ["2026-03-29T03:30:00+02:00"]),
        ("skip", []),
    ],
)
def test_a_time_in_a_gap_follows_the_gap_policy(gap: str, expected: list[str]) -> None:
    assert instants("2026-03-29T02:30", "Europe/Amsterdam", gap=gap) == expected


@pytest.mark.parametrize(
    ("overlap", "expected"),
    [
        ("first", ["2026-10-25T02:30:00+02:00"]),
        ("second", ["2026-10-25T02:30:00+01:00"]),
        ("both", ["2026-10-25T02:30:00+02:00", "2026-10-25T02:30:00+01:00"]),
    ],
)
def test_a_time_in_an_overlap_follows_the_overlap_policy(overlap: str, expected: list[str]) -> None:
    assert instants("2026-10-25T02:30", "Europe/Amsterdam", overlap=overlap) == expected


def test_the_edges_of_a_gap_and_an_overlap_are_ordinary_times() -> None:
    assert instants("2026-03-29T01:59", "Europe/Amsterdam", gap="skip") == ["2026-03-29T01:59:00+01:00"]
    assert instants("2026-03-29T03:00", "Europe/Amsterdam", gap="skip") == ["2026-03-29T03:00:00+02:00"]
    assert instants("2026-10-25T01:59", "Europe/Amsterdam", overlap="both") == ["2026-10-25T01:59:00+02:00"]
    assert instants("2026-10-25T03:00", "Europe/Amsterdam", overlap="both") == ["2026-10-25T03:00:00+01:00"]


@pytest.mark.parametrize(
    ("zone", "missing", "expected"),
    [
        ("Australia/Lord_Howe", "2025-10-05T02:15", "2025-10-05T02:30:00+11:00"),
        ("Antarctica/Troll", "2026-03-29T01:30", "2026-03-29T03:00:00+02:00"),
        ("America/Sao_Paulo", "2018-11-04T00:30", "2018-11-04T01:00:00-02:00"),
        ("Pacific/Apia", "2011-12-30T12:00", "2011-12-31T00:00:00+14:00"),
        ("Pacific/Kwajalein", "1993-08-21T12:00", "1993-08-22T00:00:00+12:00"),
    ],
)
def test_the_end_of_a_gap_is_found_whatever_its_length(zone: str, missing: str, expected: str) -> None:
    assert instants(missing, zone) == [expected]


def test_the_offsets_near_a_change_are_both_known() -> None:
    zone = ZoneInfo("Europe/Amsterdam")
    near = offsets_near(datetime(2026, 3, 29, 12, tzinfo=UTC), zone)
    assert near == (timedelta(hours=1), timedelta(hours=2))
    assert offsets_near(datetime(2026, 6, 1, tzinfo=UTC), zone) == (timedelta(hours=2), timedelta(hours=2))


def test_local_shows_the_clock_on_the_wall() -> None:
    shown = local(datetime(2026, 10, 25, 1, 30, tzinfo=UTC), ZoneInfo("Europe/Amsterdam"))
    assert (shown, shown.fold) == (datetime(2026, 10, 25, 2, 30), 0)  # noqa: DTZ001


def test_a_day_is_calm_when_no_clock_changes_around_it() -> None:
    zone = ZoneInfo("Europe/Amsterdam")
    found = [calm_offset(date(2026, 3, day).toordinal(), zone) for day in (26, 27, 28, 29, 30, 31)]
    winter, summer = timedelta(hours=1), timedelta(hours=2)
    assert found == [winter, None, None, None, None, summer]
    assert calm_offset(date(2011, 12, 30).toordinal(), ZoneInfo("Pacific/Apia")) is None
