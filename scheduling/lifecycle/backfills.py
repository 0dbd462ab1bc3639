"""Moves of a backfill and its slots. Each names the state it believes in; False means that somebody was faster."""

from datetime import datetime

from scheduling.lifecycle import events
from scheduling.models import Backfill, BackfillSlot, Run
from scheduling.states import EventType, RunStatus, Starter
from staging.transactions import in_transaction, note_lock, require_lock
from staging.wording import both


@in_transaction
def lock_backfill(pk: int) -> Backfill | None:
    """Let nobody else move this backfill on until the transaction ends; None when it has ended."""
    under_way = Backfill.objects.filter(pk=pk, status=RunStatus.RUNNING)
    found = under_way.select_for_update(no_key=True, of=("self",)).select_related("plan", "job_schedule__job").first()
    if found is not None:
        note_lock("backfill", pk)
    return found


def take_slot(slot: BackfillSlot, run: Run, *, is_left_out: bool = False, now: datetime) -> bool:
    """Note by which run a slot was dealt with; False when it was before. With the backfill locked."""
    require_lock("backfill", slot.backfill_id)
    to_come = BackfillSlot.objects.filter(pk=slot.pk, taken_at__isnull=True)
    return bool(to_come.update(taken_at=now, run=run, is_left_out=is_left_out))


def end_backfill(backfill: Backfill, status: RunStatus, *, error: str = "", now: datetime) -> bool:
    """End a backfill, whatever of it is still to come; False when it had ended. With the backfill locked."""
    require_lock("backfill", backfill.pk)
    under_way = Backfill.objects.filter(pk=backfill.pk, status=RunStatus.RUNNING)
    return bool(under_way.update(status=status, finished_at=now, **both("error", error)))


def tell_backfill(backfill: Backfill, event: EventType, message: str, *, by: str, now: datetime) -> None:
    """Log what became of a backfill, and by whom."""
    subject, details = backfill.schedule.subject, {"backfill": backfill.pk}
    source = {"trigger_source": by[:200], "starter": Starter.PERSON}
    events.record(event, now=now, **subject, **source, message=message, details=details)  # type: ignore[arg-type]
