"""`doctor`: what is wrong with this installation, and what mends it?"""

from typing import Any

from django.utils.translation import gettext_noop

from scheduling.doctor.examine import findings
from scheduling.doctor.finding import Level
from scheduling.management import base
from staging.wording import say


class Command(base.Command):
    """Look at settings, database, broker, workers, clocks, what stands still and what grows; changes nothing."""

    help = gettext_noop(
        "Say what is wrong with the installation and what mends it. Exit code 1: something does not work."
    )
    # It tells of these itself, each with its mend.
    requires_migrations_checks = False
    requires_system_checks: list[str] = []

    def answer(self, **options: Any) -> tuple[dict[str, Any], int]:
        """Examine the installation; a warning alone is no failure."""
        found = findings()
        failed = any(finding.level == Level.ERROR for finding in found)
        return {"findings": [finding.as_json() for finding in found]}, base.EXIT_FAILED if failed else 0

    def text(self, document: dict[str, Any]) -> str:
        """Return two lines for each finding: what is wrong, and what mends it."""
        lines = [
            f"{one['level']:<8} {one['id']}: {one['text']}\n         {one['mend']}" for one in document["findings"]
        ]
        return "\n".join(lines) or say("Nothing is wrong.")
