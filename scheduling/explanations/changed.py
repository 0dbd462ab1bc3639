"""What was changed of a schedule, or of what a run was made of, in a time: it may be why something did not happen."""

from __future__ import annotations

from datetime import datetime

from django.db.models import DateTimeField, Q, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce

from scheduling.lifecycle.events import say_again
from scheduling.models import Run, Schedule, SchedulerLog, Task
from scheduling.states import EventType, RunKind
from staging.rights import Entities, visible

MOST = 5


def changes_of(schedule: Schedule, since: datetime, until: datetime, *, of: Entities) -> list[SchedulerLog]:
    """Return the last changes of a schedule in a period, newest first; one statement.

    `of`: whose events the reader may see. A change of a plan may name what somebody limited to entities does not see.
    """
    return _newest(Q(**schedule.subject, event_time__range=(since, until)), of)


def changes_around(run: Run, *, of: Entities) -> list[SchedulerLog]:
    """Return the last changes of what a run was made of, since the run before it and until it ended; one statement.

    Of the first one: since its own slot, or its start.
    """
    at = Value(run.scheduled_for or run.created_at, output_field=DateTimeField())
    meanwhile = Q(event_time__gte=Coalesce(Subquery(_before(run).values("created_at")[:1]), at))
    if run.finished_at is not None:
        meanwhile &= Q(event_time__lte=run.finished_at)
    return _newest(meanwhile & _about(run), of)


def changes_between(first: Run, last: Run, *, of: Entities) -> list[SchedulerLog]:
    """Return the last changes of what two runs were made of, since the first was made and until the last ended.

    One statement.
    """
    meanwhile = Q(event_time__gte=first.created_at)
    if last.finished_at is not None:
        meanwhile &= Q(event_time__lte=last.finished_at)
    return _newest(meanwhile & (_about(first) | _about(last)), of)


def _about(run: Run) -> Q:
    """Return which events are about what a run was made of."""
    if run.kind == RunKind.BATCH and run.entity_id is not None:
        return Q(entity_id=run.entity_id)
    if run.plans:
        return Q(plan__name__in=run.plans)
    return Q(job__in=Task.objects.filter(run=run.pk, workload=RunKind.JOB).values("target_id"))


def _before(run: Run) -> QuerySet[Run]:
    """Return the runs of the same before a run, newest first; of one for a slot those for slots of its schedule."""
    earlier = Run.objects.like(run).filter(id__lt=run.pk).order_by("-id")
    *schedule, _slot = run.fire_key.split(":", 3)
    if schedule[2:] != ["slot"]:
        return earlier
    return earlier.filter(fire_key__startswith=":".join([*schedule, ""]))


def _newest(which: Q, of: Entities) -> list[SchedulerLog]:
    seen = visible(SchedulerLog.objects.filter(which, event_type=EventType.CHANGED), of)
    changed = list(seen.order_by("-event_time", "-id")[:MOST])
    say_again(changed)
    return changed
