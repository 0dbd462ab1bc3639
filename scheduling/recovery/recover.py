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
    """How much was mended, and what could not be: entities, or the names of steps."""

    zombies: int
    resent: int
    errors: list[str]


def recover(now: datetime) -> Recovered:
    """Release what is dead, give up what does not stop, advance what is stuck, send again what was lost.

    A step that fails does not stop the others.
    """
    errors: list[str] = []
    zombies = _safely(release_silent_attempts, now, errors) + _safely(release_abandoned_guards, now, errors)
    for step in (give_up_overdue_attempts, give_up_cancelled_attempts, advance_stuck_runs, wake_due):
        _safely(step, now, errors)
    errors += bring_home(now)
    return Recovered(zombies=zombies, resent=_safely(resend, now, errors), errors=errors)


def _safely(step: Callable[[datetime], int], now: datetime, errors: list[str]) -> int:
    """Run one step; log what it could not do, and add it to the errors."""
    try:
        return step(now)
    except Exception:
        logger.exception("recovery step %s failed; the next cycle tries again", step.__name__)
        errors.append(step.__name__)
        return 0
