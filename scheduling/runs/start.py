"""Creates runs: the run, its task, its batch, the guard and the log in one transaction, the wake-up after commit."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction

from scheduling import broker, events
from scheduling.errors import AlreadyRunning
from scheduling.lifecycle.guard import take_guard
from scheduling.models import Run, SchedulerConfiguration, Task
from scheduling.queues.claim import default_queue
from scheduling.states import EventType, RunKind, TaskStatus
from scheduling.workloads import batch as batch_workload
from staging.models import Batch


@dataclass(frozen=True)
class Started:
    """What a fire created."""

    run: Run
    task: Task
    batch: Batch


class _FasterElsewhere(Exception):
    """Rolls the transaction back: somebody else fired, edited or stopped this configuration first."""


def fire(
    configuration: SchedulerConfiguration,
    *,
    fire_key: str,
    trigger_source: str,
    slots: Mapping[str, datetime | None],
    slot: datetime | None,
    now: datetime,
    details: dict[str, Any] | None = None,
    rows_queued: int | None = None,
) -> Started | None:
    """Start the batch that the scheduler decided on; None when somebody was faster, which is a normal answer.

    `slots` are the columns by which the schedule moves on together with the fire.
    """
    try:
        return _start(
            configuration,
            fire_key=fire_key,
            trigger_source=trigger_source,
            started_by="scheduler",
            slot=slot,
            slots=slots,
            by_itself=True,
            now=now,
            log={"details": details or {}, "rows_queued": rows_queued},
        )
    except _FasterElsewhere:
        return None


def start_batch_now(configuration: SchedulerConfiguration, *, tag: str = "", started_by: str, now: datetime) -> Started:
    """Start a batch because a person asked, outside the schedule.

    Raises AlreadyRunning when a batch of this entity runs: manual starts obey the same guard.
    """
    try:
        return _start(
            configuration,
            fire_key=f"configuration:{configuration.pk}:manual:{uuid.uuid4()}",
            trigger_source="Manual",
            started_by=started_by,
            slot=None,
            slots={},
            by_itself=False,
            tag=tag,
            now=now,
            log={},
        )
    except _FasterElsewhere:
        raise AlreadyRunning(f"A batch of {configuration.entity.name} is already running.") from None


def _start(
    configuration: SchedulerConfiguration,
    *,
    fire_key: str,
    trigger_source: str,
    started_by: str,
    slot: datetime | None,
    slots: Mapping[str, datetime | None],
    by_itself: bool,
    now: datetime,
    log: dict[str, Any],
    tag: str = "",
) -> Started:
    """Create everything of one fire or nothing. Raises _FasterElsewhere when the key or the guard is taken."""
    try:
        with transaction.atomic():
            run, task = _create(configuration, fire_key, slot, trigger_source, started_by, now)
            batch = batch_workload.open_for(
                task, tag=tag, trigger_source=trigger_source, started_by=started_by, now=now
            )
            if not take_guard(
                configuration, task=task, source=trigger_source, now=now, by_itself=by_itself, slots=slots
            ):
                raise _FasterElsewhere
            message = f"Batch started. {trigger_source}." if by_itself else f"Batch started by {started_by}."
            events.record(
                EventType.FIRED,
                now=now,
                entity_id=configuration.entity_id,
                trigger_source=trigger_source,
                message=message,
                batch_id=batch.pk,
                run_id=run.pk,
                **log,
            )
            broker.wake_after_commit([task.pk])
    except IntegrityError:
        if Run.objects.filter(fire_key=fire_key).exists():
            raise _FasterElsewhere from None
        raise
    return Started(run, task, batch)


def _create(
    configuration: SchedulerConfiguration,
    fire_key: str,
    slot: datetime | None,
    trigger_source: str,
    started_by: str,
    now: datetime,
) -> tuple[Run, Task]:
    """Insert the run and its one task, queued."""
    run = Run.objects.create(
        kind=RunKind.BATCH,
        entity=configuration.entity,
        fire_key=fire_key,
        scheduled_for=slot,
        trigger_source=trigger_source,
        started_by=started_by,
        created_at=now,
    )
    task = Task.objects.create(
        run=run,
        workload=RunKind.BATCH,
        entity=configuration.entity,
        queue=default_queue(),
        status=TaskStatus.QUEUED,
        queued_at=now,
        sent_at=now,
    )
    return run, task
