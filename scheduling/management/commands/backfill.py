"""`backfill`: let the slots of a range run after the event."""

from argparse import ArgumentParser
from typing import Any

from django.utils.translation import gettext_noop

from scheduling import clock, conf
from scheduling.errors import InvalidArguments
from scheduling.management import base
from scheduling.runs.backfill import backfill_document, start_backfill
from scheduling.runs.foresee import Range, foresee
from scheduling.states import SlotFate
from staging.wording import counted, say


class Command(base.Command):
    """Show the slots of a range, or let them run in order or side by side."""

    help = gettext_noop(
        "Let the slots that a plan, or a schedule of a job, had in a range run after the event, each once. Exit code "
        "3: another backfill of it is under way."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take what, the range, and how."""
        parser.add_argument("what", metavar="WHAT", help=say("'plan NAME', 'job NAME' or 'job NAME: SCHEDULE'."))
        parser.add_argument(
            "--from", dest="since", metavar="INSTANT", required=True, help=say("The first slot may be here.")
        )
        parser.add_argument("--until", metavar="INSTANT", required=True, help=say("All slots are before this instant."))
        how = parser.add_mutually_exclusive_group()
        how.add_argument("--in-order", action="store_true", help=say("One slot after the other (this is the usual)."))
        how.add_argument("--side-by-side", type=int, metavar="N", help=say("N slots at once."))
        parser.add_argument(
            "--go-on", action="store_true", help=say("Go on when a run fails; else none that has not begun runs then.")
        )
        parser.add_argument("--again", action="store_true", help=say("Run slots that ran before once more."))
        parser.add_argument("--dry-run", action="store_true", help=say("Only show the slots; nothing is started."))

    def answer(self, **options: Any) -> tuple[dict[str, Any], int]:
        """Foresee or begin; a fault of the range is bad input."""
        schedule = base.find_schedule(options["what"])
        since, until = (base.parse_instant(options[name]) for name in ("since", "until"))
        wanted = Range(since, until, options["side_by_side"], not options["go_on"], options["again"])
        now = clock.now()
        try:
            if options["dry_run"]:
                return foresee(schedule, wanted, now).as_json(), 0
            return backfill_document(start_backfill(schedule, wanted, started_by="command", now=now)), 0
        except InvalidArguments as error:
            option, texts = next(iter(error.errors.items()))
            shown = f"--{option.replace('_', '-')}"
            raise base.refused(say("{option}: {text}", option=shown, text=texts[0])) from None

    def text(self, document: dict[str, Any]) -> str:
        """Return one line for each slot, and how many run."""
        return backfill_text(document) if "backfill" in document else _foreseen(document)


def _foreseen(document: dict[str, Any]) -> str:
    lines = [f"{slot['slot']}  {SlotFate(slot['state']).label}{_of_run(slot['run'])}" for slot in document["slots"]]
    will_run = counted(document["will_run"], "slot would run", "slots would run")
    lines.append(say("{what}: {slots}", what=document["what"], slots=will_run))
    if document["more_from"]:
        most = conf.backfill_slots()
        lines.append(say("At most {most} are taken; the next one is {slot}.", most=most, slot=document["more_from"]))
    return "\n".join(lines)


def backfill_text(document: dict[str, Any]) -> str:
    """Return the document of a backfill for people: how it stands, then one line for each slot with a run."""
    head = say(
        "backfill {number} of {what}: {status}, {done} of {total} slots ended",
        number=document["backfill"],
        what=document["what"],
        status=document["status"],
        done=document["slots_done"],
        total=document["slots_total"],
    )
    rows = [f"  {slot['slot']}  {slot['status']}{_of_run(slot['run'])}" for slot in document["slots"] if slot["run"]]
    return "\n".join([head, *([document["error"]] if document["error"] else []), *rows])


def _of_run(number: int | None) -> str:
    """Return which run it is, in brackets; nothing for none."""
    return say(" (run {run})", run=number) if number else ""
