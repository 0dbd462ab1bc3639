"""An empty task of ours and one of Celery's own."""

import time
from typing import Any

from celery import shared_task

from scheduling.workloads.call import task


@task("empty")
def empty_call(context: Any) -> None:
    """Do nothing."""


@shared_task(name="advancing.empty", ignore_result=False)
def empty(*_: Any) -> None:
    """Do nothing."""


@shared_task(name="advancing.stamp", ignore_result=False)
def stamp(*_: Any) -> float:
    """Return when this task ran, in seconds since the epoch."""
    return time.time()
