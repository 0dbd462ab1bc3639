"""Between two cycles: the end of a late run starts the next one that waits, without a wait for the next minute."""

import logging
from datetime import datetime

from scheduling.dispatch.firing import evaluate
from scheduling.dispatch.report import CycleReport
from scheduling.kinds import KINDS
from scheduling.models import SchedulerState

logger = logging.getLogger(__name__)


def start_late_runs(now: datetime) -> list[str]:
    """Decide every schedule that catches up and whose run has ended; return what was fired. Never raises.

    The workers call it when they end something. Safe beside a cycle: each fire is claimed by its own key.
    """
    report = CycleReport(now=now)
    try:
        for kind in KINDS:
            waiting = kind.catching_up(now)
            if not waiting or SchedulerState.current().paused_at is not None:
                continue
            statistics = kind.measured(waiting, now)
            evaluate(kind, waiting, statistics, now, report)
    except Exception as error:
        logger.warning("could not start late runs; the next cycle does: %s", error)
    return report.fired
