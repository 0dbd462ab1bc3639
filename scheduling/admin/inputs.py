"""Form fields as people like them: what a field cannot read it leaves to the rules, so that the message is theirs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from functools import cache
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

from django import forms
from django.core.exceptions import ValidationError
from django.utils.choices import BaseChoiceIterator
from django.utils.dateparse import parse_datetime
from django.utils.safestring import SafeString, mark_safe
from django.utils.timezone import get_current_timezone
from django.utils.translation import gettext_lazy as _

from scheduling.cadence.resolve import FIRST, FIRST_VALID, local, resolve
from scheduling.formatters import zone_named
from staging.wording import say


class _Raw:
    """Hands on the text as it was typed when it cannot be read."""

    def to_python(self, value: Any) -> Any:
        """Return the value, or the text as it was typed."""
        try:
            return super().to_python(value)  # type: ignore[misc]
        except ValidationError:
            return value


class WholeNumber(_Raw, forms.IntegerField):
    """What is no whole number stays as it was typed, for the rules of schedules to refuse."""


class Clock(_Raw, forms.TimeField):
    """A time of day, asked for with the browser's own input."""

    def __init__(self, **kwargs: Any):
        """Ask with the browser's own time input."""
        super().__init__(required=False, widget=forms.TimeInput(attrs={"type": "time"}, format="%H:%M"), **kwargs)


class Day(_Raw, forms.DateField):
    """A day, asked for with the browser's own input."""

    def __init__(self, **kwargs: Any):
        """Ask with the browser's own date input."""
        super().__init__(required=False, widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"), **kwargs)


class Listed(BaseChoiceIterator):
    """Texts to choose from, that are shown as they are sent; other pairs may stand before them.

    Django looks into each pair of other choices to find groups, again and again: of a thousand that takes long.
    """

    def __init__(self, texts: Iterable[str], *before: tuple[str, str]):
        """Take the texts."""
        self._pairs = [*before, *((text, text) for text in texts)]

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(self._pairs)


def read_items(text: str) -> list[Any]:
    """Return a list that was typed: one item in a line, or as JSON. Raises ValidationError for JSON that is none."""
    if not text.strip().startswith("["):
        return [line.strip() for line in text.splitlines() if line.strip()]
    try:
        found: list[Any] = json.loads(text)
    except (ValueError, RecursionError):
        raise ValidationError(say("This begins like a list as JSON, and is none.")) from None
    return found


def items_area() -> forms.Textarea:
    """Return the area into which a list is typed."""
    return forms.Textarea(attrs={"rows": 3, "cols": 40, "spellcheck": "false"})


class TypedItems(forms.CharField):
    """A list that is typed; nothing stays nothing."""

    def __init__(self, **kwargs: Any):
        """Ask with a small text area."""
        super().__init__(required=False, strip=False, widget=items_area(), **kwargs)

    def to_python(self, value: Any) -> Any:
        """Return the list, or an empty text where nothing was typed."""
        text = str(super().to_python(value))
        return read_items(text) if text.strip() else ""


class Boxes(forms.MultipleChoiceField):
    """Checkboxes for a comma list: "mon,fri"."""

    widget = forms.CheckboxSelectMultiple

    def prepare_value(self, value: Any) -> Any:
        """Return the stored text as the list of boxes to tick."""
        return [item.strip().lower() for item in value.split(",") if item.strip()] if isinstance(value, str) else value

    def clean(self, value: Any) -> Any:
        """Return the ticked boxes as text."""
        return ",".join(super().clean(value))

    def has_changed(self, initial: Any, data: Any) -> bool:
        """Return whether other boxes are ticked than the stored text names."""
        return super().has_changed(self.prepare_value(initial or ""), data)


class LocalText(forms.CharField):
    """A moment as the clocks of the schedule's own zone show it; the text is the rules' to read."""

    def __init__(self, **kwargs: Any):
        """Ask with the browser's own input for a day and a time."""
        widget = forms.TextInput(attrs={"type": "datetime-local"})
        super().__init__(required=False, max_length=40, widget=widget, **kwargs)

    def prepare_value(self, value: Any) -> Any:
        """Return stored text in the form that the browser's input takes."""
        return value.strip().replace(" ", "T") if isinstance(value, str) else value


class _Decoder(json.JSONDecoder):
    """Reads JSON; what is nested too deep to be read is none."""

    def decode(self, s: str, *args: Any) -> Any:
        """Return the value."""
        try:
            return super().decode(s, *args)
        except RecursionError:
            raise json.JSONDecodeError("deep", s, 0) from None


class Values(forms.JSONField):
    """Named values as JSON; an empty input is none at all."""

    def __init__(self, **kwargs: Any):
        """Ask with a small text area."""
        super().__init__(required=False, widget=forms.Textarea(attrs={"rows": 2}), decoder=_Decoder, **kwargs)

    def to_python(self, value: Any) -> Any:
        """Return the values; nothing is no values."""
        found = super().to_python(value) or {}
        if not isinstance(found, dict):
            raise ValidationError(say('Write names with their values, like {{"region": "north"}}.'))
        return found

    def prepare_value(self, value: Any) -> Any:
        """Return what the input shows: nothing for no values."""
        return "" if value in (None, {}) else super().prepare_value(value)

    def has_changed(self, initial: Any, data: Any) -> bool:
        """Return whether other values were sent than were shown; none and nothing are the same."""
        return super().has_changed(initial or {}, data)


@cache
def known_zones() -> frozenset[str]:
    """Return the names of the zones of this machine's time-zone database, read once."""
    return frozenset(available_timezones())


def zones() -> list[tuple[str, Any]]:
    """Return the zones that this machine knows as choices, the reader's and the usual ones first."""
    known = known_zones()
    first = dict.fromkeys(name for name in (str(get_current_timezone()), *_USUAL) if name in known)
    rest = [(name, name) for name in sorted(known) if name not in first]
    return [(say("Usual"), [(name, name) for name in first]), (say("All others"), rest)]


class ZoneSelect(forms.Select):
    """A choice of zones in which one can search, where scripts run."""

    def __init__(self, **kwargs: Any):
        """Say what is searched for."""
        super().__init__(**kwargs)
        self.attrs["data-search"] = _("Search time zones")

    def render(self, name: str, value: Any, attrs: dict[str, Any] | None = None, renderer: Any = None) -> SafeString:
        """Return the list, in which no option says its name twice: that would be half of it."""
        shown = super().render(name, value, attrs, renderer)
        return mark_safe(_SAID_TWICE.sub(r"<option>\1</option>", shown))  # noqa: S308 (Django escaped it)


_SAID_TWICE = re.compile(r'<option value="([^"<>]+)">\1</option>')
_USUAL = (
    "UTC", "Europe/Amsterdam", "Europe/London", "Europe/Berlin", "Europe/Paris", "America/New_York", "America/Chicago",
    "America/Los_Angeles", "Asia/Kolkata", "Asia/Singapore", "Asia/Tokyo", "Australia/Sydney",
)  # fmt: skip
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
            raise ValidationError(say("Write a day and a time, for example 2026-06-15 09:00.")) from None

    def prepare_value(self, value: Any) -> Any:
        """Return an instant, or text that means one, as local time; other text stays as it was typed."""
        try:
            found = self.to_python(value) if isinstance(value, str) else value
        except ValidationError:
            return value
        return local(found, self.zone) if isinstance(found, datetime) else value
