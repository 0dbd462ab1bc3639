"""The form of a schedule: friendly inputs, the rules of `schedules` at each field, only the chosen mode's values."""

from __future__ import annotations

import copy
from functools import lru_cache
from hashlib import sha256
from typing import Any
from zoneinfo import available_timezones

from django import forms
from django.core.exceptions import ValidationError

from scheduling.admin.configuration_sections import FORM_FIELDS
from scheduling.models import SchedulerConfiguration
from scheduling.schedules.columns import SETTINGS, used_by
from scheduling.schedules.rules import judged, schedule_errors
from scheduling.states import ProcessingMode, ScheduleType

WEEKDAYS = [
    ("mon", "Monday"), ("tue", "Tuesday"), ("wed", "Wednesday"), ("thu", "Thursday"), ("fri", "Friday"),
    ("sat", "Saturday"), ("sun", "Sunday"),
]  # fmt: skip
MONTH_DAYS = [*((str(day), str(day)) for day in range(1, 32)), ("last", "last day")]

_CHANGED_MEANWHILE = (
    "Somebody else changed this configuration since you opened it; nothing was saved. Reload the page to see it."
)


def settings_of(configuration: SchedulerConfiguration) -> dict[str, Any]:
    """Return what a person set on this configuration, in memory."""
    return {name: getattr(configuration, name) for name in SETTINGS}


def fingerprint(settings: dict[str, Any]) -> str:
    """Return a short text that differs when any setting does; the form carries the one it was opened with."""
    return sha256(repr(sorted(settings.items())).encode()).hexdigest()[:32]


class _Raw:
    """A field that leaves what it cannot read to the rules, so that the message is theirs."""

    def to_python(self, value: Any) -> Any:
        """Return the value, or the text as it was typed."""
        try:
            return super().to_python(value)  # type: ignore[misc]
        except ValidationError:
            return value


class _Number(_Raw, forms.IntegerField):
    pass


class _Clock(_Raw, forms.TimeField):
    pass


class _Day(_Raw, forms.DateField):
    pass


class _Days(forms.MultipleChoiceField):
    """Checkboxes for a comma list: "mon,fri"."""

    widget = forms.CheckboxSelectMultiple

    def prepare_value(self, value: Any) -> Any:
        """Return the stored text as the list of boxes to tick."""
        return [item.strip().lower() for item in value.split(",") if item.strip()] if isinstance(value, str) else value

    def clean(self, value: Any) -> Any:
        """Return the ticked boxes as text."""
        return ",".join(super().clean(value))


def _whole_number(label: str, help_text: str = "", **attrs: Any) -> _Number:
    return _Number(
        required=False, label=label, help_text=help_text, widget=forms.NumberInput(attrs={"min": 1, **attrs})
    )


def _time(label: str) -> _Clock:
    return _Clock(required=False, label=label, widget=forms.TimeInput(attrs={"type": "time"}, format="%H:%M"))


