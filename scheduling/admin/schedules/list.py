"""What the lists of schedules show alike: when each starts, and how it went last."""

from __future__ import annotations

from django.contrib import admin
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from scheduling import clock
from scheduling.admin.schedules.pausing import PausableAdmin
from scheduling.formatters import badge, moment, since
from scheduling.models import Schedule
from scheduling.schedules.sentence import describe
from scheduling.states import RunStatus


class ScheduleAdmin(PausableAdmin):
    """The admin of one kind of schedule."""

    @admin.display(description=_("when"))
    def sentence(self, schedule: Schedule) -> str:
        """Return when it starts, in words."""
        return describe(schedule)

    @admin.display(description=_("last result"), ordering="last_result")
    def last_run(self, schedule: Schedule) -> SafeString | str:
        """Return how the last run ended, and when."""
        if not schedule.last_result:
            return badge("never ran")
        ended = schedule.last_completed_at if schedule.last_result == RunStatus.COMPLETED else None
        if ended is None:
            return badge(schedule.shown_result)
        when = moment(ended), since(ended, clock.now())
        return format_html('{} <span class="quiet-line">{} ({})</span>', badge(schedule.shown_result), *when)
