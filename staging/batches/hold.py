"""Holds a batch: its rows get status 3 and wait for a person; production is not touched.

All of them in one transaction: a delivery that is judged as a whole is held as a whole, wherever a process dies.
"""

from staging.batches import record
from staging.batches.brake import Verdict
from staging.batches.context import BatchContext
from staging.batches.fence import Fence
from staging.batches.guarded import guarded
from staging.sql.compose import run
from staging.sql.statement import statement
from staging.states import ImportStatus


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
