"""When somebody may be told: not in quiet hours, and gathered to the hour or to a time of day where that is wished."""

from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

from scheduling.cadence.resolve import BOTH, FIRST, FIRST_VALID, local, resolve

Hours = tuple[time, time]  # from, until; over midnight when the first is later


def told_at(
    now: datetime, zone: ZoneInfo, quiet: Hours | None = None, *, hourly: bool = False, daily: time | None = None
) -> datetime:
    """Return the first instant, at `now` or later, at which news of `now` may be told; UTC.

    `daily` is a local time of day, `hourly` each full hour of the zone's clocks. An instant within the quiet hours
    moves to their end. Clock changes count: a time in a gap is the first instant after it, one that comes twice the
    first of the two; quiet hours end whenever the clocks show their end.
    """
    at = now
    if daily is not None:
        at = next_time_of_day(now, zone, daily)
    elif hourly:
        at = _full_hour(now, zone)
    return at if quiet is None else _after_quiet(at, zone, quiet)


def day_of(now: datetime, zone: ZoneInfo, until: time) -> tuple[datetime, datetime]:
    """Return when the local day of `now` began, and the instant of its time of day `until`; both UTC."""
    day = local(now, zone).date()
    return _instant(datetime.combine(day, time()), zone), _instant(datetime.combine(day, until), zone)


def _instant(naive: datetime, zone: ZoneInfo) -> datetime:
    return resolve(naive, zone, FIRST_VALID, FIRST)[0]


def next_time_of_day(now: datetime, zone: ZoneInfo, at: time, overlap: str = FIRST) -> datetime:
    """Return the first instant from now on at which the clocks show this time of day."""
    days = (local(now, zone).date() + timedelta(days=ahead) for ahead in (0, 1, 2))
    several = (instant for day in days for instant in resolve(datetime.combine(day, at), zone, FIRST_VALID, overlap))
    return next(instant for instant in several if instant >= now)


def _full_hour(now: datetime, zone: ZoneInfo) -> datetime:
    """Return the first instant from now on at which the clocks show a full hour."""
    shown = local(now, zone)
    past = timedelta(minutes=shown.minute, seconds=shown.second, microseconds=shown.microsecond)
    return now if not past else (now - past + timedelta(hours=1)).astimezone(UTC)


def _after_quiet(at: datetime, zone: ZoneInfo, quiet: Hours) -> datetime:
    since, until = quiet
    shown = local(at, zone).time()
    is_quiet = since <= shown < until if since <= until else shown >= since or shown < until
    return next_time_of_day(at, zone, until, BOTH) if is_quiet else at
