"""What the forms of all schedules share: friendly inputs, the rules at each field, and what the values would do."""

from __future__ import annotations

import copy
from collections.abc import Collection, Sequence
from datetime import datetime
from hashlib import sha256
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.forms.models import model_to_dict
from django.utils.translation import gettext_lazy, gettext_noop
from django.utils.translation import gettext_lazy as _

from scheduling import clock
from scheduling.admin.inputs import Boxes, Clock, Day, LocalText, WholeNumber, ZoneSelect, known_zones, zone_of, zones
from scheduling.cadence.resolve import local
from scheduling.forecast.preview import preview_schedule
from scheduling.forecast.values import HELD, ROLLED
from scheduling.formatters import fire_words, since
from scheduling.models import Schedule
from scheduling.schedules.change import with_mode
from scheduling.schedules.choices import MONTH_DAYS, MONTHS, WEEKDAYS, WEEKS_OF_MONTH
from scheduling.schedules.rules import judged, schedule_errors
from scheduling.schedules.settings import SETTINGS, TABLE, Setting, used_by
from scheduling.states import ScheduleType
from staging.models import Entity
from staging.wording import say

# What is said of a slot that does not simply run.
_NOTES = {HELD: gettext_noop("does not run: blackout"), ROLLED: gettext_noop("after the blackout")}
_CHANGED_MEANWHILE = gettext_noop(
    "Somebody else changed this configuration since you opened it; nothing was saved. Reload the page to see it."
)


def settings_of(schedule: Schedule) -> dict[str, Any]:
    """Return what a person set on this schedule, in memory; what its kind does not have is not in it."""
    found = {name: getattr(schedule, name) for name in SETTINGS if hasattr(schedule, name)}
    return with_mode(found, True) if schedule.after_others else found


def fingerprint(settings: dict[str, Any]) -> str:
    """Return a short text that differs when any setting does; the form carries the one it was opened with."""
    return sha256(repr(sorted(settings.items())).encode()).hexdigest()[:32]


def _local_text(configuration: Schedule) -> str:
    """Return the first moment of an interval as the browser's input takes it, empty when there is none."""
    if configuration.interval_start is None:
        return ""
    moment = local(configuration.interval_start, zone_of(configuration.timezone))
    return moment.isoformat("T", "seconds" if moment.second else "minutes")


def _describe(field: forms.Field, setting: Setting) -> None:
    """Give a field what its setting says: its label, its help, and the limits of its number."""
    field.label, field.help_text = say(setting.label), say(setting.help) or field.help_text
    field.widget.attrs |= dict(zip(("min", "max"), setting.read.limits, strict=False))


