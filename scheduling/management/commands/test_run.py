"""`test_run`: would this entity's batch start now, and why?"""

from argparse import ArgumentParser
from typing import Any

from django.utils.translation import gettext_noop

from scheduling.kinds import test_run
from scheduling.management import base
from staging.wording import say


class Command(base.Command):
    """Say what the dispatcher would decide for one entity now; nothing is written."""

    help = gettext_noop("Say whether an entity's batch would start now, and why. Nothing is written.")
    takes_now = True

    def add_arguments(self, parser: ArgumentParser) -> None:
        base.add_entity(parser)

    def answer(self, **options: Any) -> tuple[dict[str, Any], int]:
        """Decide without acting."""
        configuration = base.find_configuration(options["entity"])
        return test_run(configuration, self.time_source(**options)()).as_json(), 0

    def text(self, document: dict[str, Any]) -> str:
        """Return the answer with one line for each gate."""
        gates = document.pop("gates")
        lines = []
        for gate in gates:
            passed = say("pass") if gate["passed"] else say("stop")
            lines.append(f"  {passed}  {gate['gate']}: {gate['text']}")
        return "\n".join([super().text(document), say("gates:"), *lines])
