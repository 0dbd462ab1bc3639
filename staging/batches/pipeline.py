"""The story of a batch: what waits is classified; then it is merged, or held until a person has looked at it.

An entity whose review policy is `hold` lets no batch merge by itself. A brake stops a bad delivery: more than
`max_error_rate` of the batch's rows would be rejected, or more than `max_change_rate` of the active members would be
changed, or more than `max_removal_rate` of them deactivated or deleted. What a person approved is not held again.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from time import monotonic

from django.db import DataError, IntegrityError, InternalError, NotSupportedError, ProgrammingError
from django.utils.translation import gettext_noop

from staging.batches import record, worktable
from staging.batches.context import BatchContext, Fence, guarded, make_context, takes_several
from staging.batches.judging.judge import judge
from staging.batches.merging import decisions
from staging.batches.merging.merge import merge
from staging.batches.undo.undo import undo
from staging.errors import RowsChanged, StagingError, TableMismatch
from staging.models import Batch
from staging.sql.compose import fetch, run, statement
from staging.states import ImportStatus, ReviewPolicy, RowOutcome
from staging.tables.columns import table_problems
from staging.tables.held import is_any_held
from staging.wording import counted, reading, said_together, say


@dataclass(frozen=True)
class Verdict:
    """Why a batch is held, and what merging it would have done, by outcome."""

    reason: str
    foreseen: dict[str, int]


def verdict(context: BatchContext) -> Verdict | None:
    """Return why the classified batch must be held, or None when it may merge; reads the work table once.

    A batch that holds rows already goes on holding, a delivery of which a part is merged goes on being merged: a crash
    between changes nothing of what was decided.
    """
    batch, entity = context.batch, context.entity
    if batch.hold_reason:
        return Verdict(reading(batch, "hold_reason"), batch.foreseen or {})
    limits = (entity.max_error_rate, entity.max_change_rate, entity.max_removal_rate)
    waits = entity.review == ReviewPolicy.HOLD
    if batch.approves_id or context.delivery or not (waits or any(limit is not None for limit in limits)):
        return None
    foreseen = totals(context)
    reasons: list[str] = (
        [say("Every batch of {entity} waits for approval.", entity=entity.name)] if waits and foreseen else []
    )
    reasons += [*_too_many_rejected(context, foreseen), *_too_many_members(context)]
    return Verdict(said_together(*reasons), foreseen) if reasons else None


def totals(context: BatchContext) -> dict[str, int]:
    """Return how many rows of the work table have each outcome, those of zero left out."""
    return {RowOutcome(outcome).counter: count for outcome, count in fetch(statement("totals", work=context.work))}


def _too_many_rejected(context: BatchContext, foreseen: dict[str, int]) -> Iterator[str]:
    limit, rows = context.entity.max_error_rate, sum(foreseen.values())
    if _exceeds(foreseen.get("rejected", 0), rows, limit):
        share = _percent(foreseen["rejected"], rows)
        yield say(
            "{share} of {rows} would be rejected; at most {limit} may be.",
            share=share,
            rows=counted(rows, "row", "rows"),
            limit=_limit(limit),
        )


def _too_many_members(context: BatchContext) -> Iterator[str]:
    changes, removals = context.entity.max_change_rate, context.entity.max_removal_rate
    if changes is None and removals is None:
        return
    active, changed, removed = _members(context)
    for count, limit, words in ((changed, changes, _CHANGED), (removed, removals, _REMOVED)):
        if _exceeds(count, active, limit):
            members = counted(active, "active member", "active members")
            yield say(words, share=_percent(count, active), members=members, limit=_limit(limit))


_CHANGED = gettext_noop("{share} of {members} would be changed; at most {limit} may be.")
_REMOVED = gettext_noop("{share} of {members} would be deactivated or deleted; at most {limit} may be.")


def _members(context: BatchContext) -> tuple[int, int, int]:
    """Return how many members are active, and how many of these the batch would change and would take away."""
    active, changed, taken = fetch(statement("members_touched", production=context.production, work=context.work))[0]
    return int(active), int(changed), int(taken)


def _exceeds(count: int, total: int, limit: float | None) -> bool:
    """Return whether a share is larger than the limit; exact, where 0.29 of 100 would be less than 29."""
    return limit is not None and count > Decimal(repr(limit)) * total


def _percent(count: int, total: int) -> str:
    return f"{100 * count / total:.3g} %"


def _limit(limit: float | None) -> str:
    return f"{100 * (limit or 0):.3g} %"


def hold_batch(context: BatchContext, fence: Fence, verdict: Verdict) -> None:
    """Hold every row of the work table that is still pending; what others changed or took meanwhile is theirs."""
    with guarded(context, fence):
        if _hold_rows(context):
            record.begin_hold(context.batch.pk, verdict.reason, verdict.foreseen)


def _hold_rows(context: BatchContext) -> int:
    return run(
        statement(
            "hold_rows",
            staging=context.staging,
            work=context.work,
            held=ImportStatus.HELD.value,
            batch=context.batch.pk,
            pending=ImportStatus.PENDING.value,
        )
    )


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
            worktable.drop_leftovers(context.batch)  # what others had carried out is forgotten now
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
    decided = decisions.keep_work_table(context) if held is None and takes_several(context, rows) else context
    with guarded(context, fence):
        record.expect_rows(context.batch.pk, rows)
        if decided.kept:
            decisions.forget(context)
            record.keep_decisions(context.batch.pk, decided.kept, decisions.fingerprint(context))
    if held:
        hold_batch(context, fence, held)
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