class ScheduleForm(forms.ModelForm):
    """Every field is optional here: what a mode needs is said by the rules of `schedules`, with the same messages.

    A form of one kind of schedule adds that kind's own fields, says its `mode`, and names its fields in `Meta`.
    """

    is_enabled = forms.BooleanField(label=gettext_lazy("Enabled"))
    schedule_type = forms.ChoiceField(choices=[("", _("choose …")), *ScheduleType.choices])
    timezone = forms.ChoiceField(choices=zones, widget=ZoneSelect)
    interval_minutes = WholeNumber()
    interval_start = LocalText()
    window_start = Clock()
    window_end = Clock()
    run_days = Boxes(choices=WEEKDAYS)
    run_weeks_of_month = forms.ChoiceField(choices=[("", _("choose …")), *WEEKS_OF_MONTH])
    run_months = Boxes(choices=MONTHS)
    run_once_at = LocalText()
    every_n_months = WholeNumber()
    anchor_date = Day()
    catch_up_limit = WholeNumber()
    catch_up_window_minutes = WholeNumber()
    every_n_weeks = WholeNumber()
    run_days_of_month = Boxes(choices=MONTH_DAYS)
    run_times = forms.CharField(max_length=TABLE["run_times"].longest)
    cron_expression = forms.CharField(max_length=TABLE["cron_expression"].longest)
    starts_on = Day()
    ends_on = Day()

    seen = forms.CharField(required=False, max_length=64, widget=forms.HiddenInput)

    class Meta:
        labels = {column: gettext_lazy(setting.label) for column, setting in TABLE.items()}

    def __init__(self, *args: Any, **kwargs: Any):
        """Require nothing, and offer a stored zone even when this machine does not know it.

        The form of what is not stored yet opens with the defaults of its model.
        """
        super().__init__(*args, **kwargs)
        if self.instance.pk is None:
            self.initial = {**model_to_dict(self.instance, self._settable), **self.initial}
        for name, field in self.fields.items():
            field.required = False
            if name in TABLE:
                _describe(field, TABLE[name])
        zone = self.fields.get("timezone")
        if isinstance(zone, forms.ChoiceField) and self.instance.timezone not in known_zones():
            zone.choices = [(self.instance.timezone, self.instance.timezone), *zones()]
        self._before: Schedule | None = None
        self._after: Schedule | None = None
        self._stored = settings_of(self.instance)
        self.now = clock.now()
        self._shown_start = _local_text(self.instance)
        self.initial["interval_start"] = (kwargs.get("initial") or {}).get("interval_start", self._shown_start)
        self._mark = fingerprint(self._marked())
        self.fields["seen"].initial = self._mark

    def _marked(self) -> dict[str, Any]:
        """Return what nobody else may have changed since the form was opened."""
        return self._stored

    def mode(self) -> str:
        """Return the mode that the values come to; empty when none was chosen."""
        raise NotImplementedError

    def complete(self) -> dict[str, Any]:
        """Return the stored settings with the values over them, as the rules judge them."""
        return {**self._stored, **self.values()}

    def values(self) -> dict[str, Any]:
        """Return the settings that the chosen mode uses, as `schedules` takes them; valid or not."""
        found = self.cleaned_data
        used = used_by(self.mode(), found.get("schedule_type", ""))
        # A script that hides the schedule sends no zone: the stored one stays.
        values = {name: found[name] for name in used if name in found and (name != "timezone" or found[name])}
        if "interval_start" in values and self._start_is_untouched(values):
            values["interval_start"] = self._stored["interval_start"]
        return values

    def _start_is_untouched(self, values: dict[str, Any]) -> bool:
        """Return whether the first moment is as it was shown: local text cannot tell the second copy of an hour."""
        same_zone = values.get("timezone", self._stored["timezone"]) == self._stored["timezone"]
        return bool(self._shown_start) and same_zone and values["interval_start"] == self._shown_start

    def clean(self) -> dict[str, Any]:
        """Hold the values against the rules, each message at its field."""
        found = super().clean() or self.cleaned_data
        if found.get("seen") not in (None, "", self._mark):
            self.add_error(None, ValidationError(say(_CHANGED_MEANWHILE)))
        if self.mode():
            for field, texts in schedule_errors(self.complete(), now=self.now, before=self._stored).items():
                if field not in self.errors:
                    self.add_error(field if field in self.fields else None, self._in_its_words(field, texts))
        return found

    def _in_its_words(self, field: str, texts: Sequence[str]) -> list[ValidationError]:
        """Return the messages of a rule; who left a choice open reads its choices on the form, not those of files."""
        if type(self.fields.get(field)) is forms.ChoiceField and not self.cleaned_data.get(field):
            texts = [say("Choose one.")]
        return [ValidationError(text) for text in texts]

    def _post_clean(self) -> None:
        """Leave the instance alone: the rules judged the values, and `apply_schedule` stores them on a fresh copy."""

    def wanted(self) -> dict[str, Any]:
        """Return all settings as a save would store them; only for a valid form."""
        return judged(self.complete())[0]

    def note_before(self, configuration: Schedule) -> None:
        """Remember the settings before the save."""
        self._before = copy.copy(configuration)

    def note_after(self, configuration: Schedule) -> None:
        """Remember the settings after the save."""
        self._after = configuration

    def changed_settings(self) -> list[str]:
        """Return the labels of the settings whose stored value the save changed."""
        if self._before is None or self._after is None:
            return []
        return [
            str(self.fields[name].label or name)
            for name in self._settable
            if getattr(self._before, name) != getattr(self._after, name)
        ]

    @property
    def _settable(self) -> list[str]:
        """Return the columns that this form may set."""
        return list(self._meta.fields or ())


def preview_of_form(
    form: ScheduleForm, entity: Entity | None, now: datetime, *, beside: Collection[str] = ()
) -> dict[str, Any]:
    """Return what the typed values mean; what is still missing or wrong begins with the label of its field.

    `beside`: the fields that the schedule does without.
    """
    errors = {
        name: [say("{label}: {text}", label=form.fields[name].label, text=text) if name in form.fields else str(text)
               for text in texts]
        for name, texts in form.errors.items()
        if name not in beside
    }  # fmt: skip
    return {"sentence": "", "fires": [], "errors": errors} if errors else preview_of(form.wanted(), entity, now)


def preview_of(values: dict[str, Any], entity: Entity | None, now: datetime) -> dict[str, Any]:
    """Return the sentence and the next five slots of these values, as the page and its script show them."""
    found = preview_schedule(values, entity=entity, now=now)
    zone = str(values["timezone"])
    fires = [
        {
            "at": fire.at.isoformat(),
            "text": fire_words(fire.at, zone, is_own=True),
            "relative": since(fire.at, now),
            "note": say(_NOTES[fire.state]) if fire.state in _NOTES else "",
        }
        for fire in found.fires
    ]
    return {"sentence": found.sentence, "fires": fires, "errors": found.errors}
