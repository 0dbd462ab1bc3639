"""Gives out the places of a queue: as many as its maximum, and none while it is paused."""

from datetime import datetime

from django.db import connection

from scheduling import statements
from staging.transactions import note_lock, require_lock

_LOCK_QUEUE = "SELECT 1 FROM scheduling_queue WHERE id = %s FOR NO KEY UPDATE"
_LOCK_QUEUE_IF_FREE = f"{_LOCK_QUEUE} SKIP LOCKED"

_TAKE_PLACE = """
UPDATE scheduling_queue SET turn = CASE WHEN turn < %s THEN %s ELSE turn + 1 END, last_claim_at = %s
WHERE id = %s AND paused_at IS NULL
    AND max_running > (SELECT count(*) FROM scheduling_task WHERE queue_id = %s AND status = 'running')
"""


def lock_queue(queue_id: int) -> None:
    """Let nobody else claim from this queue until the transaction ends.

    Without it two claims would both see the last free place, and go for the same task. On SQLite a transaction keeps
    all others from writing from its start.
    """
    note_lock("queue", queue_id)
    if connection.features.has_select_for_update:
        statements.rows(_LOCK_QUEUE, queue_id)


def lock_queue_if_free(queue_id: int) -> bool:
    """Lock the queue as `lock_queue`, unless that would mean to wait; return whether it is locked.

    Who does not wait may ask with other locks in hand, whatever their order.
    """
    if connection.features.has_select_for_update and not statements.rows(_LOCK_QUEUE_IF_FREE, queue_id):
        return False
    note_lock("queue", queue_id)
    return True


def take_place(queue_id: int, turn: int, *, now: datetime) -> bool:
    """Move the queue on past this turn for one more running task; False when it is full or paused.

    With the queue locked by an earlier statement: this one counts what ran when it began.
    """
    require_lock("queue", queue_id)
    return bool(statements.run(_TAKE_PLACE, turn, turn + 1, now, queue_id, queue_id))
