"""`check_plan`: in which order would these plans run, and does an order exist?"""

from argparse import ArgumentParser
from typing import Any

from django.utils.translation import gettext_noop

from scheduling.management import base
from scheduling.management.names import plans_named
from scheduling.plans.check import check_plans
from staging.wording import say


class Command(base.Command):
    """Print the waves and the lines of the hierarchy of one or several plans, or their circles; nothing is written."""

    help = gettext_noop(
        "Print the order in which plans would run, or the circles because of which they cannot. Exit code 1: circles."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        base.add_plans(parser)

    def answer(self, **options: Any) -> tuple[dict[str, Any], int]:
        """Check without starting anything."""
        checked = check_plans(plans_named(options["plans"]))
        return checked.as_json(), base.EXIT_FAILED if checked.cycles else 0

    def text(self, document: dict[str, Any]) -> str:
        """Return the circles, or the waves and the lines."""
        lines: list[str] = [say("circle: {line}", line=line) for line in document["cycles"]]
        lines += [say("waits for a circle: {key}", key=key) for key in document.get("leading_into_cycles", [])]
        lines += [f"{number}. {', '.join(wave)}" for number, wave in enumerate(document["waves"], start=1)]
        asked = document.get("conditions", {}).items()
        lines += [say("{key} only when {conditions}", key=key, conditions="; ".join(some)) for key, some in asked]
        return "\n".join([*lines, *(["", *document["hierarchy"]] if document["hierarchy"] else [])]) or say("No steps.")
