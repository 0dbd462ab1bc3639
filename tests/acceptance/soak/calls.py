"""The function that the runs of a soak call: it notes that it started, works a little, and fails now and then."""

import hashlib
import time
from typing import Any

from django.db import connection

from scheduling.workloads.call import task

_STEPS, _STEP_SECONDS = 4, 0.05


@task("soak step")
def step(context: Any, label: str) -> str:
    """Note the attempt and work; every fifth attempt fails, the same ones for the same label."""
    number = context.task.attempts_made
    with connection.cursor() as cursor:
        cursor.execute("INSERT INTO audit_start (task_id, number) VALUES (%s, %s)", [context.task.pk, number])
    for done in range(_STEPS):
        context.progress(done, _STEPS)
        time.sleep(_STEP_SECONDS)
    if hashlib.sha256(f"{label}:{number}".encode()).digest()[0] % 5 == 0:
        raise ValueError("fails now and then")
    return "Done."
