"""The batch workload: opens a batch with its run, processes it under the attempt's fence, says how it ended.

Afterwards it tries rows again whose codes have come meanwhile, and says so in the log.
"""

import logging
from collections.abc import Sequence
from datetime import datetime

from django.db import OperationalError, transaction
from django.utils.translation import gettext_noop

from scheduling import clock
from scheduling.errors import AttemptCancelled, EntityCancelled
from scheduling.lifecycle import events
from scheduling.lifecycle.guard import (
    count_from_completion,
    release_cancelled,
    release_completed,
    release_failed,
    release_lost,
)
from scheduling.models import SchedulerConfiguration, SchedulerLog, Task
from scheduling.states import EventType, IntervalAnchor, ProcessingMode, RunKind, TaskStatus
from scheduling.workloads.outcome import Outcome
from scheduling.workloads.pulse import Pulse
from staging.batches import late
from staging.batches.late import CameHome, Failed
from staging.batches.pipeline import process
from staging.batches.record import cancel_batch, fail_batch, open_batches
from staging.errors import lost_deadlock
from staging.models import Batch
from staging.states import BatchStatus
from staging.tracing import lines_also_of, span
from staging.transactions import in_transaction
from staging.wording import reading, said_together, say

# What the arguments of a task may say of its batch; a restart opens the same kind of batch again.
_OPENING = ("tag", "approves_id", "selected_rows", "undoes_id", "skip_changed")

_COUNTED = {
    "inserted": gettext_noop("{number:,} inserted"),
    "updated": gettext_noop("{number:,} updated"),
    "unchanged": gettext_noop("{number:,} unchanged"),
    "deactivated": gettext_noop("{number:,} deactivated"),
    "deleted": gettext_noop("{number:,} deleted"),
    "rejected": gettext_noop("{number:,} rejected"),
    "superseded": gettext_noop("{number:,} superseded"),
    "warned": gettext_noop("{number:,} with a warning"),
}

logger = logging.getLogger(__name__)

# Seconds before a batch that lost a deadlock is taken up again; whoever won has to come to its end meanwhile.
_PAUSES_AFTER_DEADLOCK = (0.5, 2.0)

_SOURCE = "Late reference"
_ONE_WAITS_AGAIN = gettext_noop(
    "{rows} rejected row of {entity} waits again: the codes came with batch {batch} of {other}."
)
_MANY_WAIT_AGAIN = gettext_noop(
    "{rows:,} rejected rows of {entity} wait again: the codes came with batch {batch} of {other}."
)


@in_transaction
def open_for(tasks: Sequence[Task], now: datetime) -> list[Batch]:
    """Open the batches that these tasks will process, as their arguments say; in one statement."""
    return open_batches([_wanted(task, now) for task in tasks])


def _wanted(task: Task, now: datetime) -> Batch:
    """Return the batch that a task asks for, not opened yet."""
    if task.entity_id is None:
        raise ValueError(say("{task} has no entity to process.", task=task))
    run = task.run
    opening = {name: task.arguments[name] for name in _OPENING if name in task.arguments}
    by = {"trigger_source": run.trigger_source, "started_by": run.started_by}
    return Batch(entity_id=task.entity_id, task_id=task.pk, created_at=now, **by, **opening)


def execute(task: Task, pulse: Pulse, time: clock.TimeSource) -> Outcome:
    """Process the task's batch; return how it ended.

    Raises AttemptLost when the attempt was released meanwhile. Every other error ends the batch as failed with the
    error's text: rows that were not merged are still pending.
    """
    if task.entity is not None and task.entity.is_cancelled:
        raise EntityCancelled(say("{entity} is retired: nothing of it is processed.", entity=task.entity.name))
    batch = _batch_of(task, pulse, time())
    lines_also_of(batch_id=batch.pk)
    started = clock.monotonic()
    try:
        with span("batch", batch_id=batch.pk, entity_id=task.entity_id):
            batch = _processed(batch, pulse, time)
    except AttemptCancelled as cancelled:
        cancel_batch(batch.pk, time())
        return _outcome(batch, TaskStatus.CANCELLED, str(cancelled), started)
    retry_late_rows(time())
    well = batch.status in (BatchStatus.COMPLETED, BatchStatus.HELD)
    message = reading(batch, "error") or summary(batch)
    return _outcome(batch, TaskStatus.COMPLETED if well else TaskStatus.FAILED, message, started)


def _processed(batch: Batch, pulse: Pulse, time: clock.TimeSource) -> Batch:
    """Process a batch to its end; one that lost a deadlock is taken up where it was: nothing is wrong with its rows.

    PostgreSQL ends a deadlock by rolling one side back, and expects that side to try again. Ours never wait for one
    another in a circle; a change of tables, or a statement that somebody typed, may.
    """
    for pause in _PAUSES_AFTER_DEADLOCK:
        try:
            return process(batch, fence=pulse, now=time())
        except OperationalError as error:
            if not lost_deadlock(error):
                raise
            logger.warning(
                "batch %s lost a deadlock and is taken up again",
                batch.pk,
                exc_info=True,
                extra={"event": "batch_deadlocked"},
            )
            clock.sleep(pause)
            batch = Batch.objects.get(pk=batch.pk)  # whoever won may have changed how its entity is defined
    return process(batch, fence=pulse, now=time())


