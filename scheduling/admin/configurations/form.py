"""The form of a configuration: who starts a batch, the schedule, and the conditions of the data."""

from typing import Any

from django import forms

from scheduling.admin.schedules.form import ScheduleForm, whole_number
from scheduling.admin.schedules.sections import FORM_FIELDS
from scheduling.models import SchedulerConfiguration
from scheduling.states import ProcessingMode


class ConfigurationForm(ScheduleForm):
    """The mode is the one thing that must be chosen; it decides which of the other fields count."""

    processing_mode = forms.ChoiceField(
        label="Who starts a batch", choices=ProcessingMode.choices, widget=forms.RadioSelect
    )
    trigger_row_threshold = whole_number("When this many rows wait", "For example 500.")
    trigger_idle_minutes = whole_number("When the oldest row waits (minutes)", "For example 15.")
    trigger_on_new_rows = forms.BooleanField(required=False, label="When new rows arrive")
    trigger_debounce_seconds = whole_number("New rows: wait between batches (seconds)", "At least this long.", min=0)
    trigger_settle_seconds = whole_number(
        "New rows: wait for the source to finish (seconds)", "No row came for this long; 0 does not wait.", min=0
    )

    class Meta(ScheduleForm.Meta):
        model = SchedulerConfiguration
        fields = FORM_FIELDS

    def __init__(self, *args: Any, **kwargs: Any):
        """Require the mode."""
        super().__init__(*args, **kwargs)
        if "processing_mode" in self.fields:
            self.fields["processing_mode"].required = True

    def mode(self) -> str:
        """Return the chosen mode; empty when none was."""
        return str(self.cleaned_data.get("processing_mode", ""))
