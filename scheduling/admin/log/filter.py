"""What the log is asked to show: whom it is about, what happened, why, when; read from the address and applied."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, cast

from django import forms
from django.db.models import Q, QuerySet
from django.http import HttpRequest, QueryDict
from django.utils.translation import gettext_lazy as _

from scheduling.admin.filter_bars import WHOSE, FilterBar, midnight, subject_named
from scheduling.models import Job, Plan, SchedulerLog
from scheduling.schedules.responsibility import only_mine
from scheduling.states import EventType, GateName, Starter
from staging.pages import seen
from staging.wording import said_together, say

PERIODS: dict[str, timedelta | None] = {
    "1h": timedelta(hours=1),
    "24h": timedelta(hours=24),
    "7d": timedelta(days=7),
    "30d": timedelta(days=30),
    "all": None,
}
DEFAULT_PERIOD, EVERYTHING = "7d", "all"
_PERIOD_LABELS = [
    ("1h", _("last hour")),
    ("24h", _("last 24 hours")),
    ("7d", _("last 7 days")),
    ("30d", _("last 30 days")),
    (EVERYTHING, _("all that is kept")),
]
_NARROWING = ("entity", "event_type", "reason", "starter", "plan", "job", "mine", "q", "at")


class LogFilter(FilterBar):
    """The filter bar of the log; without a period the last 7 days, the safety net of a big log."""

    defaults = {"period": DEFAULT_PERIOD}
    further = ("plan", "job", "mine", "reason", "starter", "at", "each")  # folded away until one of them is asked for

    entity = forms.CharField(
        label=_("Entity"),
        required=False,
        max_length=100,
        widget=forms.TextInput(attrs={"placeholder": _("code or name …")}),
    )
    event_type = forms.ChoiceField(
        required=False, label=_("Event"), choices=[("", _("all events")), *EventType.choices]
    )
    period = forms.ChoiceField(required=False, choices=_PERIOD_LABELS, label=_("Period"))
    q = forms.CharField(required=False, max_length=200, label=_("Words in the message"))
    plan = forms.ModelChoiceField(
        Plan.objects.order_by("name"), required=False, empty_label=_("all plans"), label=_("Plan")
    )
    job = forms.ModelChoiceField(
        Job.objects.order_by("name"), required=False, empty_label=_("all jobs"), label=_("Job")
    )
    reason = forms.ChoiceField(
        required=False, label=_("Held back because"), choices=[("", _("any reason")), *GateName.choices]
    )
    mine = forms.ChoiceField(required=False, label=_("Owner"), choices=WHOSE)
    starter = forms.ChoiceField(
        required=False, label=_("Started by"), choices=[("", _("whatever started it")), *Starter.choices]
    )
    at = forms.DateField(
        required=False, label=_("Jump to day"), widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
    )
    each = forms.ChoiceField(
        required=False, label=_("Equal skips"), choices=[("", _("as one line")), ("yes", _("each on its own line"))]
    )

    def __init__(self, request: HttpRequest, params: QueryDict | None = None):
        """Read the address of a page, or these parameters."""
        self._request = request
        super().__init__(request.GET if params is None else params)

    def narrow(self) -> None:
        """Offer the plans and jobs that this person may see."""
        for name in ("plan", "job"):
            field = cast("forms.ModelChoiceField[Any]", self.fields[name])
            field.queryset = seen(cast("QuerySet[Any]", field.queryset), self._request)

    @property
    def bar(self) -> list[forms.BoundField]:
        """Return the fields that are always open."""
        return [field for field in self if field.name not in self.further]

    @property
    def folded(self) -> list[forms.BoundField]:
        """Return the fields that are folded away."""
        return [self[name] for name in self.further]

    @property
    def is_unfolded(self) -> bool:
        """Return whether one of the folded fields filters, or has a complaint."""
        return any(self.cleaned_data.get(name) or name in self.errors for name in self.further)

    @property
    def narrows(self) -> bool:
        """Return whether something beside the period filters."""
        return any(self.cleaned_data.get(name) for name in _NARROWING)

    @property
    def folds(self) -> bool:
        """Return whether equal skips are one line."""
        return not self.cleaned_data.get("each")

    @property
    def may_be_slow(self) -> bool:
        """Return whether this may read through much: words have no index, and several filters have none together."""
        asked = sum(1 for name in _NARROWING if name != "at" and self.cleaned_data.get(name))
        return bool(self.cleaned_data.get("q")) or asked > 1

    @property
    def period_in_words(self) -> str:
        """Return the period as the bar names it."""
        return str(dict(_PERIOD_LABELS)[self._period])

    @property
    def is_of_everything(self) -> bool:
        """Return whether no event is too old."""
        return self._period == EVERYTHING

    @property
    def day_after(self) -> str:
        """Return the day after the one jumped to, for the pager; empty without a jump."""
        until = self._end_of_day()
        return "" if until is None else f"{until:%Y-%m-%d}"

    @property
    def in_words(self) -> str:
        """Return what is asked in the words of the bar, as the event of an export tells it."""
        asked = [(self.fields[name], value) for name, value in self.cleaned_data.items() if value]
        told = [say("{what}: {value}", what=field.label, value=_chosen(field, value)) for field, value in asked]
        return said_together(*told, by=", ") if told else say("everything")

    def apply(self, queryset: QuerySet[SchedulerLog], now: datetime) -> QuerySet[SchedulerLog]:
        """Return the events asked for. What is chosen leads an index with the time behind it; words have none."""
        found = self.cleaned_data
        if entity := found.get("entity"):
            queryset = queryset.filter(**subject_named(entity))
        for name in ("event_type", "reason", "starter", "plan", "job"):
            if value := found.get(name):
                queryset = queryset.filter(**{name: value})
        if found.get("mine"):
            queryset = only_mine(queryset, self._request.user)
        if words := found.get("q"):
            queryset = queryset.filter(Q(message__icontains=words) | Q(trigger_source__icontains=words))
        until = self._end_of_day()
        if until is not None:
            queryset = queryset.filter(event_time__lt=until)
        if length := PERIODS[self._period]:
            queryset = queryset.filter(event_time__gte=(until or now) - length)
        return queryset

    @property
    def _period(self) -> str:
        return self.cleaned_data.get("period") or DEFAULT_PERIOD

    def _end_of_day(self) -> datetime | None:
        """Return the midnight that ends the day jumped to, in the reader's zone."""
        day = self.cleaned_data.get("at")
        if day is None:
            return None
        try:
            return midnight(day + timedelta(days=1))
        except OverflowError:
            return None


def _chosen(field: forms.Field, value: Any) -> Any:
    """Return a value as its box calls it."""
    choices: dict[Any, Any] = dict(cast(Any, field.choices)) if type(field) is forms.ChoiceField else {}
    return choices.get(value, str(value))
