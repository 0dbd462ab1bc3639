"""`pause`: start nothing more by itself of an entity, plan, job, queue, or of everything."""

from argparse import ArgumentParser
from typing import Any

from django.utils.translation import gettext_noop

from scheduling import clock
from scheduling.errors import AlreadyRunning, InvalidSchedule
from scheduling.management import base
from scheduling.management.names import pausable
from scheduling.models import Queue
from scheduling.queues import pause_queue
from scheduling.schedules.pause import pause, pause_everything
from staging.wording import say


class Command(base.Command):
    """Pause one thing, or everything; what runs goes on."""

    help = gettext_noop("Pause all, entity CODE, plan NAME, job NAME or queue NAME. Exit code 3: it is paused already.")

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take what, why and until when."""
        parser.add_argument(
            "what", metavar="WHAT", nargs="+", help=say("all, entity CODE, plan NAME, job NAME, queue NAME")
        )
        parser.add_argument("--reason", default=say("Paused by command."), help=say("Why, for others to read."))
        parser.add_argument("--until", metavar="INSTANT", help=say("When it goes on by itself; not for queues."))

    def answer(self, **options: Any) -> tuple[dict[str, Any], int]:
        what, now, reason = pausable(options["what"]), clock.now(), options["reason"]
        until = base.parse_instant(options["until"]) if options["until"] else None
        if isinstance(what, Queue):
            if until is not None:
                raise InvalidSchedule({"until": [say("A queue is paused until somebody resumes it.")]})
            paused = pause_queue(what, by="command", reason=reason, now=now)
        elif what is None:
            paused = pause_everything(by="command", reason=reason, until=until, now=now)
        else:
            paused = pause(what, by="command", reason=reason, until=until, now=now)
        name = " ".join(options["what"])
        if not paused:
            raise AlreadyRunning(say("It is paused already: {name}.", name=name))
        return {"what": name, "paused": True, "reason": reason, "until": until.isoformat() if until else None}, 0
