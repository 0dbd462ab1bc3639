"""The story of a batch: what is pending is classified, what depends on bad rows is rejected, the rest is merged."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from time import monotonic

from django.db import DataError, IntegrityError, InternalError, NotSupportedError, ProgrammingError

from staging.batches import record, worktable
from staging.batches.cascade import cascade
from staging.batches.classify import classify
from staging.batches.duplicates import settle_duplicates
from staging.batches.errors import RowsChanged
from staging.batches.fence import Fence
from staging.batches.guarded import guarded
from staging.batches.merge import merge
from staging.batches.plan import Plan, make_plan
from staging.batches.unique import reject_taken_values
from staging.errors import StagingError, TableMismatch
from staging.models import Batch
from staging.tables.inspect import table_problems

Clock = Callable[[], datetime]

# How often rows that others change under our hands are classified afresh before the batch gives up.
_ROUNDS = 5

# Errors that would come again; others (a lock not given, a lost connection) leave the batch running for a next attempt.
_POISON = (DataError, IntegrityError, InternalError, NotSupportedError, ProgrammingError)


def process(batch: Batch, *, fence: Fence, now: datetime) -> Batch:
    """Process a batch to its end and return it as it is then: completed, or failed with the reason in `error`.

    Raises what the fence raises, and database errors; the chunks committed before stay. A second call, after a crash
    or a raise that left the batch running, takes up what is still pending. A batch that has ended is returned as it is.
    """
    plan = make_plan(batch, now)
    clock = _clock(now)
    plan.sql.start()
    with _failing(plan, fence, clock):
        if _start(plan, fence):
            _classify_and_merge(plan, fence)
            with guarded(plan, fence):
                record.complete_batch(batch.pk, clock())
    batch.refresh_from_db()
    return batch


def _start(plan: Plan, fence: Fence) -> bool:
    """Take the batch up; False when it has ended. Raises TableMismatch when its tables are not as defined."""
    with guarded(plan, fence):
        running = record.start_batch(plan.batch.pk, plan.now)
    if running:
        worktable.drop_leftovers(plan.batch)
        if problems := table_problems(plan.entity):
            raise TableMismatch(" ".join(problems))
    return running


def _classify_and_merge(plan: Plan, fence: Fence) -> None:
    """Give every pending row its outcome; when others change rows meanwhile, classify what is pending afresh."""
    for rounds_left in reversed(range(_ROUNDS)):
        try:
            _classify(plan, fence)
            return merge(plan, fence)
        except RowsChanged:
            if not rounds_left:
                raise
        finally:
            worktable.drop(plan)
    return None


def _classify(plan: Plan, fence: Fence) -> None:
    """Decide about every pending row.

    Only the work table is written, so the fence is asked before and after, and not held: on a big batch it would keep
    the heartbeat waiting.
    """
    with plan.sql.private():
        rows = classify(plan)
        settle_duplicates(plan)
        reject_taken_values(plan)
        cascade(plan)
        worktable.analyze(plan)
    with guarded(plan, fence):
        record.expect_rows(plan.batch.pk, rows)


@contextmanager
def _failing(plan: Plan, fence: Fence, clock: Clock) -> Iterator[None]:
    """End the batch as failed on errors that would come again; what staging expects stops there."""
    try:
        yield
    except (StagingError, *_POISON) as error:
        with guarded(plan, fence):
            record.fail_batch(plan.batch.pk, str(error), clock())
        if not isinstance(error, StagingError):
            raise


def _clock(now: datetime) -> Clock:
    """Return what tells `now` plus the time passed since; only durations are measured here, never the time of day."""
    started = monotonic()
    return lambda: now + timedelta(seconds=monotonic() - started)
