"""Gathers what decisions are made from, in few statements for any number of configurations."""

from collections.abc import Iterable
from datetime import datetime

from django.db.models import Max

from scheduling.decisions.decision import Statistics
from scheduling.decisions.wording import pause_sentence
from scheduling.models import Attempt, SchedulerConfiguration, SchedulerState, Task
from scheduling.states import AttemptOutcome, TaskStatus
from staging.tables.statistics import pending_statistics


def measure(configurations: Iterable[SchedulerConfiguration]) -> dict[int, Statistics]:
    """Return the statistics of each configuration by entity id."""
    configurations = list(configurations)
    pending = pending_statistics([c.entity for c in configurations])
    state = SchedulerState.current()
    paused = pause_sentence("Everything is paused", state) if state.paused_at else ""
    running = [c.running_task_id for c in configurations if c.running_task_id]
    signs, unclaimed = _signs_of_life(running), _unclaimed(running)
    return {
        c.entity_id: Statistics(
            pending[c.entity_id], signs.get(c.running_task_id or 0), paused, c.running_task_id in unclaimed
        )
        for c in configurations
    }


def _signs_of_life(task_ids: list[int]) -> dict[int, datetime]:
    """Return the last heartbeat of each task's live attempt."""
    if not task_ids:
        return {}
    live = Attempt.objects.filter(task_id__in=task_ids, outcome=AttemptOutcome.RUNNING)
    return dict(live.values_list("task_id").annotate(Max("heartbeat_at")))


def _unclaimed(task_ids: list[int]) -> set[int]:
    """Return the tasks that still wait for a worker: nothing of theirs can have died."""
    if not task_ids:
        return set()
    return set(Task.objects.filter(pk__in=task_ids, status=TaskStatus.QUEUED).values_list("pk", flat=True))
