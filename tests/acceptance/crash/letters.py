"""The job of the matrix that is enqueued: for each order that was stored it writes one letter."""

from typing import Any

from django.db import connection, transaction

from scheduling import clock
from scheduling.jobs.declare import job, retry
from scheduling.runs.enqueue import enqueue


@job("Letter")
@retry(attempts=4, interval_seconds=0)
def letter(context: Any, number: int) -> None:
    """Write the letter of an order."""
    with connection.cursor() as cursor:
        cursor.execute("INSERT INTO crash_slot (slot) VALUES (%s)", [f"letter {number}"])


def order(time: clock.TimeSource) -> None:
    """Store one more order and enqueue its letter, both or neither."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM crash_slot WHERE slot LIKE 'order%'")
        number = cursor.fetchone()[0]
        cursor.execute("INSERT INTO crash_slot (slot) VALUES (%s)", [f"order {number}"])
        enqueue(letter, {"number": number}, key=str(number), now=time())
