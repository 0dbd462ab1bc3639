"""Writes the scheduler log; a log that cannot be written never decides what happens to the work."""

import logging
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.conf import settings
from django.utils.translation import get_language, override

from scheduling import statements
from scheduling.models import SchedulerLog
from staging.wording import Said, said_again, storable

logger = logging.getLogger(__name__)

_LIMITS = {"message": 1000, "trigger_source": 200}


def record(event_type: str, *, now: datetime, entity_id: int | None = None, **fields: Any) -> bool:
    """Append one event; return whether it was stored.

    A failed insert leaves the caller's transaction usable. What cannot be stored goes to the process log, so the event
    is never lost without a trace.
    """
    return _stored(event(event_type, now=now, entity_id=entity_id, **fields))


def record_all(rows: Sequence[SchedulerLog]) -> int:
    """Append events in this order, in one statement; return how many were stored. As `record`, each for itself."""
    try:
        if rows:
            statements.insert_apart(*rows)
        return len(rows)
    except Exception:  # one of them; the others are stored all the same
        return sum(_stored(row) for row in rows)


def event(event_type: str, *, now: datetime, entity_id: int | None = None, **fields: Any) -> SchedulerLog:
    """Return an event that is not stored yet, its texts as every database stores them.

    The message is written in the language of the site, whoever is at work. What it was made from stands in the details
    as `said`, so that a page can say it in the language of its reader.
    """
    message = fields.get("message")
    if message and isinstance(message, Said):
        said = message.stored()
        fields["details"] = {**fields.get("details", {}), "said": said}
        fields["message"] = _in_language_of_site(message, said)
    clean = {
        name: storable(value, _LIMITS.get(name)) if isinstance(value, str) else value for name, value in fields.items()
    }
    return SchedulerLog(event_type=event_type, event_time=now, entity_id=entity_id, **clean)


def _in_language_of_site(message: Said, said: dict[str, Any]) -> str:
    if get_language() in (None, settings.LANGUAGE_CODE):
        return message
    with override(settings.LANGUAGE_CODE):
        return str(said_again(said))


def _stored(row: SchedulerLog) -> bool:
    """Append one event; return whether it was stored."""
    try:
        statements.insert_apart(row)
    except Exception:
        logger.exception(
            "scheduler log not written: %s entity=%s %r",
            row.event_type,
            row.entity_id,
            row.message,
            extra={
                "event": "event_not_stored",
                "run_id": row.run_id,
                "batch_id": row.batch_id,
                "entity_id": row.entity_id,
            },
        )
        return False
    return True
