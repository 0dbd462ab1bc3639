"""Holds a batch: its rows get status 3 and wait for a person; production is not touched.

All of them in one transaction: a delivery that is judged as a whole is held as a whole, wherever a process dies.
"""

from staging.batches import record
from staging.batches.brake import Verdict
from staging.batches.fence import Fence
from staging.batches.guarded import guarded
from staging.batches.plan import Plan
from staging.sql.compose import run
from staging.sql.statement import statement
from staging.states import ImportStatus


def hold(plan: Plan, fence: Fence, verdict: Verdict) -> None:
    """Hold every row of the work table that is still pending; what others changed or took meanwhile is theirs."""
    with guarded(plan, fence):
        if _hold_rows(plan):
            record.begin_hold(plan.batch.pk, verdict.reason, verdict.foreseen)


def _hold_rows(plan: Plan) -> int:
    return run(
        statement(
            "hold_rows",
            staging=plan.staging,
            work=plan.work,
            held=ImportStatus.HELD.value,
            batch=plan.batch.pk,
            pending=ImportStatus.PENDING.value,
        )
    )
