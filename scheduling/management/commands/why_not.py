"""`why_not`: what became of every slot of a period, and why?"""

from argparse import ArgumentParser
from typing import Any

from django.utils.translation import gettext_noop

from scheduling import clock
from scheduling.explanations.why_not import why_not
from scheduling.management import base
from staging.wording import say


class Command(base.Command):
    """Explain every slot of a period, or the fires of a triggered entity; nothing is written."""

    help = gettext_noop(
        "Say of every slot of a period whether it ran, and if not, why not and what to do. Nothing is written."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the entity and the period."""
        parser.add_argument("entity", metavar="ENTITY", help=say("The entity's code, 'plan NAME' or 'job NAME'."))
        parser.add_argument(
            "--from", dest="since", metavar="INSTANT", help=say("Start of the period (7 days before its end).")
        )
        parser.add_argument("--until", metavar="INSTANT", help=say("End of the period (now)."))

    def answer(self, **options: Any) -> tuple[dict[str, Any], int]:
        schedule = base.find_schedule(options["entity"])
        since, until = (base.parse_instant(options[name]) if options[name] else None for name in ("since", "until"))
        return why_not(schedule, since=since, until=until, now=clock.now()).as_json(), 0

    def text(self, document: dict[str, Any]) -> str:
        """Return one line for each slot with the remedy under it, then the present and the notes."""
        lines: list[str] = [
            say(
                "{entity}: {schedule}, from {start} until {end}",
                entity=document["entity"],
                schedule=document["schedule"],
                start=document["from"],
                end=document["until"],
            )
        ]
        for slot in document["slots"]:
            links = "".join(f" ({name} {slot[name]})" for name in ("run", "event") if slot[name])
            lines.append(f"{slot['at']}  {slot['state']:<8} {slot['reason']}{links}")
            lines += [f"{'':>37}{slot['remedy']}"] if slot["remedy"] else []
        now = document["right_now"]
        lines.append(_right_now(now["would_fire"], now["reason"]))
        return "\n".join([*lines, *(say("note: {note}", note=note) for note in document["notes"])])


def _right_now(would_fire: bool, reason: str) -> str:
    """Return whether it would start now, and why."""
    if would_fire:
        return say("right now: would start. {reason}", reason=reason)
    return say("right now: would not start. {reason}", reason=reason)
