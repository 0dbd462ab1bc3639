"""`cancel_all`: stop everything that runs or waits."""

from typing import Any

from django.utils.translation import gettext_noop

from scheduling import clock
from scheduling.management import base
from scheduling.runs.cancel import cancel_everything


class Command(base.Command):
    """Cancel every run that has not ended; schedules go on, unless they are paused."""

    help = gettext_noop(
        "Cancel every run that has not ended. Schedules start new ones: `pause all` first, if they shall not."
    )

    def answer(self, **options: Any) -> tuple[dict[str, Any], int]:
        """Cancel them."""
        return {"cancelled": cancel_everything(by="command", now=clock.now())}, 0
