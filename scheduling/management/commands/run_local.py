"""`run_local`: the embedded profile's scheduler and worker in one process."""

import os
import signal
from typing import Any

from django.utils.translation import gettext_noop

from scheduling import conf
from scheduling.dispatch.local import LocalRunner
from scheduling.doctor.installation import not_migrated, unfit
from scheduling.management.base import PlainCommand, refused
from scheduling.workloads.hearing import hearing
from scheduling.workloads.pulse import STOPPING
from staging.wording import said_together, say


class Command(PlainCommand):
    """Tick, claim and execute in this process until interrupted."""

    help = gettext_noop("Run the scheduler and a worker in this process (embedded profile, no broker).")
    requires_migrations_checks = True

    def handle(self, *args: Any, **options: Any) -> None:
        """Run until SIGINT or SIGTERM; what runs has STOP_GRACE_SECONDS to end, then it is handed back."""
        if not conf.is_embedded():
            raise refused(
                say(
                    "CELERY_BROKER_URL is set: Celery beat and workers run this installation, "
                    "run_local would be a second."
                )
            )
        if wrong := unfit():
            raise refused(wrong)
        if missing := not_migrated():
            raise refused(said_together(missing, say("Run: manage.py migrate")))
        runner = LocalRunner()
        grace = conf.stop_grace().total_seconds()

        def stop() -> None:
            STOPPING.tell(grace=grace, then=lambda: os._exit(0))
            runner.stop()

        with hearing((signal.SIGINT, signal.SIGTERM), stop):
            self.stdout.write(say("{name} runs; Ctrl-C stops it.", name=runner.name))
            runner.run()
