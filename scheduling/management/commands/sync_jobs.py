"""`sync_jobs`: bring the jobs and schedules of the database in line with the code."""

from typing import Any

from django.utils.translation import gettext_noop

from scheduling import clock
from scheduling.jobs.reconcile import sync_jobs
from scheduling.management import base


class Command(base.Command):
    """Create, change and switch off jobs as the code declares them; what users set stays."""

    help = gettext_noop(
        "Reconcile declared jobs with the database. Exit code 1: a declaration could not be carried out."
    )

    def answer(self, **options: Any) -> tuple[dict[str, Any], int]:
        """Reconcile, as every process does on its start."""
        result = sync_jobs(clock.now())
        return result.as_json(), base.EXIT_FAILED if result.problems else 0
