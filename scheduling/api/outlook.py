"""What lies ahead and what is now: the forecast, a simulation on a virtual clock, the state of all, and its cancel."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from scheduling import clock as database_clock
from scheduling import conf
from scheduling.api.base import SchedulingResource
from scheduling.api.processing import instant_of
from scheduling.explanations.situation import situation
from scheduling.forecast.forecast import forecast
from scheduling.kinds import KINDS, usual_runs
from scheduling.models import SchedulerState
from scheduling.runs.cancel import cancel_everything
from scheduling.schedules.responsibility import own_whats
from scheduling.simulation.arrivals import Arrival, arrivals_of
from scheduling.simulation.grid import Grid
from scheduling.simulation.simulate import simulate
from staging.api.kit.doors import APART, Answer, Body, door
from staging.api.kit.parameters import MINE, Parameter
from staging.api.kit.problems import invalid
from staging.model_files.shape import LIST, TEXT
from staging.models import Entity
from staging.states import Scope
from staging.wording import say

_LOOKS = "scheduling.view_schedulerconfiguration"
_TEXT = {"type": "string"}
_INSTANT = {"type": "string", "format": "date-time"}
_ROWS = {"type": "array", "items": {"type": "object"}}
_NOTES = {"type": "array", "items": _TEXT}
_FORECAST = {
    "type": "object",
    "required": ["from", "until", "fires", "not_fired", "notes"],
    "properties": {
        "from": _INSTANT,
        "until": _INSTANT,
        "shown_until": _INSTANT,
        **dict.fromkeys(("fires", "not_fired", "running", "load", "quiet", "when_data_arrives"), _ROWS),
        "notes": _NOTES,
    },
}
_SIMULATION = {
    "type": "object",
    "required": ["from", "until", "cycles", "fires", "not_fired", "notes"],
    "properties": {
        "from": _INSTANT,
        "until": _INSTANT,
        "cycles": {"type": "integer"},
        "fires": _ROWS,
        "not_fired": _ROWS,
        "notes": _NOTES,
    },
}
_CANCELLED = {
    "type": "object",
    "required": ["cancelled"],
    "properties": {"cancelled": {"type": "array", "items": {"type": "integer"}}},
}
_STATUS = {
    "type": "object",
    "required": ["last_cycle", "workers", "queues", "running"],
    "properties": {
        "last_cycle": {"type": ["string", "null"], "format": "date-time"},
        "workers": {"type": "integer"},
        "broker": {"type": ["string", "null"]},
        "trouble": {},
        "queues": _ROWS,
        "running": _ROWS,
        "stopped": _ROWS,
        "paused": _ROWS,
    },
}
_ARRIVAL = {
    "type": "object",
    "required": ["at", "entity", "rows"],
    "properties": {"at": _INSTANT, "entity": _TEXT, "rows": {"type": "integer", "minimum": 1}},
}
_DAY, _LONGEST = timedelta(days=1), timedelta(days=31)
_MOST_ARRIVALS = 10_000
_FIRST_YEAR, _LAST_YEAR = 1900, 2200
_PERIOD = (
    Parameter("from", "instant", "The first instant (now).", "2026-03-01T00:00:00Z"),
    Parameter("until", "instant", "The instant before which it ends (24 hours later).", "2026-03-02T00:00:00Z"),
)


class ForecastOfAll(SchedulingResource):
    """Everything enabled that will fire."""

    @door(
        Scope.READ,
        _LOOKS,
        summary="Say what will fire between two instants, up to 31 days apart",
        query=(*_PERIOD, MINE),
        answers={200: Answer(_FORECAST, None, "The fires, what a blackout holds, and how much runs at once.")},
    )
    def get(self) -> Any:
        """Look ahead without acting; whoever is limited to entities is told of theirs only."""
        now = self.now.replace(microsecond=0)  # of both alike: only what begins now goes on from what is stored
        start = self.query["from"] or now
        until = self.query["until"] or start + _DAY
        found = forecast(*span(start, until), now=now, of=self.caller.entity_ids)
        return (found.only(own_whats(self.caller.person)) if self.query["mine"] else found).as_json()


class Simulate(SchedulingResource):
    """What would have fired."""

    @door(
        Scope.READ,
        _LOOKS,
        summary="Replay cycles on a virtual clock; nothing is executed and nothing is written",
        body=Body(
            {"from": TEXT, "until": TEXT, "arrivals": LIST},
            ("from", "until"),
            {
                "from": "2026-03-02T00:00:00Z",
                "until": "2026-03-02T06:00:00Z",
                "arrivals": [],
            },
            {"from": _INSTANT, "until": _INSTANT, "arrivals": {"type": ["array", "null"], "items": _ARRIVAL}},
        ),
        answers={200: Answer(_SIMULATION, None, "Each fire and each slot that came to nothing, with the reason.")},
    )
    def post(self) -> Any:
        """Replay; whoever is limited to entities replays theirs only."""
        start, until = (self._instant(name) for name in ("from", "until"))
        start, until = span(start, until)
        arrivals = self._arrivals(self.body.get("arrivals", []))
        schedules = [schedule for kind in KINDS for schedule in kind.automatic(self.caller.entity_ids)]
        simulation = simulate(
            schedules,
            Grid(start, until, conf.dispatch_interval()),
            arrivals=arrivals,
            usual=usual_runs(schedules),
            everything=SchedulerState.current(),
        )
        return simulation.as_json()

    def _instant(self, name: str) -> datetime:
        found = instant_of(self.body, name)
        if found is None:
            raise invalid({name: [say("This is required.")]})
        return found

    def _arrivals(self, listed: Sequence[Any]) -> dict[str, list[Arrival]]:
        if len(listed) > _MOST_ARRIVALS:
            raise invalid({"arrivals": [say("These are more than {most:,}.", most=_MOST_ARRIVALS)]})
        known = dict(Entity.objects.values_list("code", "pk"))
        for each in listed:
            if isinstance(each, dict) and isinstance(each.get("entity"), str):
                self.caller.insist_on(known.get(each["entity"]), say("An arrival"))
        found, errors = arrivals_of(listed, known)
        if errors:
            raise invalid({f"arrivals[{position}]": [text] for position, text in errors.items()})
        return found


class Status(SchedulingResource):
    """What the installation does right now."""

    @door(
        Scope.READ,
        _LOOKS,
        summary="Say whether the scheduler is alive, and what runs, stands or is paused",
        answers={200: Answer(_STATUS, None, "The state of the installation.")},
    )
    def get(self) -> Any:
        """Read it."""
        self.caller.insist_on_all(say("The state of the installation"))
        database_clock.follow()
        return situation(self.now)


class CancelEverything(SchedulingResource):
    """Stop all that goes on."""

    @door(
        Scope.OPERATE,
        "scheduling.cancel_run",
        summary="Cancel every backfill and every run that goes on; schedules start new ones, unless they are paused",
        keyed=APART,  # run by run: held together, they and the end of a batch could wait for one another
        answers={
            200: Answer(_CANCELLED, {"cancelled": [31, 32]}, "The runs; what works stops at its next safe point.")
        },
    )
    def post(self) -> Any:
        """Cancel them, none when nothing goes on."""
        self.caller.insist_on_all(say("Cancelling everything"))
        return {"cancelled": cancel_everything(by=self.caller.by, now=self.now)}


def span(start: datetime, until: datetime) -> tuple[datetime, datetime]:
    """Return two instants. Raises a problem when they are out of order, too far apart, or in no year of ours."""
    for name, each in (("from", start), ("until", until)):
        if not _FIRST_YEAR <= each.year < _LAST_YEAR:
            text = say("Stay between the years {first} and {last}.", first=_FIRST_YEAR, last=_LAST_YEAR)
            raise invalid({name: [text]})
    if until <= start:
        raise invalid({"until": [say("This is not later than from.")]})
    if until - start > _LONGEST:
        raise invalid({"until": [say("This is more than {days} days after from.", days=_LONGEST.days)]})
    return start, until
