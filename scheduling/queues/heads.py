"""Who may be claimed next: the first task of each priority of a queue, one look into an index for each."""

from collections.abc import Iterator
from typing import Any

from scheduling import statements
from scheduling.models import Run, Task

_IN_LINE = "queue_id = %s AND status = 'queued' AND next_attempt_at IS NULL"

_IS_LINE = f"SELECT 1 FROM scheduling_task WHERE {_IN_LINE} LIMIT 1"  # noqa: S608 (our own text)

# Written so that the index task_in_line answers it, whatever the database guesses about the table: it has just changed.
_HEAD = f"""
SELECT task.*, run.status AS run_status, run.trigger_source AS run_trigger_source,
    (SELECT priority FROM scheduling_task WHERE {_IN_LINE} AND priority < task.priority
     ORDER BY priority DESC, turn, id LIMIT 1) AS next_priority
FROM scheduling_task AS task JOIN scheduling_run AS run ON run.id = task.run_id
WHERE task.id = (
    SELECT id FROM scheduling_task WHERE {_IN_LINE} AND priority <= %s ORDER BY priority DESC, turn, id LIMIT 1
)
"""  # noqa: S608 (our own text)
_HIGHEST = 32_767


def is_line(queue_id: int) -> bool:
    """Return whether any task of the queue may be claimed."""
    return bool(statements.rows(_IS_LINE, queue_id))


def heads(queue_id: int) -> Iterator[Task]:
    """Yield the first task of each priority, highest first, with what a claim and the log need of its run."""
    priority: int | None = _HIGHEST
    while priority is not None:
        found: list[Any] = list(Task.objects.raw(_HEAD, (queue_id, queue_id, priority)))
        for task in found:
            # The other columns of the run are read when somebody asks for them.
            values = (task.run_id, task.run_status, task.run_trigger_source)
            task.run = Run.from_db(None, ("id", "status", "trigger_source"), values)
            yield task
        priority = found[0].next_priority if found else None
