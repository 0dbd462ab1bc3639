"""Instants on their way in and out of the physical tables, in the one form each database keeps."""

from datetime import UTC, datetime
from typing import Any

from django.utils.dateparse import parse_datetime

from staging.sql.choose import dialect


def to_database(instant: datetime) -> Any:
    """Return an aware instant as a parameter for raw SQL; SQLite keeps `YYYY-MM-DD HH:MM:SS.ffffff` in UTC."""
    return dialect().instant(instant)


def from_database(value: Any) -> datetime | None:
    """Return what raw SQL gave as an aware instant in UTC; raises ValueError for text that is no instant."""
    if value is None:
        return None
    parsed = value if isinstance(value, datetime) else parse_datetime(str(value))
    if parsed is None:
        raise ValueError(f"{value!r} is not an instant.")
    return parsed.astimezone(UTC) if parsed.tzinfo else parsed.replace(tzinfo=UTC)
