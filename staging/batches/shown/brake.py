"""Says whether a batch must wait for a person before it merges anything, and why, in words a business user reads.

An entity whose review policy is `hold` lets no batch merge by itself. A brake stops a bad delivery: more than
`max_error_rate` of the batch's rows would be rejected, or more than `max_change_rate` of the active members would be
changed, or more than `max_removal_rate` of them deactivated or deleted. What a person approved is not held again.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from staging.batches import record
from staging.batches.context import BatchContext
from staging.batches.fence import Fence, guarded
from staging.sql.compose import fetch, run
from staging.sql.statement import statement
from staging.states import ImportStatus, ReviewPolicy, RowOutcome
from staging.wording import counted


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
        return Verdict(batch.hold_reason, batch.foreseen or {})
    limits = (entity.max_error_rate, entity.max_change_rate, entity.max_removal_rate)
    waits = entity.review == ReviewPolicy.HOLD
    if batch.approves_id or context.delivery or not (waits or any(limit is not None for limit in limits)):
        return None
    foreseen = totals(context)
    reasons = [f"Every batch of {entity.name} waits for approval."] if waits and foreseen else []
    reasons += [*_too_many_rejected(context, foreseen), *_too_many_members(context)]
    return Verdict(" ".join(reasons), foreseen) if reasons else None


def totals(context: BatchContext) -> dict[str, int]:
    """Return how many rows of the work table have each outcome, those of zero left out."""
    return {RowOutcome(outcome).counter: count for outcome, count in fetch(statement("totals", work=context.work))}


def _too_many_rejected(context: BatchContext, foreseen: dict[str, int]) -> Iterator[str]:
    limit, rows = context.entity.max_error_rate, sum(foreseen.values())
    if _exceeds(foreseen.get("rejected", 0), rows, limit):
        share = _percent(foreseen["rejected"], rows)
        yield f"{share} of {counted(rows, 'row', 'rows')} would be rejected; at most {_limit(limit)} may be."


def _too_many_members(context: BatchContext) -> Iterator[str]:
    changes, removals = context.entity.max_change_rate, context.entity.max_removal_rate
    if changes is None and removals is None:
        return
    active, changed, removed = _members(context)
    for count, limit, what in ((changed, changes, "changed"), (removed, removals, "deactivated or deleted")):
        if _exceeds(count, active, limit):
            yield (
                f"{_percent(count, active)} of {counted(active, 'active member', 'active members')} would be {what};"
                f" at most {_limit(limit)} may be."
            )


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


def hold(context: BatchContext, fence: Fence, verdict: Verdict) -> None:
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
