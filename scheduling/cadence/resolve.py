"""The one place where a local date-time becomes instants, so that every kind treats clock changes alike.

Python's arithmetic on aware local date-times ignores clock changes and drops `fold`. So local times are always
naive here, and only `resolve` gives them a zone.
"""

from datetime import UTC, date, datetime, time, timedelta, timezone
from functools import lru_cache
from zoneinfo import ZoneInfo

FIRST_VALID, SHIFT, SKIP = "first_valid", "shift", "skip"
FIRST, SECOND, BOTH = "first", "second", "both"
GAP_POLICIES = (FIRST_VALID, SHIFT, SKIP)
OVERLAP_POLICIES = (FIRST, SECOND, BOTH)

_NEARBY = timedelta(hours=26)  # more than any clock change ever moved a clock
_AROUND_A_DAY = [timedelta(hours=hours) for hours in range(-30, 55, 6)]


def resolve(naive: datetime, zone: ZoneInfo, gap: str, overlap: str) -> tuple[datetime, ...]:
    """Return the instants (UTC, ascending) that the local time `naive` stands for.

    One for an ordinary time. A time in a gap yields the first instant after the gap (`first_valid`), the time moved
    on by the length of the gap (`shift`) or nothing (`skip`). A time in an overlap yields its `first` copy, its
    `second` copy or `both`.
    """
    earlier = _offset(naive.replace(tzinfo=zone))
    later = _offset(naive.replace(tzinfo=zone, fold=1))
    if earlier == later:
        return (_instant(naive, earlier),)
    if earlier > later:
        copies = (_instant(naive, earlier), _instant(naive, later))
        return {FIRST: copies[:1], SECOND: copies[1:], BOTH: copies}[overlap]
    if gap == SKIP:
        return ()
    if gap == SHIFT:
        return (_instant(naive, earlier),)
    return (change_between(_instant(naive, later), _instant(naive, earlier), zone),)


def local(instant: datetime, zone: ZoneInfo) -> datetime:
    """Return what the clocks of the zone show at the instant, as a naive date-time."""
    return instant.astimezone(zone).replace(tzinfo=None, fold=0)


def offsets_near(instant: datetime, zone: ZoneInfo) -> tuple[timedelta, timedelta]:
    """Return the least and the greatest distance from UTC in force within a day of the instant."""
    moments = (instant - _NEARBY, instant, instant + _NEARBY)
    offsets = [_offset(moment.astimezone(zone)) for moment in moments]
    return min(offsets), max(offsets)


@lru_cache(maxsize=16384)
def calm_offset(day: int, zone: ZoneInfo) -> timedelta | None:
    """Return the distance from UTC when no clock changes around this UTC day (an ordinal), None when one does.

    Looked up once for a day and a zone, whatever the number of schedules: most questions fall on calm days.
    """
    midnight = datetime.combine(date.fromordinal(day), time(), tzinfo=UTC)
    offsets = {_offset((midnight + hours).astimezone(zone)) for hours in _AROUND_A_DAY}
    return offsets.pop() if len(offsets) == 1 else None


@lru_cache(maxsize=1024)
def change_between(before: datetime, after: datetime, zone: ZoneInfo) -> datetime:
    """Return the instant (to the second) of the one clock change with `before` < change <= `after`."""
    old = _offset(before.astimezone(zone))
    low, high = 0, int((after - before).total_seconds()) + 1
    start = before.replace(microsecond=0)
    while high - low > 1:
        middle = (low + high) // 2
        if _offset((start + timedelta(seconds=middle)).astimezone(zone)) == old:
            low = middle
        else:
            high = middle
    return start + timedelta(seconds=high)


def _offset(aware: datetime) -> timedelta:
    offset = aware.utcoffset()
    if offset is None:
        raise TypeError("An instant needs a time zone.")
    return offset


def _instant(naive: datetime, offset: timedelta) -> datetime:
    return naive.replace(tzinfo=timezone(offset)).astimezone(UTC)
