"""`status`: is the scheduler alive, and what does it do right now?"""

from typing import Any

from django.utils.translation import gettext_noop

from scheduling import clock
from scheduling import clock as database_clock
from scheduling.explanations.situation import situation
from scheduling.management import base


class Command(base.Command):
    """Print the last cycle, the workers, the broker, the queues, what runs, what is stopped and what is paused."""

    help = gettext_noop("Print the last cycle, the number of workers, the queues and the running tasks.")

    def answer(self, **options: Any) -> tuple[dict[str, Any], int]:
        """Read the installation's state."""
        database_clock.follow()
        return situation(clock.now()), 0
