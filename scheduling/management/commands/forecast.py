"""`forecast`: everything enabled that will fire between two instants."""

from argparse import ArgumentParser
from datetime import timedelta
from typing import Any

from django.utils.translation import gettext_noop

from scheduling.forecast.forecast import forecast
from scheduling.management import base
from staging.wording import say

DEFAULT_SPAN = timedelta(hours=24)
MOST_LINES = 30


class Command(base.Command):
    """Say what will fire between two instants, what a blackout holds, and how much runs at once."""

    help = gettext_noop("Say what will fire between two instants: now and 24 hours later, unless told otherwise.")
    takes_now = True

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the two instants."""
        parser.add_argument("--from", metavar="INSTANT", help=say("The first instant (now)."))
        parser.add_argument(
            "--until", metavar="INSTANT", help=say("The instant before which it ends (24 hours later).")
        )

    def answer(self, **options: Any) -> tuple[dict[str, Any], int]:
        """Look ahead without acting."""
        now = self.time_source(**options)().replace(microsecond=0)
        start = base.parse_instant(options["from"]) if options["from"] else now
        until = base.parse_instant(options["until"]) if options["until"] else base.moved_on(start, DEFAULT_SPAN)
        return forecast(*base.check_span(start, until), now=now).as_json(), 0

    def text(self, document: dict[str, Any]) -> str:
        """Return a line for each fire, one for all of what fires often, then what is known besides."""
        lines = _lines([*document["fires"], *document["not_fired"]]) or [say("Nothing will fire.")]
        lines += [say("{what}  running since {at}", what=row["what"], at=row["at"]) for row in document["running"]]
        lines += [
            say("when data arrives: {what}  {sentence}", what=row["what"], sentence=row["sentence"])
            for row in document["when_data_arrives"]
        ]
        lines += [
            say("quiet: from {start} until {end}", start=part["from"], end=part["until"]) for part in document["quiet"]
        ]
        lines += [
            say(
                "queue {queue}: at most {peak} at once, {most} may run",
                queue=load["queue"],
                peak=load["peak"],
                most=load["max_running"],
            )
            for load in document["load"]
        ]
        return "\n".join([*lines, *document["notes"]])


def _lines(rows: list[dict[str, Any]]) -> list[str]:
    """Return the slots in order of time; more than MOST_LINES of one kind share a line at the first one's place."""
    groups: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in sorted(rows, key=lambda row: str(row["at"])):
        groups.setdefault((row["what"], row["state"]), []).append(row)
    lines = []
    for (what, state), found in groups.items():
        if len(found) > MOST_LINES:
            state = say("{state} {times:,} times until {end}", state=state, times=len(found), end=found[-1]["at"])
            found = found[:1]
        lines += [f"{row['at']}  {what}  {state}{_lasts(row)}  {row['sentence']}" for row in found]
    return sorted(lines)


def _lasts(row: dict[str, Any]) -> str:
    """Return the usual duration for a line."""
    if row["expected_ms"] is None:
        return ""
    return " " + say("(about {seconds:,.0f} s)", seconds=row["expected_ms"] / 1000)
