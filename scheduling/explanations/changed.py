"""What was changed of a schedule, or of what a run was made of, in a time: it may be why something did not happen."""

from __future__ import annotations

from datetime import datetime

from django.db.models import DateTimeField, Q, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce

from scheduling.lifecycle.events import say_again
from scheduling.models import Run, Schedule, SchedulerLog, Task
from scheduling.states import EventType, RunKind, Starter
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
    if run.kind == RunKind.BATCH and run.entity_id is not None:
        return _newest(meanwhile & Q(entity_id=run.entity_id), of)
    if run.plans:
        return _newest(meanwhile & Q(plan__name__in=run.plans), of)
    targets = Task.objects.filter(run=run.pk, workload=RunKind.JOB).values("target_id")
    return _newest(meanwhile & Q(job__in=targets), of)


def _before(run: Run) -> QuerySet[Run]:
    """Return the runs of the same before a run, newest first; of one for a slot those for slots of its schedule."""
    same = {"entity_id": run.entity_id} if run.entity_id is not None else {"title": run.title}
    earlier = Run.objects.filter(kind=run.kind, id__lt=run.pk, **same).order_by("-id")
    if Starter.of(run.fire_key) != Starter.SCHEDULE:
        return earlier
    *schedule, _slot = run.fire_key.split(":", 3)
    return earlier.filter(fire_key__startswith=":".join([*schedule, ""]))


def _newest(which: Q, of: Entities) -> list[SchedulerLog]:
    seen = visible(SchedulerLog.objects.filter(which, event_type=EventType.CHANGED), of)
    changed = list(seen.order_by("-event_time", "-id")[:MOST])
    say_again(changed)
    return changed
