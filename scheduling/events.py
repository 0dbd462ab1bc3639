"""Writes the scheduler log; a log that cannot be written never decides what happens to the work."""

import logging
from datetime import datetime
from typing import Any

from scheduling import statements
from scheduling.models import SchedulerLog

logger = logging.getLogger(__name__)

_LIMITS = {"message": 1000, "trigger_source": 200}


def record(event_type: str, *, now: datetime, entity_id: int | None = None, **fields: Any) -> bool:
    """Append one event; return whether it was stored.

    A failed insert leaves the caller's transaction usable. What cannot be stored goes to the process log, so the event
    is never lost without a trace.
    """
    clean = {
        name: _text(value, _LIMITS.get(name)) if isinstance(value, str) else value for name, value in fields.items()
    }
    try:
        row = SchedulerLog(event_type=event_type, event_time=now, entity_id=entity_id, **clean)
        statements.insert_apart(row)
    except Exception:
        logger.exception("scheduler log not written: %s entity=%s %r", event_type, entity_id, clean)
        return False
    return True


def _text(value: str, limit: int | None) -> str:
    """Return text that every database stores: no NUL, no lone surrogate, within the column."""
    clean = value.replace("\x00", "").encode("utf-8", "backslashreplace").decode()
    return clean if limit is None or len(clean) <= limit else clean[: limit - 1] + "…"
