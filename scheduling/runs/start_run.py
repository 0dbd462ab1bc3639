"""Starts a run of a manifest: everything in one transaction or nothing, the wake-ups after the commit."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction

from scheduling import events
from scheduling.dag.manifest import Manifest
from scheduling.errors import FiredBefore
from scheduling.models import Run
from scheduling.queues.wake import wake_lines_after_commit
from scheduling.runs.create import RunHead, create_run
from scheduling.runs.rights import Person, refuse_without_right
from scheduling.states import EventType, TaskStatus


def start_run(
    manifest: Manifest,
    *,
    kind: str,
    title: str,
    plans: Sequence[str] = (),
    trigger_source: str,
    started_by: str,
    fire_key: str,
    scheduled_for: datetime | None = None,
    restart_of: Run | None = None,
    event: Mapping[str, Any] | None = None,
    person: Person | None = None,
    now: datetime,
) -> Run:
    """Start a run of these tasks in this order and log that it fired; `event` adds to the log event or replaces.

    The transaction around it may be the caller's, so that whoever fires moves its schedule on together with the run.
    `person`: who asked for it, when somebody did. Raises InvalidManifest, NotAllowed when the person may not start
    something of it, and FiredBefore when a run with this fire key exists.
    """
    refuse_without_right(manifest, person)
    head = RunHead(kind, fire_key, trigger_source, started_by, title, plans, scheduled_for, restart_of)
    try:
        with transaction.atomic():
            run, tasks = create_run(manifest, head, now)
            message = f"{title} started by {started_by}." if started_by else f"{title} started."
            fields = {"trigger_source": trigger_source, "message": message, "run_id": run.pk, **(event or {})}
            events.record(EventType.FIRED, now=now, **fields)
            queued = Counter(task.queue_id for task in tasks if task.status == TaskStatus.QUEUED)
            wake_lines_after_commit(queued, now)
    except IntegrityError:
        if Run.objects.filter(fire_key=fire_key).exists():
            raise FiredBefore(f"{title} was started for this moment before.") from None
        raise
    return run
