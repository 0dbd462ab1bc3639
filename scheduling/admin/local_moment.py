"""A form field for a moment as the clocks of one zone show it, right across clock changes."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

from django import forms
from django.core.exceptions import ValidationError
from django.utils.dateparse import parse_datetime

from scheduling.cadence.resolve import FIRST, FIRST_VALID, local, resolve
from scheduling.formatters import zone_named

_YEARS = (1900, 9900)  # far from where a zone's offset leads out of the calendar


def zone_of(name: str) -> ZoneInfo:
    """Return the zone of this name; the site's for no name, and for one that this machine does not know."""
    return ZoneInfo(str(zone_named(name)))


class LocalMoment(forms.Field):
    """Takes local time as browsers send it, or an instant with its offset; cleans to an instant in UTC.

    A time that the clocks skip is the first one after the gap; of one that comes twice, the first copy is meant.
    """

    def __init__(self, *, zone: ZoneInfo, **kwargs: Any):
        """Read and show the moment in `zone`."""
        self.zone = zone
        widget = forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M")
        super().__init__(widget=widget, **kwargs)

    def to_python(self, value: Any) -> datetime | None:
        """Return the instant; None for an empty field."""
        if value in self.empty_values:
            return None
        try:
            found = parse_datetime(str(value).strip())
            if found is None or not _YEARS[0] <= found.year <= _YEARS[1]:
                raise ValueError(value)
            if found.tzinfo is not None:
                return found.astimezone(UTC)
            return resolve(found, self.zone, FIRST_VALID, FIRST)[0]
        except (ValueError, OverflowError):
            raise ValidationError("Write a day and a time, for example 2026-06-15 09:00.") from None

    def prepare_value(self, value: Any) -> Any:
        """Return an instant, or text that means one, as local time; other text stays as it was typed."""
        try:
            found = self.to_python(value) if isinstance(value, str) else value
        except ValidationError:
            return value
        return local(found, self.zone) if isinstance(found, datetime) else value
