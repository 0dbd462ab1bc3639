"""The script workload: one saved SQL statement, its values as parameters only, all of it or nothing.

The engine commits the statement together with the outcome of the attempt: a script whose attempt was given up, or
cancelled, while it ran is rolled back, and one whose worker dies counts once or not at all.
"""

import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from functools import partial
from typing import Any

from django.db import OperationalError, ProgrammingError, connection, transaction
from django.db.backends.utils import CursorWrapper
from psycopg.errors import Diagnostic

from scheduling import clock
from scheduling.errors import AttemptCancelled, FatalJobError
from scheduling.models import SqlScript, Task
from scheduling.states import TaskStatus
from scheduling.workloads.outcome import Outcome, Warnings
from scheduling.workloads.pulse import STOPPING, Pulse
from scheduling.workloads.script_role import answer_confined, run_confined
from staging.wording import counted, say

# SQLite asks every so many of its own steps whether to go on.
_STEPS = 100_000


def execute(task: Task, pulse: Pulse, time: clock.TimeSource) -> Outcome:
    """Run the script in the caller's transaction; return how many rows it touched.

    Raises database errors, the time-out among them, FatalJobError when it wants what scripts may not, and
    AttemptCancelled.
    """
    script = _in_force(SqlScript.objects.filter(pk=task.target_id or 0).first())
    started = clock.monotonic()
    with connection.cursor() as cursor, _watched(cursor, script.timeout_seconds) as warned:
        rows = run_confined(cursor, script.sql, task.arguments)
    # No beat: it would lock the attempt before the run, and the outcome looks at the fence by itself.
    if pulse.is_cancel_requested():
        raise AttemptCancelled(say("Cancelled on request; the script was rolled back."))
    elapsed = int((clock.monotonic() - started) * 1000)
    done = say("{rows}.", rows=counted(rows, "row", "rows"))
    warnings = warned.number
    return Outcome(TaskStatus.COMPLETED, warned.after(done), rows=rows, duration_ms=elapsed, warnings=warnings)


def ask(
    script: SqlScript | None, arguments: Mapping[str, Any], pulse: Pulse, read: Callable[..., Any] | None = None
) -> Any:
    """Return what the query of a script answers first: the first column of its first row, None without a row.

    On PostgreSQL as text. `read`: how else to ask it. It runs with the rights of scripts, and nothing that it does
    stays. Raises as `execute`; a statement that is wrong by itself is a ProgrammingError, on SQLite too, which calls it
    by the same name as a lock.
    """
    script = _in_force(script)
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            with _watched(cursor, script.timeout_seconds):
                answer = (read or answer_confined)(cursor, script.sql, arguments)
            transaction.set_rollback(True)
    except OperationalError as error:
        if getattr(error.__cause__, "sqlite_errorcode", None) == sqlite3.SQLITE_ERROR:
            raise ProgrammingError(*error.args) from error
        raise
    finally:
        if not connection.in_atomic_block:
            connection.close()  # with whatever the query did to its session, which no transaction takes back
    if pulse.is_cancel_requested():
        raise AttemptCancelled(say("Cancelled on request."))
    return answer


def _in_force(script: SqlScript | None) -> SqlScript:
    if script is None or script.is_cancelled:
        raise FatalJobError(say("The script was cancelled.") if script else say("The script does not exist any more."))
    return script


def ended(task: Task, outcome: Outcome, *, now: datetime) -> str:
    """Nothing is left behind: the database rolled back what was not committed."""
    return ""


@contextmanager
def _watched(cursor: CursorWrapper, seconds: int) -> Iterator[Warnings]:
    """Stop a statement that takes longer, on SQLite also when this process is to stop; the database raises.

    Yields what PostgreSQL warns of meanwhile: RAISE WARNING, and its own warnings. SQLite gives none.
    """
    warned = Warnings()
    own = connection.connection
    if connection.vendor == "postgresql":

        def note(notice: Diagnostic) -> None:
            if notice.severity_nonlocalized == "WARNING":
                warned.add(notice.message_primary or "")

        cursor.execute("SELECT set_config('statement_timeout', %s, true)", [f"{seconds}s"])
        own.add_notice_handler(note)
        forget = partial(own.remove_notice_handler, note)
    else:
        until = clock.monotonic() + seconds
        own.set_progress_handler(lambda: clock.monotonic() > until or STOPPING.is_told(), _STEPS)
        forget = partial(own.set_progress_handler, None, 0)
    try:
        yield warned
    finally:
        forget()