def _date(label: str) -> _Day:
    return _Day(required=False, label=label, widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"))


@lru_cache(maxsize=1)
def _zones() -> list[tuple[str, str]]:
    """Return the zones of this machine's time-zone database, once."""
    return [(name, name) for name in sorted(available_timezones())]


class ConfigurationForm(forms.ModelForm):
    """Every field is optional here: what a mode needs is said by the rules of `schedules`, with the same messages."""

    processing_mode = forms.ChoiceField(
        label="Who starts a batch", choices=ProcessingMode.choices, widget=forms.RadioSelect
    )
    is_enabled = forms.BooleanField(
        required=False, label="Enabled", help_text="Switched off, nothing starts by itself; people still can."
    )
    schedule_type = forms.ChoiceField(
        required=False, label="How often", choices=[("", "choose …"), *ScheduleType.choices]
    )
    timezone = forms.ChoiceField(required=False, label="Time zone", choices=_zones)
    interval_minutes = _whole_number("Every (minutes)", "1 to 1440.", max=1440)
    window_start = _time("From")
    window_end = _time("Until")
    run_days = _Days(required=False, label="On", choices=WEEKDAYS)
    every_n_weeks = _whole_number("Every (weeks)", "1 is every week, 2 every other week.")
    run_days_of_month = _Days(required=False, label="On day", choices=MONTH_DAYS)
    run_times = forms.CharField(
        required=False, label="At", max_length=200, help_text="One or more times, 24-hour clock: 06:00, 18:30."
    )
    cron_expression = forms.CharField(
        required=False, max_length=100, label="Cron expression", help_text="Five fields: 0 6 * * 1-5."
    )
    starts_on = _date("First day")
    ends_on = _date("Last day")
    trigger_row_threshold = _whole_number("When this many rows wait", "For example 500.")
    trigger_idle_minutes = _whole_number("When the oldest row waits (minutes)", "For example 15.")
    trigger_on_new_rows = forms.BooleanField(required=False, label="When new rows arrive")
    trigger_debounce_seconds = _whole_number("New rows: wait between batches (seconds)", "At least this long.", min=0)
    trigger_settle_seconds = _whole_number(
        "New rows: wait for the source to finish (seconds)", "No row came for this long; 0 does not wait.", min=0
    )

    seen = forms.CharField(required=False, max_length=64, widget=forms.HiddenInput)

    class Meta:
        model = SchedulerConfiguration
        fields = FORM_FIELDS
        labels = {
            "interval_anchor": "Counted from",
            "dst_gap": "A time that does not exist (spring)",
            "dst_overlap": "A time that comes twice (autumn)",
        }

    def __init__(self, *args: Any, **kwargs: Any):
        """Require nothing but the mode, and offer a stored zone even when this machine does not know it."""
        super().__init__(*args, **kwargs)
        for name, field in self.fields.items():
            field.required = name == "processing_mode"
        zone = self.fields.get("timezone")
        if isinstance(zone, forms.ChoiceField) and self.instance.timezone not in available_timezones():
            zone.choices = [(self.instance.timezone, self.instance.timezone), *_zones()]
        self._before: SchedulerConfiguration | None = None
        self._after: SchedulerConfiguration | None = None
        self._stored = settings_of(self.instance)
        self.fields["seen"].initial = fingerprint(self._stored)

    def values(self) -> dict[str, Any]:
        """Return the settings that the chosen mode uses, as `schedules` takes them; valid or not."""
        found = self.cleaned_data
        used = used_by(found.get("processing_mode", ""), found.get("schedule_type", ""))
        # A script that hides the schedule sends no zone: the stored one stays.
        return {name: found[name] for name in used if name in found and (name != "timezone" or found[name])}

    def clean(self) -> dict[str, Any]:
        """Hold the values against the rules, each message at its field."""
        found = super().clean() or self.cleaned_data
        if found.get("seen") not in (None, "", fingerprint(self._stored)):
            self.add_error(None, ValidationError(_CHANGED_MEANWHILE))
        if "processing_mode" in found:
            for field, texts in schedule_errors({**self._stored, **self.values()}).items():
                if field not in self.errors:
                    self.add_error(field if field in self.fields else None, [ValidationError(text) for text in texts])
        return found

    def _post_clean(self) -> None:
        """Leave the instance alone: the rules judged the values, and `apply_schedule` stores them on a fresh copy."""

    def wanted(self) -> dict[str, Any]:
        """Return all settings as a save would store them; only for a valid form."""
        return judged({**self._stored, **self.values()})[0]

    def note_before(self, configuration: SchedulerConfiguration) -> None:
        """Remember the settings before the save."""
        self._before = copy.copy(configuration)

    def note_after(self, configuration: SchedulerConfiguration) -> None:
        """Remember the settings after the save."""
        self._after = configuration

    def changed_settings(self) -> list[str]:
        """Return the labels of the settings whose stored value the save changed."""
        if self._before is None or self._after is None:
            return []
        return [
            str(self.fields[name].label or name)
            for name in self.Meta.fields
            if getattr(self._before, name) != getattr(self._after, name)
        ]
