"""What was changed of a schedule, or of what a run was made of, in a time: it may be why something did not happen."""

from __future__ import annotations

from datetime import datetime

from django.db.models import DateTimeField, Q, Subquery, Value
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
    """Return the last changes of what a run was made of, since the run before it; one statement.

    Runs of plans and jobs are asked about since their own slot.
    """
    since = run.scheduled_for or run.created_at
    if run.kind == RunKind.BATCH and run.entity_id is not None:
        earlier = Run.objects.filter(kind=run.kind, entity_id=run.entity_id, id__lt=run.pk).order_by("-id")
        at = Value(since, output_field=DateTimeField())
        return _newest(
            Q(entity_id=run.entity_id, event_time__gte=Coalesce(Subquery(earlier.values("created_at")[:1]), at)), of
        )
    if run.plans:
        return _newest(Q(plan__name__in=run.plans, event_time__gte=since), of)
    targets = Task.objects.filter(run=run.pk, workload=RunKind.JOB).values("target_id")
    return _newest(Q(job__in=targets, event_time__gte=since), of)


def _newest(which: Q, of: Entities) -> list[SchedulerLog]:
    seen = visible(SchedulerLog.objects.filter(which, event_type=EventType.CHANGED), of)
    changed = list(seen.order_by("-event_time", "-id")[:MOST])
    say_again(changed)
    return changed
