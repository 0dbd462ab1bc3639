"""The forms of what users own of a job and of its schedules; the verbs judge, the forms show it at the field."""

from __future__ import annotations

from typing import Any
from zoneinfo import ZoneInfo

from django import forms
from django.utils.translation import gettext_lazy as _

from scheduling import clock
from scheduling.admin.inputs import LocalMoment
from scheduling.errors import InvalidOptions, InvalidSchedule
from scheduling.jobs.edit import OF_JOB, OF_SCHEDULE, edit_schedule
from scheduling.jobs.options import HIGHEST, LONGEST_KEY, LOWEST, Options
from scheduling.models import BlackoutCalendar, Job, JobSchedule, Queue
from scheduling.states import KeyOverlap
from staging.models import owner_errors
from staging.wording import say


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


class EnqueueForm(forms.Form):
    """Whether a job is enqueued, as code does it, instead of started under its guard; and when and where then."""

    beside = forms.BooleanField(
        required=False,
        label=_("Enqueue it"),
        help_text=_("It works beside other runs of this job. What is said below enqueues it, too."),
    )
    key = forms.CharField(
        required=False,
        max_length=LONGEST_KEY,
        label=_("Key"),
        help_text=_("Of this job only one of this key is queued or runs."),
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    overlap = forms.ChoiceField(
        required=False, choices=KeyOverlap.choices, label=_("When there is one of this key already")
    )
    queue = forms.ModelChoiceField(
        Queue.objects.filter(is_cancelled=False),
        required=False,
        to_field_name="name",
        empty_label=_("that of the job"),
        label=_("Queue"),
    )
    priority = forms.IntegerField(
        required=False,
        min_value=LOWEST,
        max_value=HIGHEST,
        label=_("Priority"),
        help_text=_("Higher goes first when a queue is full. Empty: that of the job."),
    )
    field_order = ("beside", "at", "key", "overlap", "queue", "priority")

    def __init__(self, data: Any = None, *, zone: ZoneInfo):
        """Read its time in `zone`."""
        super().__init__(data, prefix="enqueue")
        self.fields["at"] = LocalMoment(
            zone=zone,
            required=False,
            label=say("Not before ({zone})", zone=zone.key),
            help_text=say("Until then it waits and holds no worker. Empty: it starts at once."),
        )
        self.order_fields(self.field_order)

    def options(self) -> Options | None:
        """Return what was asked for; None when it is not to be enqueued. Only for a valid form."""
        given = {name: value for name, value in self.cleaned_data.items() if value not in (None, "")}  # 0 is a priority
        is_beside, overlap = given.pop("beside"), given.pop("overlap", None)
        is_asked = is_beside or bool(given)
        if "queue" in given:
            given["queue"] = given["queue"].name
        if overlap and "key" in given:
            given["overlap"] = overlap
        return Options(**given) if is_asked else None  # type: ignore[typeddict-item]

    def refuse(self, error: InvalidOptions) -> None:
        """Show each fault at its field."""
        for name, texts in error.errors.items():
            for text in texts:
                self.add_error(name if name in self.fields else None, text)


class JobScheduleForm(forms.ModelForm):
    """Whether a schedule is on, how much later it may start, and which times are dark for it."""

    is_enabled = forms.BooleanField(required=False, label=_("Enabled"))
    calendar = forms.ModelChoiceField(
        BlackoutCalendar.objects.all(), required=False, empty_label=_("none"), label=_("Blackout calendar")
    )

    class Meta:
        model = JobSchedule
        fields = OF_SCHEDULE
        labels = {"jitter_seconds": _("Starts up to so much later (seconds)")}

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
