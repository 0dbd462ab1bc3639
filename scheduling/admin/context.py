"""What every admin page shows of the scheduler: its sign of life, and on the start page how things stand."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property

from django.http import HttpRequest
from django.utils.timezone import get_current_timezone

from scheduling import clock, conf
from scheduling.admin.home import Home, home_for
from scheduling.models import Heartbeat, SchedulerState
from scheduling.templatetags.look import span


@dataclass(frozen=True)
class Pulse:
    """Whether a scheduler is at work, in words."""

    alive: bool
    text: str
    since: str = ""
    advice: str = ""


def pulse(now: datetime) -> Pulse:
    """Return the dispatcher's sign of life; it counts as dead after three intervals of silence. One query."""
    seen = Heartbeat.objects.filter(name=Heartbeat.DISPATCHER).values_list("seen_at", flat=True).first()
    if seen is None:
        return Pulse(False, "No scheduler is running", "It has never run here.", _advice())
    silence = now - seen
    if silence > 3 * conf.dispatch_interval():
        return Pulse(False, "No scheduler is running", f"Its last cycle was {span(silence)} ago.", _advice())
    return Pulse(True, f"Last cycle {span(max(silence, timedelta()))} ago")


def _advice() -> str:
    """Return what starts the scheduler in this profile."""
    if conf.is_embedded():
        return "Start it with “make run” or “manage.py run_local”, or ask your administrator."
    return "Start Celery beat and the worker of the dispatch queue, or ask your administrator."


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

    @cached_property
    def heartbeat(self) -> Pulse | None:
        """Return the scheduler's sign of life, for people who may see the admin."""
        user = getattr(self._request, "user", None)
        return pulse(self.now) if user is not None and user.is_staff else None

    @cached_property
    def pause(self) -> SchedulerState | None:
        """Return the pause of everything while there is one, for people who may see the admin."""
        user = getattr(self._request, "user", None)
        state = SchedulerState.current() if user is not None and user.is_staff else None
        return state if state is not None and state.paused_at is not None else None

    @cached_property
    def home(self) -> Home:
        """Return what the start page shows to this person."""
        return home_for(self._request, self.now)


def scheduler(request: HttpRequest) -> dict[str, SchedulerContext]:
    """Context processor: `scheduler` in every template."""
    return {"scheduler": SchedulerContext(request)}
