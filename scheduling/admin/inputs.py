"""Form fields as people like them: what a field cannot read it leaves to the rules, so that the message is theirs."""

from __future__ import annotations

from functools import lru_cache
from typing import Any
from zoneinfo import available_timezones

from django import forms
from django.core.exceptions import ValidationError


class _Raw:
    """Hands on the text as it was typed when it cannot be read."""

    def to_python(self, value: Any) -> Any:
        """Return the value, or the text as it was typed."""
        try:
            return super().to_python(value)  # type: ignore[misc]
        except ValidationError:
            return value


class Number(_Raw, forms.IntegerField):
    """A whole number."""


class Clock(_Raw, forms.TimeField):
    """A time of day."""

    def __init__(self, **kwargs: Any):
        """Ask with the browser's own time input."""
        super().__init__(required=False, widget=forms.TimeInput(attrs={"type": "time"}, format="%H:%M"), **kwargs)


class Day(_Raw, forms.DateField):
    """A day."""

    def __init__(self, **kwargs: Any):
        """Ask with the browser's own date input."""
        super().__init__(required=False, widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"), **kwargs)


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


class Values(forms.JSONField):
    """Named values as JSON; an empty input is none at all."""

    def __init__(self, **kwargs: Any):
        """Ask with a small text area."""
        super().__init__(required=False, widget=forms.Textarea(attrs={"rows": 2}), **kwargs)

    def to_python(self, value: Any) -> Any:
        """Return the values; nothing is no values."""
        return super().to_python(value) or {}

    def prepare_value(self, value: Any) -> Any:
        """Return what the input shows: nothing for no values."""
        return "" if value in (None, {}) else super().prepare_value(value)

    def has_changed(self, initial: Any, data: Any) -> bool:
        """Return whether other values were sent than were shown; none and nothing are the same."""
        return super().has_changed(initial or {}, data)


@lru_cache(maxsize=1)
def zones() -> list[tuple[str, str]]:
    """Return the zones of this machine's time-zone database as choices, read once."""
    return [(name, name) for name in sorted(available_timezones())]
