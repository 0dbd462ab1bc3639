"""Tries rows again by themselves when the codes they waited for have come, and says so in the log."""

import logging
from datetime import datetime

from scheduling import events
from scheduling.models import SchedulerLog
from scheduling.states import EventType
from staging.batches import late
from staging.batches.late import CameHome, Failed
from staging.wording import counted

logger = logging.getLogger(__name__)


_SOURCE = "Late reference"


def bring_home(now: datetime) -> list[str]:
    """Set rows to pending whose references came with a batch that has ended; return the entities where that failed.

    Whatever fails here fails no batch and no other look: the next cycle looks again. The log tells it once.
    """

    def tell(came: CameHome) -> None:
        rows, wait = counted(came.count, "rejected row", "rejected rows"), "waits" if came.count == 1 else "wait"
        events.record(
            EventType.RETRIED,
            now=now,
            entity_id=came.entity.pk,
            trigger_source=_SOURCE,
            message=f"{rows} of {came.entity} {wait} again: the codes came with batch {came.batch.pk} of "
            f"{came.batch.entity}.",
            rows_queued=came.count,
            batch_id=came.batch.pk,
        )

    try:
        _, failed = late.bring_home(tell)
    except Exception:
        logger.exception("could not look for rows whose references have come; the next cycle looks again")
        return [_SOURCE]
    for one in failed:
        _tell_failure(one, now)
    return sorted({one.entity.code for one in failed})


def _tell_failure(failed: Failed, now: datetime) -> None:
    """Log what failed, unless it is what was told of this entity last."""
    before = SchedulerLog.objects.filter(event_type=EventType.ERROR, entity=failed.entity, trigger_source=_SOURCE)
    last = before.order_by("-event_time", "-pk").first()
    error = str(failed.error)
    if last is not None and last.details.get("error") == error:
        return
    logger.error("could not look for late references of %s", failed.entity.code, exc_info=failed.error)
    events.record(
        EventType.ERROR,
        now=now,
        entity_id=failed.entity.pk,
        trigger_source=_SOURCE,
        batch_id=failed.batch.pk,
        message=f"Rows of {failed.entity} that may wait for codes of batch {failed.batch.pk} could not be looked at;"
        f" each cycle tries again: {error}",
        details={"error": error},
    )
