"""What differs in the processes of a soak: short waits, seconds for minutes, and what is to be broken."""

import os
import uuid
from datetime import UTC, datetime, timedelta
from typing import Any

from django.apps import AppConfig


class SoakConfig(AppConfig):
    """Installed only in the processes of a soak."""

    name = "tests.acceptance.soak"
    label = "soak"

    def ready(self) -> None:
        """Wait seconds instead of minutes, put the clock wrong, and break what the auditor should notice when told."""
        from scheduling import clock, conf
        from scheduling.models import schedule as cadence_fields
        from tests.acceptance.soak.breaks import BREAKS, put

        put(conf, backoff=lambda failures: timedelta(seconds=min(max(failures, 0), 3)))
        cadence_fields._RHYTHMS["interval"] = _in_seconds  # type: ignore[index]
        if off := int(os.environ.get("SOAK_CLOCK_OFF", "0")):
            put(clock, of_this_host=lambda: datetime.now(UTC) + timedelta(seconds=off))
        if os.environ.get("SOAK_UNFENCED"):
            unfence()
        if name := os.environ.get("SOAK_BREAKS"):
            BREAKS[name].apply()


def _in_seconds(columns: Any) -> dict[str, Any]:
    """Return an interval with a second for each of its minutes, on one unbroken grid."""
    return {"kind": "interval", "anchor": "epoch", "every_seconds": columns.interval_minutes}


def unfence() -> None:
    """Let an attempt that was given up write all the same: the naive engine that the audit must convict."""
    from scheduling.runs import advance
    from scheduling.workloads import pulse
    from tests.acceptance.soak.breaks import put

    put(pulse, beat=lambda *_: True, hold_attempt=lambda *_: True)
    put(advance, end_attempt=_end_anyway)


def _end_anyway(token: uuid.UUID, outcome: str, *, now: datetime, message: str = "") -> bool:
    """End an attempt without asking whether it was ended before."""
    from scheduling.models import Attempt

    Attempt.objects.filter(token=token).update(outcome=outcome, finished_at=now, message=message)
    return True
