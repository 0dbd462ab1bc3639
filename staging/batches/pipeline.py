"""The story of a batch: what waits is classified; then it is merged, or held until a person has looked at it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from time import monotonic

from django.db import DataError, IntegrityError, InternalError, NotSupportedError, ProgrammingError

from staging.batches import record, worktable
from staging.batches.context import BatchContext, make_context
from staging.batches.errors import RowsChanged
from staging.batches.fence import Fence, guarded
from staging.batches.judging.judge import judge
from staging.batches.lanes import takes_several
from staging.batches.merging import decisions
from staging.batches.merging.merge import merge
from staging.batches.shown.brake import hold, verdict
from staging.batches.undo.undo import undo
from staging.errors import StagingError, TableMismatch
from staging.models import Batch
from staging.tables.held import is_any_held
from staging.tables.inspect import table_problems

Clock = Callable[[], datetime]

# How often rows that others change under our hands are classified afresh before the batch gives up.
_ROUNDS = 5

# Errors that would come again; others (a lock not given, a lost connection) leave the batch running for a next attempt.
_POISON = (DataError, IntegrityError, InternalError, NotSupportedError, ProgrammingError)


def process(batch: Batch, *, fence: Fence, now: datetime) -> Batch:
    """Process a batch to its end and return it as it is then: completed, held, or failed with the reason in `error`.

    Raises what the fence raises, and database errors; the chunks committed before stay. A second call, after a crash
    or a raise that left the batch running, carries on with what was decided, and then takes up what is still pending.
    A batch that has ended is returned as it is.
    """
    context = make_context(batch, now)
    clock = _clock(now)
    context.sql.start()
    with _failing(context, fence, clock):
        if _start(context, fence):
            if batch.undoes_id:
                _doubt_what_is_left(context, fence)
                undo(context, fence)
            else:
                _carry_on(context, fence)
                _classify_and_act(context, fence)
            with guarded(context, fence):
                decisions.forget(context)
                _end(context, clock())
    batch.refresh_from_db()
    return batch


def _carry_on(context: BatchContext, fence: Fence) -> None:
    """Carry out first what an earlier attempt, or a batch that ended too soon, decided about rows that wait."""
    while decisions.is_any_left(context):
        with guarded(context, fence):
            left = decisions.take_up(context)
        if left is None:
            return _doubt_what_is_left(context, fence)
        _classify_and_act(left, fence)
        with guarded(context, fence):
            decisions.forget(context)
    return None


def _doubt_what_is_left(context: BatchContext, fence: Fence) -> None:
    """Have what others left judged again when its turn comes: this batch is about to change members before."""
    if decisions.is_any_left(context):
        with guarded(context, fence):
            record.doubt_decisions(context.entity, but=context.batch.pk)


def _end(context: BatchContext, now: datetime) -> None:
    """End the batch; when it settled the last of the rows that another one held, that one's review is over."""
    record.complete_batch(context.batch.pk, now)
    if context.batch.approves_id and not is_any_held(context.entity, context.batch.approves_id):
        record.close_review(context.batch.approves_id, now)


def _start(context: BatchContext, fence: Fence) -> bool:
    """Take the batch up; False when it has ended. Raises TableMismatch when its tables are not as defined."""
    with guarded(context, fence):
        running = record.start_batch(context.batch.pk, context.now)
    if running:
        worktable.drop_leftovers(context.batch)
        if problems := table_problems(context.entity):
            raise TableMismatch(" ".join(problems))
    return running


def _classify_and_act(context: BatchContext, fence: Fence) -> None:
    """Give every row its outcome unless it has one, then merge or hold; when others change rows meanwhile, afresh."""
    for rounds_left in reversed(range(_ROUNDS)):
        try:
            if not context.kept:
                decided = _classify(context, fence)
                if decided is None:
                    return None
                context = decided
            return merge(context, fence)
        except (RowsChanged, IntegrityError) as error:
            if not rounds_left or not (context.taken_up or _may_pass(error)):
                raise
            if context.kept:
                context = decisions.afresh(context)
            worktable.start_afresh(context)
        finally:
            if not context.kept:
                worktable.drop(context)
    return None


def _may_pass(error: Exception) -> bool:
    """Return whether it is for others to blame: rows they changed, a member they deleted or began to refer to."""
    cause = error.__cause__
    return isinstance(error, RowsChanged) or getattr(cause, "sqlstate", "") == "23503" or "FOREIGN KEY" in str(cause)


def _classify(context: BatchContext, fence: Fence) -> BatchContext | None:
    """Decide about every row, and hold those of a batch that has to wait; return the context by which to merge, if any.

    Only the work table is written, so the fence is asked before and after, and not held: on a big batch it would keep
    the heartbeat waiting. Decisions that take several transactions are kept from the moment that the batch knows them.
    """
    context.batch.refresh_from_db()
    rows = judge(context)
    held = verdict(context)
    decided = decisions.keep(context) if held is None and takes_several(context, rows) else context
    with guarded(context, fence):
        record.expect_rows(context.batch.pk, rows)
        if decided.kept:
            decisions.forget(context)
            record.keep_decisions(context.batch.pk, decided.kept, decisions.fingerprint(context))
    if held:
        hold(context, fence, held)
        return None
    return decided


@contextmanager
def _failing(context: BatchContext, fence: Fence, clock: Clock) -> Iterator[None]:
    """End the batch as failed on errors that would come again; what staging expects stops there."""
    try:
        yield
    except (StagingError, *_POISON) as error:
        with guarded(context, fence):
            record.doubt_decisions(context.entity)
            record.fail_batch(context.batch.pk, str(error), clock())
        if not isinstance(error, StagingError):
            raise


def _clock(now: datetime) -> Clock:
    """Return what tells `now` plus the time passed since; only durations are measured here, never the time of day."""
    started = monotonic()
    return lambda: now + timedelta(seconds=monotonic() - started)
