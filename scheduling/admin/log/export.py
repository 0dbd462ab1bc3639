"""The log as a file: what the filter shows, as CSV, for whoever may take it away; the log tells that somebody did."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.contrib.admin import ModelAdmin
from django.db.models import QuerySet
from django.http import HttpRequest, StreamingHttpResponse
from django.utils.translation import gettext_noop

from scheduling import clock
from scheduling.admin.keyset import read_page
from scheduling.admin.log.filter import LogFilter
from scheduling.lifecycle import events
from scheduling.models import SchedulerLog
from scheduling.states import EventType, Starter
from staging.exports import csv
from staging.pages import DO, page
from staging.rights import reach, visible
from staging.versions.audit import note_export
from staging.wording import say

_ROWS_AT_ONCE = 1_000
_VIEW, EXPORT = "scheduling.view_schedulerlog", "scheduling.export_schedulerlog"
_HEAD = (
    gettext_noop("event"),
    gettext_noop("time"),
    gettext_noop("entity"),
    gettext_noop("plan"),
    gettext_noop("job"),
    gettext_noop("kind"),
    gettext_noop("held back because"),
    gettext_noop("started by"),
    gettext_noop("message"),
    gettext_noop("rows"),
    gettext_noop("milliseconds"),
    gettext_noop("run"),
    gettext_noop("batch"),
)


@page("view", EXPORT, methods=DO)
def export_page(model_admin: ModelAdmin[SchedulerLog], request: HttpRequest) -> StreamingHttpResponse:
    """Send every event that the filter of the address shows, newest first, and record who took what."""
    asked, now = LogFilter(request), clock.now()
    theirs = visible(SchedulerLog.objects.all(), reach(request.user, _VIEW, EXPORT))
    known = asked.apply(theirs.filter(event_time__lt=now), now).prefetch_related("entity", "plan", "job")
    person = request.user.get_username()
    events.record(
        EventType.EXPORTED,
        now=now,
        trigger_source=person,
        starter=Starter.PERSON,
        message=say("The log was downloaded by {person}: {what}.", person=person, what=asked.in_words),
    )
    note_export(request, say("The scheduler log: {what}", what=asked.in_words))
    head = [say(name) for name in _HEAD]
    file = csv.write_csv(map(_cells, _walk(known.defer("details"))), head)
    response = StreamingHttpResponse(file, content_type=csv.CONTENT_TYPE)
    response["Content-Disposition"] = f'attachment; filename="scheduler-log-{now:%Y%m%d-%H%M%S}.csv"'
    return response


def _walk(known: QuerySet[SchedulerLog]) -> Iterator[SchedulerLog]:
    """Yield events a page at a time: no statement lasts longer than its page."""
    older: str | None = ""
    while older is not None:
        found = read_page(known, {"older": older}, time_field="event_time", size=_ROWS_AT_ONCE)
        yield from found.rows
        older = found.older


def _cells(event: SchedulerLog) -> list[Any]:
    return [
        event.pk,
        event.event_time,
        event.entity.code if event.entity else None,
        event.plan.name if event.plan else None,
        event.job.name if event.job else None,
        event.event_type,
        event.reason,
        event.trigger_source,
        event.message,
        event.rows_queued,
        event.duration_ms,
        event.run_id,
        event.batch_id,
    ]
