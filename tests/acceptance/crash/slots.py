"""The declared job of the matrix: it runs every ten minutes and notes each slot it worked for."""

from typing import Any

from django.db import connection

from scheduling.jobs.declare import every, job, retry


@job("Work")
@every(10, catch_up=9)
@retry(attempts=4, interval_seconds=0)
def work(context: Any) -> str:
    """Note the slot."""
    context.progress(1, 2, "half")
    context.logger.info("slot %s", context.scheduled_for)
    with connection.cursor() as cursor:
        cursor.execute("INSERT INTO crash_slot (slot) VALUES (%s)", [f"{context.scheduled_for:%H:%M}"])
    return "done"
