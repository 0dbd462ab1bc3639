"""`cleanup`: apply the retention policy now."""

from typing import Any

from django.utils.translation import gettext_noop

from scheduling import clock
from scheduling.housekeeping.cleanup import cleanup
from scheduling.management import base
from scheduling.schedules.tzdata import recompute_after_tzdata_change


class Command(base.Command):
    """Delete log events, processed rows and runs older than the retention policy."""

    help = gettext_noop("Delete what is older than the retention policy: log events, processed rows, runs.")

    def answer(self, **options: Any) -> tuple[dict[str, Any], int]:
        """Clean up, and do what else the hourly housekeeping does."""
        now = clock.now()
        recompute_after_tzdata_change(now)
        return dict(cleanup(now)), 0
