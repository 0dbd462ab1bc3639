"""The pages of the scheduler log: the list that can be followed, and one event with its gates. Nothing writes here."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from scheduling import clock
from scheduling.admin.keyset import OLDEST, Position, link
from scheduling.admin.log.export import export_page
from scheduling.admin.log.filter import EVERYTHING, LogFilter
from scheduling.admin.log.lines import read_lines
from scheduling.admin.log.saved import chips_for, delete_filter_page, save_filter_page, saved_filters_page
from scheduling.admin.read_only import ReadOnlyAdmin
from scheduling.admin.schedules.why_not import add_why_not_urls, why_not_url
from scheduling.lifecycle.events import gates_again, say_again
from scheduling.models import SchedulerLog
from scheduling.runs.links import note_runs
from staging.pages import may, page, shown
from staging.states import DoorKind

LIVE_SECONDS = 5
_TOLD_ELSEWHERE = ("gates", "said", "gate", "reason", "version_id")


@admin.register(SchedulerLog)
class LogAdmin(ReadOnlyAdmin):
    """The log list and one event with its gates."""

    list_title = _("Scheduler log")
    pages = (
        ("export/", export_page, "scheduling_schedulerlog_export"),
        ("filters/", saved_filters_page, "scheduling_schedulerlog_filters"),
        ("filters/save/", save_filter_page, "scheduling_schedulerlog_save_filter"),
        ("filters/delete/", delete_filter_page, "scheduling_schedulerlog_delete_filter"),
    )

    @page("view")
    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Show one page of the log, or only its lines to who follows it; its cost does not depend on its size."""
        asked = LogFilter(request)
        context = lines_of(asked, self.get_queryset(request), request)
        if request.GET.get("lines") == "only":
            return render(request, "scheduling/log_lines.html", context)
        is_newest = not (request.GET.get("older") or request.GET.get("newer") or asked.day_after)
        return shown(
            self,
            request,
            "scheduling/log_list.html",
            title=str(self.list_title),
            chips=chips_for(request, asked),
            may_export=may(self, request, "scheduling.export_schedulerlog"),
            may_share=may(self, request, "scheduling.share_filters"),
            asked_query=link(asked.asked),
            poll=link(asked.asked, lines="only") if is_newest else "",
            live_seconds=LIVE_SECONDS,
            **context,
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
        say_again([event])
        subject = event.entity or event.plan or event.job or "scheduler"
        return shown(
            self,
            request,
            "scheduling/log_event.html",
            title=f"{event.get_event_type_display().capitalize()}: {subject}",
            event=event,
            why_not_url=why_not_url(event),
            around_url=around(event),
            gates=gates_again(details.get("gates")),
            facts={name: _fact(name, value) for name, value in details.items() if name not in _TOLD_ELSEWHERE},
        )


def _fact(name: str, value: Any) -> Any:
    """Return a fact that is a choice in the words of the choice, any other as it is noted."""
    return dict(DoorKind.choices).get(value, value) if name == "door" and isinstance(value, str) else value


def lines_of(asked: LogFilter, events: QuerySet[SchedulerLog], request: HttpRequest) -> dict[str, Any]:
    """Return what the lines of a page and its pager show."""
    now = clock.now()
    known = asked.apply(events.prefetch_related("entity", "plan", "job").defer("details"), now)
    lines, found, problem = read_lines(known, request.GET.dict(), folds=asked.folds, is_bounded=asked.may_be_slow)
    say_again(line.event for line in lines)
    add_why_not_urls(line.event for line in lines)
    note_runs(request, (line.event.run_id for line in lines))
    return {
        "filter": asked,
        "lines": lines,
        "page": found,
        "problem": problem,
        "now": now,
        "newer_url": link(asked.asked, newer=found.newer) if found.newer else "",
        "older_url": link(asked.asked, older=found.older) if found.older else "",
        "oldest_url": link(asked.asked, newer=str(OLDEST)) if found.older else "",
        "day_after_url": link(asked.asked, at=asked.day_after) if asked.day_after else "",
        "newest_url": link(asked.asked, at=None),
        "month_url": link(asked.asked, period="30d"),
        "each_url": link(asked.asked, each="yes"),
    }


def around(event: SchedulerLog) -> str:
    """Return the address of the page of the log that begins with an event, of all that is kept."""
    just_after = Position(event.pk + 1, event.event_time)
    return reverse("admin:scheduling_schedulerlog_changelist") + link({"period": EVERYTHING, "older": str(just_after)})
