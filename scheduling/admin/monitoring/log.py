"""The scheduler log as people read it: newest first, by position, filtered, and never written here."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django import forms
from django.contrib import admin
from django.db import OperationalError, connection, transaction
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop

from scheduling import clock
from scheduling.admin.filter_bars import FilterBar, midnight, subject_named
from scheduling.admin.keyset import Page, link, read_page
from scheduling.admin.read_only import ReadOnlyAdmin
from scheduling.admin.schedules.why_not import add_why_not_urls, why_not_url
from scheduling.models import SchedulerLog
from scheduling.runs.links import note_runs
from scheduling.states import EventType
from staging.pages import page, shown
from staging.wording import say

PERIODS: dict[str, timedelta | None] = {
    "1h": timedelta(hours=1),
    "24h": timedelta(hours=24),
    "7d": timedelta(days=7),
    "30d": timedelta(days=30),
    "all": None,
}
DEFAULT_PERIOD = "7d"
_PERIOD_LABELS = [
    ("1h", _("last hour")),
    ("24h", _("last 24 hours")),
    ("7d", _("last 7 days")),
    ("30d", _("last 30 days")),
    ("all", _("all that is kept")),
]


class LogFilter(FilterBar):
    """The filter bar of the log; without a period the last 7 days, the safety net of a big log."""

    defaults = {"period": DEFAULT_PERIOD}

    entity = forms.CharField(
        required=False, max_length=100, widget=forms.TextInput(attrs={"placeholder": _("code, name, or plan …")})
    )
    event_type = forms.ChoiceField(
        required=False, label=_("Event"), choices=[("", _("all events")), *EventType.choices]
    )
    period = forms.ChoiceField(required=False, choices=_PERIOD_LABELS)
    q = forms.CharField(required=False, max_length=200, label=_("Words in the message"))
    at = forms.DateField(
        required=False, label=_("Jump to day"), widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
    )

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
        return str(dict(_PERIOD_LABELS)[self._period])

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
            return midnight(day + timedelta(days=1))
        except OverflowError:
            return None


_TOO_SLOW = gettext_noop("That search took too long. Choose a shorter period, an entity or an event.")


@admin.register(SchedulerLog)
class LogAdmin(ReadOnlyAdmin):
    """The log list and one event with its gates."""

    @page("view")
    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Show one page of the log; its cost does not depend on the size of the log."""
        asked = LogFilter(request.GET)
        known = self.get_queryset(request).select_related("entity", "plan", "job").defer("details")
        events = asked.apply(known, clock.now())
        found, problem = _read(events, request, bounded=asked.may_be_slow)
        add_why_not_urls(found.rows)
        note_runs(request, (event.run_id for event in found.rows))
        return shown(
            self,
            request,
            "scheduling/log_list.html",
            title=say("Scheduler log"),
            filter=asked,
            page=found,
            problem=problem,
            newer_url=link(asked.asked, newer=found.newer) if found.newer else "",
            older_url=link(asked.asked, older=found.older) if found.older else "",
            day_after_url=link(asked.asked, at=asked.day_after) if asked.day_after else "",
            newest_url=link(asked.asked, at=None),
            month_url=link(asked.asked, period="30d"),
        )

    @page("view")
    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show one event with the gates that were measured."""
        event = self.get_object(request, object_id)
        if event is None:
            return self.gone(request, object_id)
        details = event.details if isinstance(event.details, dict) else {}
        subject = event.entity or event.plan or event.job or "scheduler"
        return shown(
            self,
            request,
            "scheduling/log_event.html",
            title=f"{event.get_event_type_display().capitalize()}: {subject}",
            event=event,
            why_not_url=why_not_url(event),
            gates=details.get("gates", []),
            facts={name: value for name, value in details.items() if name not in ("gates", "said")},
        )


def _read(events: QuerySet[SchedulerLog], request: HttpRequest, *, bounded: bool) -> tuple[Page[SchedulerLog], str]:
    """Return the page and what went wrong. When `bounded`, PostgreSQL gets two seconds for it, no more."""
    params = request.GET.dict()
    if not (bounded and connection.vendor == "postgresql"):
        return read_page(events, params, time_field="event_time"), ""
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET LOCAL statement_timeout = '2s'")
            return read_page(events, params, time_field="event_time"), ""
    except OperationalError:
        return Page([], None, None), say(_TOO_SLOW)
