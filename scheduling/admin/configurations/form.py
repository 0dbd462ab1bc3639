"""The form of a configuration: who starts a batch, the schedule, and the conditions of the data."""

from typing import Any

from django import forms
from django.utils.translation import gettext_noop

from scheduling.admin.inputs import WholeNumber
from scheduling.admin.schedules.form import ScheduleForm
from scheduling.admin.schedules.sections import EXCEPTIONS, WHEN, Section, fieldsets, only_used
from scheduling.models import SchedulerConfiguration
from scheduling.schedules.settings import used_by
from scheduling.states import ProcessingMode

_MODE: Section = (gettext_noop("Mode"), ("processing_mode", "is_enabled"), "")
_TRIGGERS: Section = (
    gettext_noop("Triggers"),
    (
        "trigger_row_threshold",
        "trigger_idle_minutes",
        "trigger_on_new_rows",
        "trigger_debounce_seconds",
        "trigger_settle_seconds",
    ),
    gettext_noop("Fill in at least one of the first three. Any one that comes true starts a batch."),
)
_SECTIONS = [_MODE, *WHEN, _TRIGGERS, *EXCEPTIONS]

FIELDSETS = fieldsets(_SECTIONS)
FORM_FIELDS = [name for _, fields, *_ in _SECTIONS for name in fields]


def shown_fieldsets(configuration: SchedulerConfiguration) -> Any:
    """Return the fieldsets with only the settings that this configuration's mode uses."""
    mode, kind = configuration.processing_mode, configuration.schedule_type
    used = used_by(mode, kind) - (set() if mode == ProcessingMode.SCHEDULED else {"timezone"})
    return only_used(FIELDSETS, used)


class ConfigurationForm(ScheduleForm):
    """The mode is the one thing that must be chosen; it decides which of the other fields count."""

    processing_mode = forms.ChoiceField(choices=ProcessingMode.choices, widget=forms.RadioSelect)
    trigger_row_threshold = WholeNumber()
    trigger_idle_minutes = WholeNumber()
    trigger_on_new_rows = forms.BooleanField()
    trigger_debounce_seconds = WholeNumber()
    trigger_settle_seconds = WholeNumber()

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
