"""Gathers what decisions are made from, in few statements for any number of configurations."""

from collections.abc import Iterable

from django.db.models import Max

from scheduling.decisions.decision import Statistics
from scheduling.models import Attempt, SchedulerConfiguration
from scheduling.states import AttemptOutcome
from staging.tables.statistics import PendingRows, pending_statistics


def measure(configurations: Iterable[SchedulerConfiguration], *, rows: bool = True) -> dict[int, Statistics]:
    """Return the statistics of each configuration by entity id; without `rows` the staging tables are not read."""
    configurations = list(configurations)
    pending = pending_statistics([c.entity for c in configurations]) if rows else {}
    signs = _signs_of_life([c.running_task_id for c in configurations if c.running_task_id])
    nothing = PendingRows(count=0, oldest_at=None, newest_at=None)
    return {
        c.entity_id: Statistics(pending.get(c.entity_id, nothing), signs.get(c.running_task_id)) for c in configurations
    }


def _signs_of_life(task_ids: list[int]) -> dict:
    """Return the last heartbeat of each task's live attempt."""
    if not task_ids:
        return {}
    live = Attempt.objects.filter(task_id__in=task_ids, outcome=AttemptOutcome.RUNNING)
    return dict(live.values_list("task_id").annotate(Max("heartbeat_at")))
