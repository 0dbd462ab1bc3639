"""Creates runs: the run, its task, its batch, the guard and the log in one transaction, the wake-up after commit."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction

from scheduling import events
from scheduling.dag.manifest import ManifestTask
from scheduling.errors import AlreadyRunning, EntityCancelled
from scheduling.lifecycle.guard import take_guard
from scheduling.models import Run, SchedulerConfiguration, Task
from scheduling.queues.wake import wake_lines_after_commit
from scheduling.runs.create import RunHead, create_run
from scheduling.states import EventType, RunKind
from scheduling.workloads import batch as batch_workload
from staging.models import Batch


@dataclass(frozen=True)
class Started:
    """What a fire created."""

    run: Run
    task: Task
    batch: Batch


@dataclass(frozen=True)
class _Cause:
    """Why a batch starts. `by_itself`: the scheduler decided it, on what it had read of the configuration."""

    fire_key: str
    trigger_source: str
    started_by: str
    message: str
    by_itself: bool = False
    tag: str = ""
    restart_of: Run | None = None
    slot: datetime | None = None
    slots: Mapping[str, Any] = field(default_factory=dict)
    log: Mapping[str, Any] = field(default_factory=dict)
    opening: Mapping[str, Any] = field(default_factory=dict)


class _FasterElsewhere(Exception):
    """Rolls the transaction back: somebody else fired, edited or stopped this configuration first."""


def fire(
    configuration: SchedulerConfiguration,
    *,
    fire_key: str,
    trigger_source: str,
    reason: str,
    slot: datetime | None,
    slots: Mapping[str, Any],
    now: datetime,
    rows_queued: int,
    details: Mapping[str, Any],
) -> Started | None:
    """Start the batch that the scheduler decided on; None when somebody was faster, which is a normal answer.

    `slots` are the columns by which the schedule moves on together with the fire.
    """
    cause = _Cause(
        fire_key,
        trigger_source,
        started_by="scheduler",
        message=f"Batch started. {reason}",
        by_itself=True,
        slot=slot,
        slots=slots,
        log={"rows_queued": rows_queued, "details": details},
    )
    try:
        return _start(configuration, cause, now)
    except _FasterElsewhere:
        return None


def start_batch_now(
    configuration: SchedulerConfiguration,
    *,
    tag: str = "",
    started_by: str,
    trigger_source: str = "Manual",
    message: str = "",
    opening: Mapping[str, Any] | None = None,
    restart_of: Run | None = None,
    now: datetime,
) -> Started:
    """Start a batch because a person asked, outside the schedule.

    `opening` are arguments of `open_batch` for a batch that is no usual one; the task keeps them for a restart.
    `restart_of` is the run that this one repeats.

    Raises AlreadyRunning when a batch of this entity runs (manual starts obey the same guard), and EntityCancelled.
    """
    if configuration.entity.is_cancelled:
        raise EntityCancelled(f"{configuration.entity.name} is cancelled: nothing of it is processed.")
    key = f"configuration:{configuration.pk}:manual:{uuid.uuid4()}"
    message = message or f"Batch started by {started_by}."
    cause = _Cause(
        key,
        trigger_source[:200],
        started_by,
        message=message,
        tag=tag,
        opening=opening or {},
        restart_of=restart_of,
    )
    try:
        return _start(configuration, cause, now)
    except _FasterElsewhere:
        raise AlreadyRunning(f"A batch of {configuration.entity.name} is already running.") from None


def _start(configuration: SchedulerConfiguration, cause: _Cause, now: datetime) -> Started:
    """Create everything of one fire or nothing. Raises _FasterElsewhere when the key or the guard is taken."""
    try:
        with transaction.atomic():
            started = _create(configuration, cause, now)
            if not take_guard(
                configuration,
                task=started.task,
                source=cause.trigger_source,
                now=now,
                by_itself=cause.by_itself,
                slots=cause.slots,
            ):
                raise _FasterElsewhere
            events.record(
                EventType.FIRED,
                now=now,
                entity_id=configuration.entity_id,
                trigger_source=cause.trigger_source,
                message=cause.message,
                batch_id=started.batch.pk,
                run_id=started.run.pk,
                **cause.log,
            )
            wake_lines_after_commit({started.task.queue_id: 1}, now)
    except IntegrityError:
        if Run.objects.filter(fire_key=cause.fire_key).exists():
            raise _FasterElsewhere from None
        raise
    return started


def _create(configuration: SchedulerConfiguration, cause: _Cause, now: datetime) -> Started:
    """Insert the run, its one task, queued, and its batch."""
    entity = configuration.entity
    arguments = {**({"tag": cause.tag} if cause.tag else {}), **cause.opening}
    manifest = (ManifestTask(key=entity.code, workload=RunKind.BATCH, target_id=entity.pk, arguments=arguments),)
    head = RunHead(
        kind=RunKind.BATCH,
        fire_key=cause.fire_key,
        trigger_source=cause.trigger_source,
        started_by=cause.started_by,
        scheduled_for=cause.slot,
        restart_of=cause.restart_of,
        entity_id=entity.pk,
    )
    run, (task,) = create_run(manifest, head, now)
    batch = batch_workload.open_for(
        task,
        tag=cause.tag,
        trigger_source=cause.trigger_source,
        started_by=cause.started_by,
        now=now,
        **cause.opening,
    )
    return Started(run, task, batch)
