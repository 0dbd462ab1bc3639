"""How long plans and steps usually may take, and by when they must be done: said, put at an instant, and missed.

Nothing is stopped by it: what takes longer, or is not done in time, is late, and people see that.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

from django.db.models import DateTimeField, Exists, ExpressionWrapper, F, OuterRef, Q, Value

from scheduling.cadence.quiet import next_time_of_day
from scheduling.cadence.words import read_time, write_time
from scheduling.dag.manifest import Due, Manifest
from scheduling.models import Plan, PlanStep, Run, Task
from scheduling.models.attempt import IS_TRIED_AGAIN
from staging.wording import say

DEADLINE_COLUMNS = ("expected_minutes", "due_by", "due_after_minutes")
_TICK = timedelta(microseconds=1)


def deadline_errors(thing: Plan | PlanStep) -> dict[str, list[str]]:
    """Return what is wrong with what a plan or a step says of its deadline, by field."""
    if thing.due_by is not None and thing.due_after_minutes is not None:
        return {"due_after_minutes": [say("It is due by a time of day, or so long after its slot; leave one out.")]}
    return {}


def expected_of(thing: Plan | PlanStep) -> timedelta | None:
    """Return how long it usually may take, None when it does not say."""
    return timedelta(minutes=thing.expected_minutes) if thing.expected_minutes else None


def due_text(thing: Plan | PlanStep) -> str:
    """Return the time of day by which it must be done as people write it, empty for none."""
    return write_time(thing.due_by) if isinstance(thing.due_by, time) else str(thing.due_by or "")


def due_of(thing: Plan | PlanStep, zone: str) -> Due | None:
    """Return by when it must be done, None when it does not say; a time of day is one in this zone."""
    if thing.due_by is None and not thing.due_after_minutes:
        return None
    after = timedelta(minutes=thing.due_after_minutes) if thing.due_after_minutes else None
    return Due(due_text(thing), after, zone)


def due_at(due: Due | None, slot: datetime) -> datetime | None:
    """Return the instant at which work for this slot must be done."""
    if due is None or due.after is not None:
        return None if due is None or due.after is None else slot + due.after
    return next_time_of_day(slot + _TICK, ZoneInfo(due.zone), read_time(due.by))


def dated(manifest: Manifest, slot: datetime | None) -> Manifest:
    """Return a manifest in which each task has its deadline; none without a slot that counts."""
    return tuple(
        replace(item, deadline_at=due_at(item.due, slot) if slot else None) if item.due else item for item in manifest
    )


def with_deadlines_of(run: Run, manifest: Manifest) -> Manifest:
    """Return a manifest in which each task has the deadline that it had in a run; for the next attempt of that one."""
    had = dict(run.tasks.filter(deadline_at__isnull=False).values_list("key", "deadline_at"))
    return tuple(replace(item, deadline_at=had[item.key]) if item.key in had else item for item in manifest)


def late_since(thing: Run | Task, now: datetime) -> datetime | None:
    """Return since when a run or a task is late, or was when it ended; None where it is, or was, in time.

    The deadline of a run that is tried again is missed while it waits, too; how long it usually takes is of each run.
    """
    end = thing.finished_at or now
    waits = isinstance(thing, Run) and thing.next_attempt_at is not None
    limits = [(thing.deadline_at, now if waits else end)]
    if thing.expected is not None and thing.started_at is not None:
        limits.append((thing.started_at + thing.expected, end))
    return min((limit for limit, until in limits if limit is not None and limit < until), default=None)


def late_runs(now: datetime) -> Q:
    """Return the condition of the runs that go on and are late, or of which a step is; what waits has its deadline."""
    steps = Task.objects.filter(late_now(now), run=OuterRef("pk"))
    live = Q(finished_at__isnull=True) & (late_now(now) | Q(Exists(steps)))
    return live | (IS_TRIED_AGAIN & Q(deadline_at__lt=now))


def late_now(now: datetime) -> Q:
    """Return the condition of the runs, or the tasks, that have not ended and are late themselves."""
    begun = ExpressionWrapper(Value(now, DateTimeField()) - F("expected"), output_field=DateTimeField())
    return Q(finished_at__isnull=True) & (Q(deadline_at__lt=now) | Q(started_at__lt=begun))
