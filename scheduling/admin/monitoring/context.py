"""What every admin page shows of the scheduler: its sign of life, and on the start page how things stand."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any

from django.http import HttpRequest
from django.urls import reverse
from django.utils.timezone import get_current_timezone

from scheduling import clock, conf
from scheduling.admin.monitoring.home import Home
from scheduling.admin.schedules.bulk import UNFINISHED
from scheduling.admin.schedules.pausing import may_pause_everything
from scheduling.admin.times.choices import chosen_by, has_shortcuts, others
from scheduling.doctor.life import how_to_start
from scheduling.formatters import span
from scheduling.models import BulkAction, SchedulerState, SiteFacts
from scheduling.states import TimesShown
from staging.rights import reach
from staging.wording import say

_SHOWN = 3


@dataclass(frozen=True)
class SchedulerHealth:
    """Whether a scheduler is at work, in words."""

    alive: bool
    text: str
    since: str = ""
    advice: str = ""


def pulse(seen: datetime | None, now: datetime) -> SchedulerHealth:
    """Return the dispatcher's sign of life in words; it counts as dead after three intervals of silence."""
    if seen is None:
        return SchedulerHealth(False, say("No scheduler is running"), say("It has never run here."), how_to_start())
    silence = now - seen
    if silence > conf.cycle_silence():
        return SchedulerHealth(
            False,
            say("No scheduler is running"),
            say("Its last cycle was {span} ago.", span=span(silence)),
            how_to_start(),
        )
    return SchedulerHealth(True, say("Last cycle {span} ago", span=span(max(silence, timedelta()))))


class SchedulerContext:
    """Read by templates as `scheduler`; nothing is queried before a template asks for it."""

    def __init__(self, request: HttpRequest):
        self._request = request

    @cached_property
    def now(self) -> datetime:
        """Return the instant this page was asked for."""
        return clock.now()

    @property
    def zone(self) -> str:
        """Return the name of the zone in which pages show instants, said once per page."""
        return str(get_current_timezone())

    @property
    def may_choose_times(self) -> bool:
        """Return whether this is somebody with choices of their own."""
        return self._is_staff and self._request.user.has_perm("scheduling.view_schedulerconfiguration")

    @property
    def may_search(self) -> bool:
        """Return whether this person finds anything with the box in the header."""
        return self.may_choose_times

    @property
    def unfinished(self) -> list[tuple[str, str]]:
        """Return what this person began to do to many things and did not finish, in words, and where it goes on.

        The session knows whether there is something, so that lists ask for it only then.
        """
        if not self._request.session.get(UNFINISHED):
            return []
        mine = BulkAction.objects.filter(person=self._request.user.pk, finished_at=None, confirmed_at__isnull=False)
        return [
            (
                say("{done:,} of {all:,}", done=each.position, all=len(each.keys)),
                reverse(f"admin:{each.model.replace('.', '_')}_chosen", args=[each.pk]),
            )
            for each in mine.order_by("-pk")[:_SHOWN]
        ]

    @property
    def has_shortcuts(self) -> bool:
        """Return whether single keys do something for this person."""
        return has_shortcuts(self._request)

    @property
    def help(self) -> str:
        """Return the address of the document about this page, for people who may read it."""
        match = getattr(self._request, "resolver_match", None)
        if match is None or not self.may_choose_times:
            return ""
        return reverse("admin:scheduling_schedulerconfiguration_help", query={"about": match.url_name or ""})

    @property
    def times(self) -> dict[str, Any]:
        """Return whose times are shown, and the buttons to change that."""
        chosen = chosen_by(self._request)
        choices = [(TimesShown.MINE, say("mine")), (TimesShown.SCHEDULES, say("schedules'")), (TimesShown.UTC, "UTC")]
        return {"shown": chosen[1] if chosen else "", "choices": choices}

    @property
    def other_languages(self) -> list[tuple[str, str]]:
        """Return the languages to which one click changes, each with its own name."""
        return others()

    @cached_property
    def heartbeat(self) -> SchedulerHealth | None:
        """Return the scheduler's sign of life, for people who may see the admin."""
        return pulse(SiteFacts.of(self._request).last_cycle, self.now) if self._is_staff else None

    @property
    def pause(self) -> SchedulerState | None:
        """Return the pause of everything while there is one, for people who may see the admin."""
        state = SiteFacts.of(self._request).state if self._is_staff else None
        return state if state is not None and state.paused_at is not None else None

    @property
    def may_pause(self) -> bool:
        """Return whether this person may pause and resume everything."""
        return self._is_staff and may_pause_everything(self._request)

    @property
    def may_cancel(self) -> bool:
        """Return whether this person may cancel everything."""
        return self._is_staff and reach(self._request.user, "scheduling.cancel_run") is None

    @property
    def _is_staff(self) -> bool:
        user = getattr(self._request, "user", None)
        return user is not None and user.is_staff

    @cached_property
    def home(self) -> Home:
        """Return what the start page shows to this person."""
        return Home(self._request, self.now)


def scheduler(request: HttpRequest) -> dict[str, SchedulerContext]:
    """Context processor: `scheduler` in every template."""
    return {"scheduler": SchedulerContext(request)}