def ended(task: Task, outcome: Outcome, *, now: datetime) -> str:
    """End the batch when its worker could not, and give the entity's guard back as the outcome demands."""
    if outcome.status == TaskStatus.COMPLETED:
        release_completed(task, warnings=outcome.warnings, now=now)
        _rearm_from_completion(task, now)
        return ""
    for batch_id in Batch.objects.filter(task_id=task.pk).values_list("id", flat=True):
        if outcome.status == TaskStatus.CANCELLED:
            cancel_batch(batch_id, now)
        else:
            fail_batch(batch_id, outcome.message, now)
    if outcome.status == TaskStatus.CANCELLED:
        release_cancelled(task)
        return ""
    if outcome.is_lost:
        # Only a run of its own serves a slot of the entity; a plan's slot is the plan's.
        release_lost(task, slot=task.run.scheduled_for if task.run.kind == RunKind.BATCH else None, now=now)
        return ""
    until = release_failed(task, now=now)
    return say(" Not tried again before {until}.", until=until) if until and task.run.kind == RunKind.BATCH else ""


def summary(batch: Batch) -> str:
    """Return one sentence with the counts that are not zero, or why the batch is held."""
    if batch.status == BatchStatus.HELD:
        return say("Held: {hold_reason}", hold_reason=reading(batch, "hold_reason"))
    numbers = {words: getattr(batch, name) for name, words in _COUNTED.items()}
    counts = [say(words, number=number) for words, number in numbers.items() if number]
    return say("{counts}.", counts=said_together(*counts, by=", ")) if counts else say("No rows were waiting.")


def _outcome(batch: Batch, status: TaskStatus, message: str, started: float) -> Outcome:
    batch.refresh_from_db()
    elapsed = int((clock.monotonic() - started) * 1000)
    held = batch.status == BatchStatus.HELD
    rows = batch.rows_total if held else batch.rows_done
    warnings = 0 if held else batch.warnings
    return Outcome(status, message, rows=rows, batch_id=batch.pk, duration_ms=elapsed, is_held=held, warnings=warnings)


def _batch_of(task: Task, pulse: Pulse, now: datetime) -> Batch:
    """Return the batch of this attempt: the one opened with the run, or that a lost worker left, or a new one.

    A new one is opened under the fence: a worker that slept while its task ended would open one that nobody ends.
    """
    ended = [*BatchStatus.final(), BatchStatus.HELD]
    live = Batch.objects.filter(task_id=task.pk).exclude(status__in=ended).first()
    if live is not None:
        return live
    with transaction.atomic():
        pulse.check(0, None)
        return open_for([task], now)[0]


def _rearm_from_completion(task: Task, now: datetime) -> None:
    """Move the next run of a schedule that counts from the end of its last run."""
    configuration = SchedulerConfiguration.objects.filter(
        entity=task.entity,
        processing_mode=ProcessingMode.SCHEDULED,
        interval_anchor=IntervalAnchor.LAST_COMPLETION,
    ).first()
    if configuration is not None:
        count_from_completion(configuration, now=now)


def retry_late_rows(now: datetime) -> list[str]:
    """Set rows to pending whose references came with a batch that has ended; return the entities where that failed.

    Whatever fails here fails no batch and no other look: the next cycle looks again. The log tells it once.
    """

    def tell(came: CameHome) -> None:
        words = _ONE_WAITS_AGAIN if came.count == 1 else _MANY_WAIT_AGAIN
        events.record(
            EventType.RETRIED,
            now=now,
            entity_id=came.entity.pk,
            trigger_source=_SOURCE,
            message=say(words, rows=came.count, entity=came.entity, batch=came.batch.pk, other=came.batch.entity),
            rows_queued=came.count,
            batch_id=came.batch.pk,
        )

    try:
        _, failed = late.bring_home(tell)
    except Exception:
        logger.exception(
            "could not look for rows whose references have come; the next cycle looks again",
            extra={"event": "late_references_failed"},
        )
        return [_SOURCE]
    for one in failed:
        _tell_failure(one, now)
    return sorted({one.entity.code for one in failed})


def _tell_failure(failed: Failed, now: datetime) -> None:
    """Log what failed, unless it is what was told of this entity last."""
    before = SchedulerLog.objects.filter(event_type=EventType.ERROR, entity=failed.entity, trigger_source=_SOURCE)
    last = before.order_by("-event_time", "-pk").first()
    error = str(failed.error)
    if last is not None and last.details.get("error") == error:
        return
    logger.error(
        "could not look for late references of %s",
        failed.entity.code,
        exc_info=failed.error,
        extra={"event": "late_references_failed", "entity_id": failed.entity.pk, "batch_id": failed.batch.pk},
    )
    events.record(
        EventType.ERROR,
        now=now,
        entity_id=failed.entity.pk,
        trigger_source=_SOURCE,
        batch_id=failed.batch.pk,
        message=say(
            "Rows of {entity} that may wait for codes of batch {batch} could not be looked at; "
            "each cycle tries again: {error}",
            entity=failed.entity,
            batch=failed.batch.pk,
            error=error,
        ),
        details={"error": error},
    )
