"""The form of a schedule: friendly inputs, the rules of `schedules` at each field, only the chosen mode's values."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from functools import lru_cache
from typing import Any
from zoneinfo import available_timezones

from django import forms
from django.core.exceptions import ValidationError

from scheduling.models import SchedulerConfiguration
from scheduling.schedules.rules import schedule_errors
from scheduling.states import ProcessingMode, ScheduleType

WEEKDAYS = [
    ("mon", "Monday"), ("tue", "Tuesday"), ("wed", "Wednesday"), ("thu", "Thursday"), ("fri", "Friday"),
    ("sat", "Saturday"), ("sun", "Sunday"),
]  # fmt: skip
MONTH_DAYS = [*((str(day), str(day)) for day in range(1, 32)), ("last", "last day")]

# Which fields each fieldset holds, and for which mode and schedule types it is shown; the page's script reads the
# classes, and `values()` below reads the same table, so script and server cannot disagree.
_SECTIONS: list[tuple[str, tuple[str, ...], tuple[str, ...], tuple[str, ...], str]] = [
    ("Mode", ("processing_mode", "is_enabled"), (), (), ""),
    ("Schedule", ("schedule_type", "timezone"), (ProcessingMode.SCHEDULED,), (), ""),
    ("Interval", ("interval_minutes", "interval_anchor", "window_start", "window_end"), (ProcessingMode.SCHEDULED,),
     (ScheduleType.INTERVAL,), "From and until may stay empty; then it runs all day."),
    ("Days of the week", ("run_days", "every_n_weeks"), (ProcessingMode.SCHEDULED,), (ScheduleType.WEEKLY,), ""),
    ("Days of the month", ("run_days_of_month",), (ProcessingMode.SCHEDULED,), (ScheduleType.MONTHLY,),
     "A month without that day is skipped; “last day” is the month's real end."),
    ("Times of day", ("run_times",), (ProcessingMode.SCHEDULED,),
     (ScheduleType.DAILY, ScheduleType.WEEKLY, ScheduleType.MONTHLY), ""),
    ("Cron", ("cron_expression",), (ProcessingMode.SCHEDULED,), (ScheduleType.CRON,), ""),
    ("First and last day, clock changes", ("starts_on", "ends_on", "dst_gap", "dst_overlap"),
     (ProcessingMode.SCHEDULED,), (), ""),
    ("Triggers", ("trigger_row_threshold", "trigger_idle_minutes", "trigger_on_new_rows", "trigger_debounce_seconds",
     "trigger_settle_seconds"), (ProcessingMode.TRIGGERED,), (),
     "At least one of the first three; any one that comes true starts a batch."),
]  # fmt: skip

FIELDSETS = tuple(
    (title, {"fields": fields, "description": description,
             "classes": (*(f"for-mode-{mode}" for mode in modes), *(f"for-type-{kind}" for kind in kinds))})
    for title, fields, modes, kinds, description in _SECTIONS
)  # fmt: skip

SETTINGS = tuple(name for _, fields, *_ in _SECTIONS for name in fields)

# Left empty, these keep what is stored: they always have a value, and a hidden fieldset sends nothing.
_KEEP_WHEN_EMPTY = frozenset(
    {"interval_anchor", "dst_gap", "dst_overlap", "timezone", "every_n_weeks", "trigger_debounce_seconds",
     "trigger_settle_seconds"}
)  # fmt: skip


def settings_for(mode: str, schedule_type: str) -> Iterable[str]:
    """Yield the names of the settings that matter in this mode with this schedule type."""
    for _, fields, modes, kinds, _ in _SECTIONS:
        if (not modes or mode in modes) and (not kinds or schedule_type in kinds):
            yield from fields


def stored_values(configuration: SchedulerConfiguration) -> dict[str, Any]:
    """Return the settings of a configuration that matter in its mode, as `schedules` takes them."""
    names = settings_for(configuration.processing_mode, configuration.schedule_type)
    return {name: getattr(configuration, name) for name in names}


class _Days(forms.MultipleChoiceField):
    """Checkboxes for a comma list: "mon,fri"."""

    widget = forms.CheckboxSelectMultiple

    def prepare_value(self, value: Any) -> Any:
        """Return the stored text as the list of boxes to tick."""
        return [item.strip().lower() for item in value.split(",") if item.strip()] if isinstance(value, str) else value

    def clean(self, value: Any) -> Any:
        """Return the ticked boxes as text."""
        return ",".join(super().clean(value))


def _whole_number(label: str, help_text: str = "", **attrs: Any) -> forms.IntegerField:
    return forms.IntegerField(
        required=False, label=label, help_text=help_text, widget=forms.NumberInput(attrs={"min": 1, **attrs})
    )


def _time(label: str) -> forms.TimeField:
    return forms.TimeField(required=False, label=label, widget=forms.TimeInput(attrs={"type": "time"}, format="%H:%M"))


def _date(label: str) -> forms.DateField:
    return forms.DateField(
        required=False, label=label, widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
    )


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

    class Meta:
        model = SchedulerConfiguration
        fields = SETTINGS
        labels = {
            "interval_anchor": "Counted from",
            "dst_gap": "A time that does not exist (spring)",
            "dst_overlap": "A time that comes twice (autumn)",
        }

    def __init__(self, *args: Any, **kwargs: Any):
        """Let the fields that always hold a value be absent, and offer a stored zone even when it is unknown here."""
        super().__init__(*args, **kwargs)
        for name in _KEEP_WHEN_EMPTY & self.fields.keys():
            self.fields[name].required = False
        zone = self.fields.get("timezone")
        if isinstance(zone, forms.ChoiceField) and self.instance.timezone not in available_timezones():
            zone.choices = [(self.instance.timezone, self.instance.timezone), *_zones()]
        self._before: SchedulerConfiguration | None = None
        self._after: SchedulerConfiguration | None = None

    def values(self) -> dict[str, Any]:
        """Return the settings that matter in the chosen mode, as `schedules` takes them; valid or not."""
        found = self.cleaned_data
        names = settings_for(found.get("processing_mode", ""), found.get("schedule_type", ""))
        return {
            name: found[name]
            for name in names
            if name in found and not (name in _KEEP_WHEN_EMPTY and found[name] in ("", None))
        }

    def clean(self) -> dict[str, Any]:
        """Hold the values against the rules, each message at its field."""
        found = super().clean() or self.cleaned_data
        if "processing_mode" not in found:
            return found
        for field, texts in schedule_errors(self.values()).items():
            if field not in self.errors:
                self.add_error(field if field in self.fields else None, [ValidationError(text) for text in texts])
        return found

    def unsaved(self) -> SchedulerConfiguration:
        """Return a copy of the stored configuration that carries the form's values and is never saved."""
        stored = copy.copy(SchedulerConfiguration.objects.select_related("entity").get(pk=self.instance.pk))
        for name, value in self.values().items():
            setattr(stored, name, value)
        return stored

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
            for name in SETTINGS
            if getattr(self._before, name) != getattr(self._after, name)
        ]
