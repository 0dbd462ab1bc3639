"""Tries rows again by themselves when the codes they waited for have come, and says so in the log."""

import logging
from datetime import datetime

from scheduling import events
from scheduling.states import EventType
from staging.batches import late
from staging.batches.late import CameHome

logger = logging.getLogger(__name__)


def bring_home(now: datetime) -> int:
    """Set rows to pending whose references came with a batch that has ended; return how many.

    Whatever fails here fails no batch: the next cycle looks again.
    """

    def tell(came: CameHome) -> None:
        rows, wait = ("1 rejected row", "waits") if came.count == 1 else (f"{came.count:,} rejected rows", "wait")
        events.record(
            EventType.RETRIED,
            now=now,
            entity_id=came.entity.pk,
            trigger_source="Late reference",
            message=f"{rows} of {came.entity} {wait} again: the codes came with batch {came.batch.pk} of "
            f"{came.batch.entity}.",
            rows_queued=came.count,
            batch_id=came.batch.pk,
        )

    try:
        return late.bring_home(tell)
    except Exception:
        logger.exception("could not look for rows whose references have come; the next cycle looks again")
        return 0
