"""`resume`: let what was paused go on from now."""

from argparse import ArgumentParser
from typing import Any

from django.utils.translation import gettext_noop

from scheduling import clock
from scheduling.errors import NotPaused
from scheduling.management import base
from scheduling.management.names import pausable
from scheduling.models import Queue
from scheduling.queues import resume_queue
from scheduling.schedules.pause import resume, resume_everything
from staging.wording import say


class Command(base.Command):
    """Resume one thing, or everything; what fell into the pause is neither missed nor run later."""

    help = gettext_noop("Resume all, entity CODE, plan NAME, job NAME or queue NAME. Exit code 2: it is not paused.")

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "what", metavar="WHAT", nargs="+", help=say("all, entity CODE, plan NAME, job NAME, queue NAME")
        )

    def answer(self, **options: Any) -> tuple[dict[str, Any], int]:
        what, now, name = pausable(options["what"]), clock.now(), " ".join(options["what"])
        if isinstance(what, Queue):
            resumed = resume_queue(what, by="command", now=now)
        elif what is None:
            resumed = resume_everything(by="command", now=now)
        else:
            resumed = resume(what, by="command", now=now)
        if not resumed:
            raise NotPaused(say("It is not paused: {name}.", name=name))
        return {"what": name, "paused": False}, 0
