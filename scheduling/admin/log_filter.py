"""What the log page is asked to show: entity, event, period, words, a day; read from the address, checked, applied."""

from __future__ import annotations

from datetime import datetime, time, timedelta
from typing import Any

from django import forms
from django.db.models import Q, QuerySet
from django.http import QueryDict
from django.utils.timezone import get_current_timezone

from scheduling.admin.entity_filter import subject_named
from scheduling.models import SchedulerLog
from scheduling.states import EventType

PERIODS: dict[str, timedelta | None] = {
    "1h": timedelta(hours=1),
    "24h": timedelta(hours=24),
    "7d": timedelta(days=7),
    "30d": timedelta(days=30),
    "all": None,
}
DEFAULT_PERIOD = "7d"
_PERIOD_LABELS = [
    ("1h", "last hour"),
    ("24h", "last 24 hours"),
    ("7d", "last 7 days"),
    ("30d", "last 30 days"),
    ("all", "all that is kept"),
]


class LogFilter(forms.Form):
    """The filter bar. What is not valid is shown at its field and does not filter."""

    entity = forms.CharField(
        required=False, max_length=100, widget=forms.TextInput(attrs={"placeholder": "code, name, or plan …"})
    )
    event_type = forms.ChoiceField(required=False, label="Event", choices=[("", "all events"), *EventType.choices])
    period = forms.ChoiceField(required=False, choices=_PERIOD_LABELS)
    q = forms.CharField(required=False, max_length=200, label="Words in the message")
    at = forms.DateField(
        required=False, label="Jump to day", widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
    )

    def __init__(self, params: QueryDict):
        """Read `params`; a period that is not given is the last 7 days, the safety net of a big log."""
        asked: dict[str, Any] = {name: params.get(name, "") for name in self.base_fields}
        super().__init__({**asked, "period": asked["period"] or DEFAULT_PERIOD})
        self.full_clean()

    @property
    def asked(self) -> dict[str, str]:
        """Return the valid, non-empty choices as they stand in the address, for links that keep them."""
        return {name: str(value) for name, value in self.cleaned_data.items() if value}

    @property
    def narrows(self) -> bool:
        """Return whether something beside the period filters."""
        return any(self.cleaned_data.get(name) for name in ("entity", "event_type", "q", "at"))

    @property
    def may_be_slow(self) -> bool:
        """Return whether this reads through the messages of more than a week: text has no index."""
        length = PERIODS[self._period]
        return bool(self.cleaned_data.get("q")) and (length is None or length > timedelta(days=7))

    @property
    def period_in_words(self) -> str:
        """Return the period as the bar names it."""
        return dict(_PERIOD_LABELS)[self._period]

    @property
    def day_after(self) -> str:
        """Return the day after the one jumped to, for the pager; empty without a jump."""
        until = self._end_of_day()
        return "" if until is None else f"{until:%Y-%m-%d}"

    def apply(self, queryset: QuerySet[SchedulerLog], now: datetime) -> QuerySet[SchedulerLog]:
        """Return the events asked for. Entity and event type lead an index with the time behind them."""
        if entity := self.cleaned_data.get("entity"):
            queryset = queryset.filter(**subject_named(entity))
        if event_type := self.cleaned_data.get("event_type"):
            queryset = queryset.filter(event_type=event_type)
        if words := self.cleaned_data.get("q"):
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
        """Return the midnight that ends the day jumped to, in the site's zone."""
        day = self.cleaned_data.get("at")
        if day is None:
            return None
        try:
            return datetime.combine(day + timedelta(days=1), time(), get_current_timezone())
        except OverflowError:
            return None
