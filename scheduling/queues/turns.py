"""Who is next among equals: gives every queued task a turn, so that runs share a queue fairly.

A run's tasks stand SHARE apart, starting where the queue has come to. A run that queues a thousand tasks at once is
therefore overtaken by the first task of a run that comes a minute later, and the two then take turns. Every claim moves
the queue at least one on, so a turn that was given is reached: nothing starves.
"""

from scheduling import statements

SHARE = 64

# Where the queue has come to, the run's last turn in it, and the turn of who is next.
_PLACE = """
SELECT turn,
    (SELECT turn FROM scheduling_task WHERE run_id = %s AND queue_id = %s ORDER BY turn DESC LIMIT 1),
    (SELECT turn FROM scheduling_task
     WHERE queue_id = %s AND status = 'queued' AND next_attempt_at IS NULL AND priority = %s
     ORDER BY priority DESC, turn, id LIMIT 1)
FROM scheduling_queue WHERE id = %s
"""


def next_turns(run_id: int | None, queue_id: int, priority: int, number: int) -> list[int]:
    """Return the turns of `number` tasks of one run that are queued now, in this order; one statement.

    A run that is not stored yet has no turn before.
    """
    ((came, last_turn, head),) = statements.rows(_PLACE, run_id, queue_id, queue_id, priority, queue_id)
    first = max(came if head is None else min(came, head), 1)
    if last_turn:
        first = max(first, last_turn + SHARE)
    return [first + SHARE * number for number in range(number)]
