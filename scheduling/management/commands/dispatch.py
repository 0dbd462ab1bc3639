"""`dispatch`: one cycle now."""

from typing import Any

from django.utils.translation import gettext_noop

from scheduling import clock
from scheduling.dispatch.cycle import run_cycle
from scheduling.management import base


class Command(base.Command):
    """Run one dispatch cycle now and say what it fired, skipped and failed on."""

    help = gettext_noop("Run one dispatch cycle now.")
    takes_now = True

    def answer(self, **options: Any) -> tuple[dict[str, Any], int]:
        """Run the cycle."""
        clock.follow(at_once=True)
        return run_cycle(self.time_source(**options)()).as_json(), 0
