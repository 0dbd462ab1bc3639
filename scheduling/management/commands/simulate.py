"""`simulate`: what would have fired between two instants with these arrivals, and why? Nothing is executed."""

from argparse import ArgumentParser
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from django.utils.translation import gettext_noop

from scheduling import conf
from scheduling.kinds import KINDS, usual_runs
from scheduling.management import base
from scheduling.models import Schedule, SchedulerState
from scheduling.simulation.arrivals import Arrival, read_arrivals
from scheduling.simulation.grid import Grid
from scheduling.simulation.simulate import simulate
from staging.models import Entity
from staging.wording import counted, say


class Command(base.Command):
    """Replay dispatch cycles on a virtual clock; nothing is executed and nothing is written."""

    help = gettext_noop(
        "Replay dispatch cycles on a virtual clock: what would have fired, when and why. Nothing is written."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the span and the arrival history."""
        parser.add_argument("--from", metavar="INSTANT", required=True, help=say("The first cycle."))
        parser.add_argument("--until", metavar="INSTANT", required=True, help=say("No cycle happens at or after it."))
        parser.add_argument(
            "--arrivals", metavar="FILE", help=say("When rows arrive, as JSON lines or CSV: at, entity, rows.")
        )

    def answer(self, **options: Any) -> tuple[dict[str, Any], int]:
        """Read everything once, then replay."""
        start, until = base.parse_span(options["from"], options["until"])
        grid = Grid(start, until, conf.dispatch_interval())
        arrivals: dict[str, list[Arrival]] = {}
        if options["arrivals"]:
            codes = set(Entity.objects.values_list("code", flat=True))
            arrivals = read_arrivals(Path(options["arrivals"]), codes)
        schedules = [schedule for kind in KINDS for schedule in kind.automatic()]
        simulation = simulate(
            schedules,
            grid,
            arrivals=arrivals,
            usual=usual_runs(schedules),
            everything=SchedulerState.current(),
        )
        return simulation.as_json() | {"notes": _unused(arrivals, schedules)}, 0

    def text(self, document: dict[str, Any]) -> str:
        """Return one line for each fire and each that came to nothing, in order of time."""
        lines = [(fire["at"], fire["entity"], say("fired"), _fired(fire)) for fire in document["fires"]]
        lines += [(event["at"], event["entity"], event["event"], event["reason"]) for event in document["not_fired"]]
        head = say(
            "{cycles:,} cycles from {start} until {end}",
            cycles=document["cycles"],
            start=document["from"],
            end=document["until"],
        )
        tail = say(
            "{fires:,} fires, {events:,} events without a fire",
            fires=len(document["fires"]),
            events=len(document["not_fired"]),
        )
        rows = [f"{at}  {entity}  {event}: {text}" for at, entity, event, text in sorted(lines)]
        return "\n".join([head, *rows, *document["notes"], tail])


def _fired(fire: dict[str, Any]) -> str:
    """Return what a fire's line says; only a batch takes rows."""
    source, reason = fire["trigger_source"], fire["reason"]
    if "kind" in fire:
        return say("{source}. {reason}", source=source, reason=reason)
    rows = counted(fire["rows"], "row", "rows")
    return say("{source}. {reason} {rows}.", source=source, reason=reason, rows=rows)


def _unused(arrivals: Mapping[str, Sequence[Arrival]], schedules: Sequence[Schedule]) -> list[str]:
    """Return a note for each entity that gets rows but that the scheduler never starts."""
    simulated = {one.what for one in schedules if one.READS_ROWS}
    unused = sorted(code for code in arrivals if code not in simulated)
    return [say("{code} is manual, switched off or retired: its rows wait for people.", code=code) for code in unused]
