"""Starts the batch that takes another one back: the same guard and queue as a batch started by hand."""

from dataclasses import dataclass
from datetime import datetime

from scheduling.models import SchedulerConfiguration
from scheduling.runs.by_hand import StartedBatch, start_batch_now
from staging.batches.errors import UndoRefused
from staging.batches.undo.undo import UndoOutlook, foresee
from staging.models import Batch


@dataclass(frozen=True)
class UndoAnswer:
    """What an undo will do, and the run that does it; None when members stand in its way and nothing was started."""

    foreseen: UndoOutlook
    started: StartedBatch | None


def start_undo(of: Batch, *, skip_changed: bool = False, by: str, now: datetime) -> UndoAnswer:
    """Start the undo of a batch, unless members that cannot be taken back stand in its way and are not to be skipped.

    Raises UndoRefused when the batch cannot be undone at all, AlreadyRunning when a batch of the entity runs, and
    EntityCancelled.
    """
    configuration = SchedulerConfiguration.objects.select_related("entity").filter(entity_id=of.entity_id).first()
    if configuration is None:
        raise UndoRefused(f"{of.entity.name} has no configuration, so nothing of it can be started.")
    foreseen = foresee(of, now)
    if foreseen.conflicts and not skip_changed:
        return UndoAnswer(foreseen, None)
    started = start_batch_now(
        configuration,
        started_by=by,
        trigger_source=f"Undo of batch {of.pk}",
        message=f"Undo of batch {of.pk} started by {by}.",
        opening={"undoes_id": of.pk, "skip_changed": skip_changed},
        now=now,
    )
    return UndoAnswer(foreseen, started)
