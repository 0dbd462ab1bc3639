"""What differs in the processes of a soak: short waits after failures and, for the proof, no fence."""

import os
import uuid
from datetime import datetime, timedelta

from django.apps import AppConfig


class SoakConfig(AppConfig):
    """Installed only in the processes of a soak."""

    name = "tests.acceptance.soak"
    label = "soak"

    def ready(self) -> None:
        """Wait seconds instead of minutes after a failure, and take the fence away when told so."""
        from scheduling import conf

        conf.backoff = lambda failures: timedelta(seconds=min(max(failures, 0), 3))
        if os.environ.get("SOAK_UNFENCED"):
            unfence()


def unfence() -> None:
    """Let an attempt that was given up write all the same: the naive engine that the audit must convict."""
    from scheduling.runs import finish
    from scheduling.workloads import pulse

    pulse.beat = lambda *_: True
    pulse.hold = lambda *_: True
    finish.end_attempt = _end_anyway


def _end_anyway(token: uuid.UUID, outcome: str, *, now: datetime, message: str = "") -> bool:
    """End an attempt without asking whether it was ended before."""
    from scheduling.models import Attempt

    Attempt.objects.filter(token=token).update(outcome=outcome, finished_at=now, message=message)
    return True
