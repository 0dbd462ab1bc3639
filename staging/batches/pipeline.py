"""The story of a batch: what waits is classified; then it is merged, or held until a person has looked at it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from time import monotonic

from django.db import DataError, IntegrityError, InternalError, NotSupportedError, ProgrammingError

from staging.batches import decisions, record, worktable
from staging.batches.brake import verdict
from staging.batches.errors import RowsChanged
from staging.batches.fence import Fence
from staging.batches.guarded import guarded
from staging.batches.hold import hold
from staging.batches.judge import judge
from staging.batches.lanes import takes_several
from staging.batches.merge import merge
from staging.batches.plan import Plan, make_plan
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
    plan = make_plan(batch, now)
    clock = _clock(now)
    plan.sql.start()
    with _failing(plan, fence, clock):
        if _start(plan, fence):
            if batch.undoes_id:
                _doubt_what_is_left(plan, fence)
                undo(plan, fence)
            else:
                _carry_on(plan, fence)
                _classify_and_act(plan, fence)
            with guarded(plan, fence):
                decisions.forget(plan)
                _end(plan, clock())
    batch.refresh_from_db()
    return batch


def _carry_on(plan: Plan, fence: Fence) -> None:
    """Carry out first what an earlier attempt, or a batch that ended too soon, decided about rows that wait."""
    while decisions.is_any_left(plan):
        with guarded(plan, fence):
            left = decisions.take_up(plan)
        if left is None:
            return _doubt_what_is_left(plan, fence)
        _classify_and_act(left, fence)
        with guarded(plan, fence):
            decisions.forget(plan)
    return None


def _doubt_what_is_left(plan: Plan, fence: Fence) -> None:
    """Have what others left judged again when its turn comes: this batch is about to change members before."""
    if decisions.is_any_left(plan):
        with guarded(plan, fence):
            record.doubt_decisions(plan.entity, but=plan.batch.pk)


def _end(plan: Plan, now: datetime) -> None:
    """End the batch; when it settled the last of the rows that another one held, that one's review is over."""
    record.complete_batch(plan.batch.pk, now)
    if plan.batch.approves_id and not is_any_held(plan.entity, plan.batch.approves_id):
        record.close_review(plan.batch.approves_id, now)


def _start(plan: Plan, fence: Fence) -> bool:
    """Take the batch up; False when it has ended. Raises TableMismatch when its tables are not as defined."""
    with guarded(plan, fence):
        running = record.start_batch(plan.batch.pk, plan.now)
    if running:
        worktable.drop_leftovers(plan.batch)
        if problems := table_problems(plan.entity):
            raise TableMismatch(" ".join(problems))
    return running


def _classify_and_act(plan: Plan, fence: Fence) -> None:
    """Give every row its outcome unless it has one, then merge or hold; when others change rows meanwhile, afresh."""
    for rounds_left in reversed(range(_ROUNDS)):
        try:
            if not plan.kept:
                decided = _classify(plan, fence)
                if decided is None:
                    return None
                plan = decided
            return merge(plan, fence)
        except (RowsChanged, IntegrityError) as error:
            if not rounds_left or not (plan.taken_up or _may_pass(error)):
                raise
            if plan.kept:
                plan = decisions.afresh(plan)
            worktable.start_afresh(plan)
        finally:
            if not plan.kept:
                worktable.drop(plan)
    return None


def _may_pass(error: Exception) -> bool:
    """Return whether it is for others to blame: rows they changed, a member they deleted or began to refer to."""
    cause = error.__cause__
    return isinstance(error, RowsChanged) or getattr(cause, "sqlstate", "") == "23503" or "FOREIGN KEY" in str(cause)


def _classify(plan: Plan, fence: Fence) -> Plan | None:
    """Decide about every row, and hold those of a batch that has to wait; return the plan by which to merge, if any.

    Only the work table is written, so the fence is asked before and after, and not held: on a big batch it would keep
    the heartbeat waiting. Decisions that take several transactions are kept from the moment that the batch knows them.
    """
    plan.batch.refresh_from_db()
    rows = judge(plan)
    held = verdict(plan)
    decided = decisions.keep(plan) if held is None and takes_several(plan, rows) else plan
    with guarded(plan, fence):
        record.expect_rows(plan.batch.pk, rows)
        if decided.kept:
            decisions.forget(plan)
            record.keep_decisions(plan.batch.pk, decided.kept, decisions.fingerprint(plan))
    if held:
        hold(plan, fence, held)
        return None
    return decided


@contextmanager
def _failing(plan: Plan, fence: Fence, clock: Clock) -> Iterator[None]:
    """End the batch as failed on errors that would come again; what staging expects stops there."""
    try:
        yield
    except (StagingError, *_POISON) as error:
        with guarded(plan, fence):
            record.doubt_decisions(plan.entity)
            record.fail_batch(plan.batch.pk, str(error), clock())
        if not isinstance(error, StagingError):
            raise


def _clock(now: datetime) -> Clock:
    """Return what tells `now` plus the time passed since; only durations are measured here, never the time of day."""
    started = monotonic()
    return lambda: now + timedelta(seconds=monotonic() - started)
