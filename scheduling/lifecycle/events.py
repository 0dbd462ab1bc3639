"""Writes the scheduler log; a log that cannot be written never decides what happens to the work."""

import logging
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from scheduling import statements
from scheduling.models import SchedulerLog
from staging.versions.read import changes_told
from staging.wording import Said, is_of_site, of_site, said_again, storable

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
        fields["details"] = {**fields.get("details", {}), "said": message.stored()}
        fields["message"] = of_site(message)
    clean = {
        name: storable(value, _LIMITS.get(name)) if isinstance(value, str) else value for name, value in fields.items()
    }
    return SchedulerLog(event_type=event_type, event_time=now, entity_id=entity_id, **clean)


def say_again(events: Iterable[SchedulerLog]) -> None:
    """Put each message into the language and the zone of who reads it; the events are for reading only.

    One statement, another where changes are among them, and none for who reads them as they are stored.
    """
    shown = {event.pk: event for event in events if event.message}
    if is_of_site() or not shown:
        return
    kept = SchedulerLog.objects.filter(pk__in=shown, details__said__isnull=False)
    told = list(kept.values_list("pk", "details__said", "details__version_id"))
    changes = changes_told(version for _, _, version in told if isinstance(version, int))
    for pk, said, version in told:
        words = {**said, "values": {**said.get("values", {}), **changes[version]}} if version in changes else said
        shown[pk].message = str(said_again(words))


def gates_again(gates: object) -> list[dict[str, Any]]:
    """Return the gates of an event with their sentences in the language and the zone of who reads them.

    What is no list of gates has none: others write rows of this log, too.
    """
    known = [gate for gate in gates if isinstance(gate, dict)] if isinstance(gates, list) else []
    if is_of_site():
        return known
    return [{**gate, **_texts_again(gate)} for gate in known]


def _texts_again(gate: dict[str, Any]) -> dict[str, Any]:
    """Return what a gate measured, against what, and its sentence; where only the text is kept, it is its own code."""
    codes = {"value": "value_said", "limit": "limit_said", "text": "said"}
    return {
        name: said_again(gate.get(code, {"say": gate[name]}))
        for name, code in codes.items()
        if isinstance(gate.get(name), str)
    }


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
