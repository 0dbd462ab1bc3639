"""Goes rounds of the alerts in place of a scheduler that has fallen silent: by whoever still lives.

A worker or a beat without a broker does nothing but wait for it, and a web server waits for requests: so this is a
thread of its own in each of them. Any number may go rounds at once: a rule is taken, and a message claimed, by one.
"""

from __future__ import annotations

import logging
import threading
from datetime import datetime

from scheduling import clock, conf
from scheduling.alerts.watch import go_round
from scheduling.models import Heartbeat
from staging.transactions import brief_connection

logger = logging.getLogger(__name__)


class StandIn(threading.Thread):
    """Looks at the pace of cycles whether the scheduler lives, and goes a round when it does not."""

    def __init__(self) -> None:
        super().__init__(name="alerts", daemon=True)
        self._stop_asked = threading.Event()

    def run(self) -> None:
        """Look until told to stop; what fails is tried again at the next time."""
        while not self._stop_asked.wait(conf.dispatch_interval().total_seconds()):
            try:
                with brief_connection():
                    clock.follow()
                    now = clock.now()
                    if is_scheduler_silent(now):
                        go_round(now)
            except Exception as error:
                text = "alerts in place of the scheduler could not be looked for: %s"
                logger.warning(text, error, extra={"event": "worker_step_failed"})

    def stop(self) -> None:
        """Ask it to end."""
        self._stop_asked.set()


def is_scheduler_silent(now: datetime) -> bool:
    """Return whether a scheduler that once lived gives no sign of life."""
    last = Heartbeat.objects.filter(name=Heartbeat.DISPATCHER).values_list("seen_at", flat=True).first()
    return last is not None and now - last > conf.cycle_silence()
