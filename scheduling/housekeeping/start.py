"""What worker, beat, web and the local runner do when they start: bring the jobs in line with the code."""

import logging
from datetime import datetime

from django.db import DatabaseError

from scheduling.jobs.reconcile import sync_jobs
from scheduling.schedules.tzdata import recompute_after_tzdata_change
from staging.transactions import forget_connections

logger = logging.getLogger(__name__)

_TURNS = 3


def at_start(now: datetime) -> bool:
    """Reconcile declared jobs, and move next runs that new time zone data puts elsewhere; return whether it was done.

    Never raises: a process serves also without it, and `sync_jobs` does it by hand. Where many processes start at once
    one may wait too long for its turn; then it asks again.
    """
    for turn in range(_TURNS):
        try:
            _bring_in_line(now)
            return True
        except DatabaseError as error:  # no tables yet, or no database: the process says so itself
            if turn == _TURNS - 1:
                logger.warning(
                    "declared jobs were not reconciled: %s",
                    " ".join(str(error).split()),
                    extra={"event": "jobs_not_declared"},
                )
            forget_connections()  # the one that was lost would fail at each turn
        except Exception:
            logger.exception("declared jobs were not reconciled", extra={"event": "jobs_not_declared"})
            break
    return False


def _bring_in_line(now: datetime) -> None:
    result = sync_jobs(now)
    moved = recompute_after_tzdata_change(now)
    changed = f"{len(result.created)} created, {len(result.updated)} updated, {len(result.disabled)} disabled"
    logger.info(
        "declared jobs: %s; new time zone data moved %s next runs", changed, moved, extra={"event": "jobs_declared"}
    )
