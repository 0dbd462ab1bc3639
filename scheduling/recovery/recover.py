"""Everything a cycle mends before it decides, each step apart from the others."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from scheduling.recovery.lost_messages import resend, wake_due
from scheduling.recovery.overdue import give_up_cancelled_attempts, give_up_overdue_attempts
from scheduling.recovery.silent import release_abandoned_guards, release_silent_attempts
from scheduling.recovery.stuck_runs import advance_stuck_runs
from scheduling.workloads.late import bring_home

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Recovered:
    """How much was mended."""

    zombies: int
    resent: int


def recover(now: datetime) -> Recovered:
    """Release what is dead, give up what does not stop, advance what is stuck, send again what was lost.

    A step that fails does not stop the others.
    """
    zombies = _safely(release_silent_attempts, now) + _safely(release_abandoned_guards, now)
    for step in (give_up_overdue_attempts, give_up_cancelled_attempts, advance_stuck_runs, wake_due):
        _safely(step, now)
    _safely(bring_home, now)
    return Recovered(zombies=zombies, resent=_safely(resend, now))


def _safely(step: Callable[[datetime], int], now: datetime) -> int:
    """Run one step; log what it could not do."""
    try:
        return step(now)
    except Exception:
        logger.exception("recovery step %s failed; the next cycle tries again", step.__name__)
        return 0
