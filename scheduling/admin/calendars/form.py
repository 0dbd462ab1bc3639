"""The form of a blackout calendar with its periods; the rules of `schedules.calendars` speak at each field."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.db.models import Q
from django.forms.models import BaseInlineFormSet
from django.utils.timezone import get_current_timezone
from django.utils.translation import gettext_lazy as _

from scheduling import clock
from scheduling.admin.inputs import Boxes, Clock, Day, ZoneSelect, known_zones, zones
from scheduling.models import BlackoutCalendar, BlackoutPeriod
from scheduling.schedules.calendars import EMPTY_PERIOD, calendar_errors, judged_period, period_value
from scheduling.schedules.choices import SHORT_WEEKDAYS
from scheduling.states import BlackoutPolicy, PeriodKind
from staging.wording import say

# A calendar may hold thousands of imported days; a form of so many could neither be read nor sent.
MOST_EDITABLE = 200
_FACTS = ("name", "timezone", "policy")


class CalendarForm(forms.ModelForm):
    """Name, zone and policy."""

    timezone = forms.ChoiceField(
        label=_("Time zone"),
        choices=zones,
        widget=ZoneSelect,
        initial=lambda: str(get_current_timezone()),
        help_text=_("Its days begin and end at midnight in this zone."),
    )
    policy = forms.ChoiceField(
        label=_("Slots inside"),
        choices=BlackoutPolicy.choices,
        widget=forms.RadioSelect,
        initial=BlackoutPolicy.SKIP,
        help_text=_("Entities that wait for data wait until the end in either case."),
    )

    class Meta:
        model = BlackoutCalendar
        fields = ["name", "description", "timezone", "policy"]

    def __init__(self, *args: Any, **kwargs: Any):
        """Offer a stored zone even when this machine does not know it."""
        super().__init__(*args, **kwargs)
        stored, field = self.instance.timezone, self.fields.get("timezone")
        if isinstance(field, forms.ChoiceField) and stored not in known_zones():
            field.choices = [(stored, stored), *zones()]

    def clean(self) -> dict[str, Any]:
        """Hold the calendar's own facts against the rules."""
        found = super().clean() or self.cleaned_data
        for field, texts in calendar_errors({name: found.get(name) for name in _FACTS if name in found}, ()).items():
            if field in self.fields and field not in self.errors:
                self.add_error(field, [ValidationError(text) for text in texts])
        return found


class PeriodForm(forms.ModelForm):
    """One period; what its kind does not use is ignored and stored empty."""

    kind = forms.ChoiceField(label=_("What"), choices=PeriodKind.choices, initial=PeriodKind.DAYS)
    first_day = Day(label=_("First day"))
    last_day = Day(label=_("Last day"))
    run_days = Boxes(label=_("Days of the week"), required=False, choices=SHORT_WEEKDAYS)
    window_start = Clock(label=_("From"))
    window_end = Clock(label=_("Until"))
    note = forms.CharField(label=_("Note"), required=False, max_length=100, widget=forms.TextInput(attrs={"size": 18}))

    class Meta:
        model = BlackoutPeriod
        fields = list(EMPTY_PERIOD)

    def __init__(self, *args: Any, **kwargs: Any):
        """Name each input for those who do not see the head of its column."""
        super().__init__(*args, **kwargs)
        for name, field in self.fields.items():
            if name in EMPTY_PERIOD and name != "run_days":
                field.widget.attrs["aria-label"] = str(field.label)

    def clean(self) -> dict[str, Any]:
        """Hold the period against the rules and take its stored form."""
        found = super().clean() or self.cleaned_data
        values = {column: found[column] for column in EMPTY_PERIOD if column in found}
        stored, errors = judged_period(values)
        for column, texts in errors.items():
            if column not in self.errors:
                self.add_error(column, [ValidationError(text) for text in texts])
        return found if self.errors else {**found, **stored}


class PeriodFormSet(BaseInlineFormSet):
    """All periods of a calendar; of very many, those that still matter."""

    def add_fields(self, form: Any, index: int | None) -> None:
        """Name the box that deletes a line, too."""
        super().add_fields(form, index)
        if "DELETE" in form.fields:
            form.fields["DELETE"].widget.attrs["aria-label"] = say("Delete this period")

    def get_queryset(self) -> Any:
        """Return the periods to show. What was sent is looked up among all: what matters may have changed since."""
        if not hasattr(self, "_queryset"):
            found = super().get_queryset()
            self.hidden = max(found.count() - MOST_EDITABLE, 0) if self.instance.pk and not self.is_bound else 0
            if self.hidden:
                self._queryset = self._that_matter(found)
        return super().get_queryset()

    def _that_matter(self, periods: Any) -> Any:
        """Return what recurs, then what is yet to come, soonest first, as many as one form takes."""
        today = clock.now().date()
        coming = Q(last_day__gte=today) | Q(last_day__isnull=True, first_day__gte=today)
        recurring = list(periods.exclude(kind=PeriodKind.DAYS)[:MOST_EDITABLE])
        days = periods.filter(coming, kind=PeriodKind.DAYS).order_by("first_day", "id")
        shown = [*recurring, *days[: MOST_EDITABLE - len(recurring)]]
        return periods.filter(pk__in=[period.pk for period in shown])

    def clean(self) -> None:
        """Refuse a calendar in which nothing could ever start."""
        super().clean()
        gone = self.deleted_forms
        kept = [form for form in self.forms if form not in gone]
        if any(form.errors for form in kept):
            return
        errors = calendar_errors({name: getattr(self.instance, name) for name in _FACTS}, self._values(kept))
        if "periods" in errors:
            raise ValidationError(errors["periods"])

    def _values(self, kept: list[Any]) -> list[Any]:
        """Return the periods as they would stand after the save: those of the form, and those it did not show."""
        sent = {form.instance.pk for form in self.forms if form.instance.pk}
        unseen = [period.value() for period in self.get_queryset() if period.pk not in sent]
        changed = [period_value(form.cleaned_data) for form in kept if form.has_changed()]
        same = [form.instance.value() for form in kept if form.instance.pk and not form.has_changed()]
        return [*unseen, *changed, *same]
