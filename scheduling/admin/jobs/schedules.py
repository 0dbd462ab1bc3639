"""The schedules of jobs: what code says of when each fires, and what users set: on or off, jitter, calendar."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext, gettext_noop
from django.utils.translation import gettext_lazy as _

from scheduling import clock
from scheduling.admin.jobs.forms import JobScheduleForm
from scheduling.admin.schedules import backfill, pausing
from scheduling.admin.schedules.bulk import BulkVerb, Hand
from scheduling.admin.schedules.chosen import as_action, chosen_page
from scheduling.admin.schedules.filters import LastResultFilter, OwnFilter, PausedWithJobFilter
from scheduling.admin.schedules.why_not import why_not_page
from scheduling.cadence.errors import CadenceError
from scheduling.formatters import badge, fire_time, paused_words, since
from scheduling.jobs.edit import OF_SCHEDULE, edit_schedule
from scheduling.models import JobSchedule
from scheduling.schedules.sentence import describe
from staging.wording import say

_NEXT = 10


class _Switch(BulkVerb[JobSchedule]):
    """Switch each on or off."""

    needs, permission = "change", "scheduling.change_{model}"
    asks_reason = True
    on: bool

    def act(self, hand: Hand, thing: JobSchedule) -> bool:
        """Switch it by the verb, and write its history."""
        if not edit_schedule(thing, {"is_enabled": self.on}, now=hand.now):
            return False
        hand.model_admin.log_change(hand.request, thing, [{"changed": {"fields": ["is_enabled"]}}])
        return True


class SwitchOn(_Switch):
    """Let each fire from now on."""

    name, words, on = "switch_on", gettext_noop("Switch on"), True
    means, did = gettext_noop("They fire from now on."), gettext_noop("Switched on: {names}.")

    def idle(self, things: Sequence[JobSchedule]) -> dict[int, str]:
        """Those that are on."""
        return {each.pk: say("it is on already") for each in things if each.is_enabled}


class SwitchOff(_Switch):
    """Keep each from firing; what runs goes on."""

    name, words, on = "switch_off", gettext_noop("Switch off"), False
    means = gettext_noop("They do not fire any more, until somebody switches them on; what runs goes on.")
    did = gettext_noop("Switched off: {names}.")

    def idle(self, things: Sequence[JobSchedule]) -> dict[int, str]:
        """Those that are off."""
        return {each.pk: say("it is off already") for each in things if not each.is_enabled}


@admin.register(JobSchedule)
class JobScheduleAdmin(pausing.PausableAdmin):
    """Schedules come and go with the code; users change what is theirs."""

    never = ("add", "delete")  # a schedule comes and goes with its code, and keeps its history
    form = JobScheduleForm
    fields = OF_SCHEDULE
    list_title = _("Job schedules")
    list_display = ("schedule", "sentence", "next_run", "last_run", "state")
    list_display_links = ("schedule",)
    list_filter = (OwnFilter, "is_enabled", "is_running", PausedWithJobFilter, LastResultFilter)
    list_select_related = ("job",)
    list_per_page = 50
    search_fields = ("job__name", "name")
    search_help_text = _("Search by the name of the job or of the schedule.")
    show_full_result_count = False
    bulk = (SwitchOn(), SwitchOff(), *pausing.BULK)
    actions = tuple(map(as_action, bulk))
    pages = (
        ("chosen/<int:number>/", chosen_page, "scheduling_jobschedule_chosen"),
        ("<int:pk>/backfill/", backfill.backfill_page, "scheduling_jobschedule_backfill"),
        ("<int:pk>/backfill/<int:backfill_id>/", backfill.backfill_shown, "scheduling_jobschedule_backfill_shown"),
        (
            "<int:pk>/backfill/<int:backfill_id>/cancel/",
            backfill.backfill_cancel,
            "scheduling_jobschedule_backfill_cancel",
        ),
        ("<int:pk>/pause/", pausing.pause_page, "scheduling_jobschedule_pause"),
        ("<int:pk>/resume/", pausing.resume_page, "scheduling_jobschedule_resume"),
        ("<int:pk>/why-not/", why_not_page, "scheduling_jobschedule_why_not"),
    )

    def has_run_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Return whether this person may let slots of it run."""
        return request.user.has_perm("scheduling.run_job", obj)

    def get_queryset(self, request: HttpRequest) -> QuerySet[JobSchedule]:
        """Show what is in force; a schedule that is gone is found through its job."""
        found = super().get_queryset(request).select_related("job")
        place = request.resolver_match.url_name if request.resolver_match else None
        return found.filter(removed_at__isnull=True) if str(place).endswith("_changelist") else found

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show the form with what code says and the next fires."""
        known = JobSchedule.objects.select_related("job", "calendar")
        schedule = known.filter(pk=object_id).first() if object_id.isdecimal() else None
        extra: dict[str, Any] = {} if schedule is None else self._context(request, schedule)
        return super().change_view(request, object_id, form_url, {**extra, **(extra_context or {})})

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Save through the verb, on a fresh copy: what code owns is never written from here."""
        edit_schedule(JobSchedule.objects.get(pk=obj.pk), form.values(), now=clock.now())

    def _context(self, request: HttpRequest, schedule: JobSchedule) -> dict[str, Any]:
        now = clock.now()
        return {
            "schedule": schedule,
            "sentence": describe(schedule),
            "next_fires": _next_fires(schedule),
            "may_change": self.has_change_permission(request),
            "may_pause": self.has_pause_permission(request) and schedule.removed_at is None,
            "may_backfill": self.has_run_permission(request) and schedule.removed_at is None,
            "backfills": backfill.backfills_of(schedule),
            "now": now,
        }

    # --- columns -----------------------------------------------------------------------------------------------------

    @admin.display(description=_("schedule"), ordering="job__name")
    def schedule(self, schedule: JobSchedule) -> str:
        return str(schedule)

    @admin.display(description=_("when"))
    def sentence(self, schedule: JobSchedule) -> str:
        """Return when it fires, in words."""
        return describe(schedule)

    @admin.display(description=_("next run"), ordering="next_scheduled_run", empty_value="")
    def next_run(self, schedule: JobSchedule) -> SafeString | str:
        """Return the next run in the schedule's own zone; or that it is off or paused, and why."""
        if not schedule.is_enabled:
            return badge("disabled")
        if (pause := schedule if schedule.paused_at is not None else schedule.paused_with) is not None:
            words: SafeString | str = paused_words(pause, schedule.timezone)
            if pause is not schedule:
                words = format_html(gettext("with its job {words}"), words=words)
            return format_html('{} <span class="quiet-line">{}</span>', badge("paused"), words)
        relative = since(schedule.next_scheduled_run, clock.now())
        shown = fire_time(schedule.next_scheduled_run, schedule.timezone)
        return format_html('{} <span class="quiet-line">{}</span>', shown, relative) if shown else ""

    @admin.display(description=_("last result"), ordering="last_result")
    def last_run(self, schedule: JobSchedule) -> SafeString | str:
        """Return how the last run ended, and when."""
        ago = since(schedule.last_completed_at, clock.now()) if schedule.last_result == "completed" else ""
        return format_html('{} <span class="quiet-line">{}</span>', badge(schedule.shown_result or "never ran"), ago)

    @admin.display(description=_("now"), ordering="is_running")
    def state(self, schedule: JobSchedule) -> SafeString | str:
        """Return whether its job runs."""
        return badge("running" if schedule.is_running else "idle")


def _next_fires(schedule: JobSchedule) -> list[Any]:
    """Return the next fires as things stand, jitter and filters included; none while it is off or paused."""
    first = schedule.next_scheduled_run
    if first is None or not schedule.is_enabled:
        return []
    try:
        cadence = schedule.cadence()
    except CadenceError:
        return [first]
    found, at = [first], first
    while cadence is not None and len(found) < _NEXT and (following := cadence.next_after(at)) is not None:
        found.append(following)
        at = following
    return found
