"""The forms of what users own of a job and of its schedules; the verbs judge, the forms show it at the field."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from scheduling import clock
from scheduling.errors import InvalidSchedule
from scheduling.jobs.edit import OF_JOB, OF_SCHEDULE, edit_schedule
from scheduling.models import BlackoutCalendar, Job, JobSchedule
from staging.models import owner_errors


class JobForm(forms.ModelForm):
    """How often a job is tried, and who owns it."""

    class Meta:
        model = Job
        fields = OF_JOB
        labels = {"retry_interval_seconds": _("Seconds between attempts")}
        help_texts = {"retry_interval_seconds": _("Counted from the end of the attempt before.")}

    def clean(self) -> dict[str, Any]:
        """Ask for one owner at most."""
        cleaned = super().clean() or {}
        owned = Job(owner=cleaned.get("owner"), owner_group=cleaned.get("owner_group"))
        for field, texts in owner_errors(owned).items():
            self.add_error(field, texts)
        return cleaned


class JobScheduleForm(forms.ModelForm):
    """Whether a schedule is on, how much later it may start, and which times are dark for it."""

    is_enabled = forms.BooleanField(required=False, label=_("Enabled"))
    calendar = forms.ModelChoiceField(
        BlackoutCalendar.objects.all(), required=False, empty_label=_("none"), label=_("Blackout calendar")
    )

    class Meta:
        model = JobSchedule
        fields = OF_SCHEDULE

    def values(self) -> dict[str, Any]:
        """Return what was asked for."""
        return {name: self.cleaned_data[name] for name in OF_SCHEDULE}

    def clean(self) -> dict[str, Any]:
        """Ask the verb, without keeping what it did, whether this may be stored."""
        cleaned = super().clean() or {}
        if not self.errors and self.instance.pk is not None:
            try:
                edit_schedule(JobSchedule.objects.get(pk=self.instance.pk), self.values(), now=clock.now(), dry=True)
            except InvalidSchedule as error:
                for field, texts in error.errors.items():
                    for text in texts:
                        self.add_error(field, text)
        return cleaned
