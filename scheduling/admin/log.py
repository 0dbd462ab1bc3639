"""The scheduler log as people read it: newest first, by position, filtered, and never written here."""

from typing import Any

from django.contrib import admin
from django.db import OperationalError, connection, transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse

from scheduling import clock
from scheduling.admin.keyset import Page, link, read_page
from scheduling.admin.log_filter import LogFilter
from scheduling.admin.read_only import ReadOnlyAdmin
from scheduling.admin.why_not_page import add_why_not_urls, why_not_url
from scheduling.models import SchedulerLog
from staging.pages import page, shown

_TOO_SLOW = "That search took too long. Choose a shorter period, an entity or an event."


@admin.register(SchedulerLog)
class LogAdmin(ReadOnlyAdmin):
    """The log list and one event with its gates."""

    @page("view")
    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Show one page of the log; its cost does not depend on the size of the log."""
        asked = LogFilter(request.GET)
        events = asked.apply(SchedulerLog.objects.select_related("entity", "plan", "job").defer("details"), clock.now())
        found, problem = _read(events, request, bounded=asked.may_be_slow)
        add_why_not_urls(found.rows)
        return shown(
            self,
            request,
            "scheduling/log_list.html",
            title="Scheduler log",
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
            facts={name: value for name, value in details.items() if name != "gates"},
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
        return Page([], None, None), _TOO_SLOW
