"""How decisions write numbers, times and durations, so that every page and log line reads the same."""

from datetime import UTC, datetime, timedelta


def instant(value: datetime) -> str:
    """Return an instant for reading, to the second, in UTC."""
    return f"{value.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def count(rows: int) -> str:
    """Return a number of rows with its noun."""
    return "1 row" if rows == 1 else f"{rows:,} rows"


def duration(value: timedelta) -> str:
    """Return an elapsed time in its two largest units, cut and never rounded up."""
    seconds = max(int(value.total_seconds()), 0)
    units = (("d", 86400), ("h", 3600), ("min", 60), ("s", 1))
    parts = []
    for name, size in units:
        amount, seconds = divmod(seconds, size)
        if amount:
            parts.append(f"{amount} {name}")
    return " ".join(parts[:2]) or "0 s"
