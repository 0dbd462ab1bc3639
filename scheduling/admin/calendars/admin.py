"""Blackout calendars in the admin: their periods, where they are used, when it is dark next, and the import."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from itertools import islice
from typing import Any

from django.contrib import admin
from django.db.models import Count, OuterRef, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce
from django.http import HttpRequest, HttpResponse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from scheduling import clock
from scheduling.admin.calendars.form import MOST_EDITABLE, CalendarForm, PeriodForm, PeriodFormSet
from scheduling.admin.calendars.holidays import import_page
from scheduling.admin.schedules.finding import name_of, place_of
from scheduling.cadence.blackout import Stretch
from scheduling.formatters import badge, count, fire_time
from scheduling.models import BlackoutCalendar, BlackoutPeriod, Schedule
from scheduling.models.schedule import all_schedules
from staging.pages import PagesAdmin, PartsInline
from staging.version_pages import Versioned
from staging.wording import counted

_NEXT = 10
_MOST_USERS = 100
_LOOK_AHEAD = (timedelta(days=31), timedelta(days=400))


class PeriodInline(PartsInline, admin.TabularInline):
    """The periods of a calendar; whoever may change the calendar may change them."""

    model = BlackoutPeriod
    form = PeriodForm
    formset = PeriodFormSet
    extra = 2
    verbose_name_plural = _("Periods in which nothing starts")


@admin.register(BlackoutCalendar)
class CalendarAdmin(Versioned, PagesAdmin):
    """Calendars; one that a schedule uses cannot be deleted."""

    form = CalendarForm
    inlines = (PeriodInline,)
    list_title = _("Blackout calendars")
    list_display = ("name", "description", "timezone", "slots_inside", "periods_kept", "used_by", "at_present")
    search_fields = ("name", "description")
    search_help_text = _("Search by name or description.")
    list_per_page = 50
    pages = (("<int:pk>/import/", import_page, "scheduling_blackoutcalendar_import"),)
    show_full_result_count = False

    def get_queryset(self, request: HttpRequest) -> QuerySet[BlackoutCalendar]:
        """Count the schedules of each calendar and read its periods, in as many queries for one as for many."""
        number: Any = Value(0)
        for schedules in all_schedules():
            users = schedules.filter(calendar=OuterRef("pk")).order_by().values("calendar")
            number = number + Coalesce(Subquery(users.annotate(number=Count("pk")).values("number")), 0)
        return super().get_queryset(request).annotate(users=number).prefetch_related("periods")

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> Any:
        """Return what a deletion takes along: the periods; a schedule that uses a calendar protects it."""
        calendars = list(objs)
        protected = [_user_sentence(user) for user in _users(calendars)[:_MOST_USERS]]
        periods = BlackoutPeriod.objects.filter(calendar__in=calendars).count()
        counts = {self.opts.verbose_name_plural: len(calendars), BlackoutPeriod._meta.verbose_name_plural: periods}
        return [str(calendar) for calendar in calendars], counts, set(), protected

    def render_change_form(self, request: HttpRequest, context: Any, *args: Any, **kwargs: Any) -> HttpResponse:
        """Show with the form when it is dark next and who uses the calendar."""
        calendar = kwargs.get("obj")
        if calendar is not None:
            now = clock.now()
            context |= {
                "calendar": calendar,
                "stretches": next_stretches(calendar, now),
                "used_in": used_in(calendar),
                "users_left": max(calendar.users - _MOST_USERS, 0),
                "periods_hidden": max(len(calendar.periods.all()) - MOST_EDITABLE, 0),
                "may_change": self.has_change_permission(request, calendar),
                "now": now,
            }
        return super().render_change_form(request, context, *args, **kwargs)

    @admin.display(description=_("slots inside"), ordering="policy")
    def slots_inside(self, calendar: BlackoutCalendar) -> str:
        return calendar.get_policy_display()

    @admin.display(description=_("periods"))
    def periods_kept(self, calendar: BlackoutCalendar) -> str:
        """Return how many periods it has."""
        return count(len(calendar.periods.all()))

    @admin.display(description=_("used by"), ordering="users")
    def used_by(self, calendar: Any) -> str:
        """Return how many schedules use it."""
        return counted(calendar.users, "schedule", "schedules")

    @admin.display(description=_("now"))
    def at_present(self, calendar: BlackoutCalendar) -> SafeString | str:
        """Return whether it is dark now, and until when."""
        end = dark_until(calendar, clock.now())
        if end is None:
            return badge("open")
        shown = fire_time(end, calendar.timezone)
        return format_html(
            '{} <span class="quiet-line">{}</span>', badge("dark"), format_html(gettext("until {end}"), end=shown)
        )


def _user_sentence(user: Schedule) -> SafeString:
    """Return who protects a calendar, with the way there."""
    link = format_html('<a href="{}">{}</a>', place_of(user), user.label)
    return format_html(gettext("{user} uses {calendar}"), user=link, calendar=user.calendar)


def _users(calendars: Iterable[BlackoutCalendar]) -> list[Schedule]:
    """Return the schedules of every kind that use one of the calendars, by name."""
    found = [user for schedules in all_schedules() for user in schedules.filter(calendar__in=calendars).readable()]
    return sorted(found, key=lambda user: name_of(user).lower())


def dark_until(calendar: BlackoutCalendar, now: datetime) -> datetime | None:
    """Return when the blackout around now ends; None outside, and for a calendar whose zone is not known here."""
    try:
        return calendar.blackout().end_of(now)
    except (KeyError, ValueError):
        return None


def next_stretches(calendar: BlackoutCalendar, now: datetime) -> list[Stretch]:
    """Return the next dark stretches, the present one first; what lies further than 400 days is not looked for."""
    found: list[Stretch] = []
    try:
        for ahead in _LOOK_AHEAD:
            found = list(islice(calendar.blackout().between(now, now + ahead), _NEXT))
            if len(found) == _NEXT:
                break
    except (KeyError, ValueError):
        return []
    return found


def used_in(calendar: BlackoutCalendar) -> list[tuple[str, str, Schedule]]:
    """Return the schedules that use the calendar, by name: where each is, what it is called."""
    return [(place_of(user), name_of(user), user) for user in _users([calendar])[:_MOST_USERS]]
