"""The instant of a time of day on the day of a run: until when a step of it waits."""

from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

from scheduling.cadence.resolve import FIRST, FIRST_VALID, local, resolve


def until_time(slot: datetime, zone: ZoneInfo, at: time, days: int = 0) -> datetime:
    """Return the instant (UTC) of a time of day on the local day of `slot`, or so many days later.

    It may lie before the slot: what waits for it goes on at once. A time that the clocks skip is the first instant
    after the gap; of one that comes twice the first is meant.
    """
    day = local(slot, zone).date() + timedelta(days=days)
    return resolve(datetime.combine(day, at), zone, FIRST_VALID, FIRST)[0].astimezone(UTC)
