"""Gathers what decisions are made from, in few statements for any number of configurations."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import cast

from django.db.models import Max

from scheduling.decisions.decision import Statistics
from scheduling.decisions.wording import pause_sentence
from scheduling.models import Attempt, Schedule, SchedulerConfiguration, SchedulerState, Task
from scheduling.states import AttemptOutcome, TaskStatus
from staging.tables.inspect import table_problems_of
from staging.tables.statistics import pending_statistics


def measure(configurations: Iterable[SchedulerConfiguration]) -> dict[int, Statistics]:
    """Return the statistics of each configuration by entity id."""
    configurations = list(configurations)
    pending = pending_statistics([c.entity for c in configurations])
    paused = _everything_paused()
    running = [c.running_task_id for c in configurations if c.running_task_id]
    signs, unclaimed = _signs_of_life(running), _unclaimed(running)
    return {
        c.entity_id: Statistics(
            pending[c.entity_id], signs.get(c.running_task_id or 0), paused, c.running_task_id in unclaimed
        )
        for c in configurations
    }


def measured(schedule: Schedule, now: datetime) -> Statistics:
    """Return the statistics of one schedule of any kind, outside a cycle.

    What runs as a run of its own counts as alive: one that lost its workers is ended by recovery.
    """
    if schedule.READS_ROWS:
        configuration = cast(SchedulerConfiguration, schedule)
        return inspected([(configuration, measure([configuration])[configuration.entity_id])])[0]
    return Statistics(last_sign_of_life=now, everything_paused=_everything_paused())


def inspected(known: Sequence[tuple[SchedulerConfiguration, Statistics]]) -> list[Statistics]:
    """Return these statistics with what others altered about the entities' tables; a cycle asks for what would fire."""
    looked = [configuration.entity for configuration, of in known if not of.pending.error]
    problems = table_problems_of(looked) if looked else {}
    return [replace(of, altered=" ".join(problems.get(configuration.entity_id, ()))) for configuration, of in known]


def _everything_paused() -> str:
    """Return the sentence that says so, empty when not everything is paused."""
    state = SchedulerState.current()
    return pause_sentence("Everything is paused", state) if state.paused_at else ""


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
