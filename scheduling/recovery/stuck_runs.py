"""Moves runs on in which nothing is queued or running: the safety net under the workers that advance them."""

from datetime import datetime

from django.db.models import Exists, OuterRef

from scheduling import broker
from scheduling.lifecycle.tasks import lock_run
from scheduling.models import Run, Task
from scheduling.queues.wake import wake_lines
from scheduling.recovery.silent import isolated
from scheduling.runs.advance import settle
from scheduling.states import RunStatus, TaskStatus


def advance_stuck_runs(now: datetime) -> int:
    """Advance every run that has not ended though nothing of it is queued or running; return how many moved."""
    moving = Task.objects.filter(run=OuterRef("pk"), status__in=[TaskStatus.QUEUED, TaskStatus.RUNNING])
    stuck = Run.objects.exclude(status__in=RunStatus.final()).filter(~Exists(moving))
    return sum(isolated(_advance, run, now) for run in stuck)


def _advance(run: Run, now: datetime) -> bool:
    """Advance one run; False when it ended meanwhile."""
    if not lock_run(run.pk):
        return False
    queued = settle(run.pk, now)
    broker.after_commit(lambda: wake_lines(queued, now))
    return True
