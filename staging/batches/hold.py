"""Holds a batch: its rows get status 3 and wait for a person; production is not touched.

Chunk by chunk, each under the fence. The first chunk also notes the reason, and a batch that has one can only end as
held: killed between two chunks, some rows are held and are found with the batch, the rest is pending as before.
"""

from staging.batches import record
from staging.batches.brake import Verdict
from staging.batches.fence import Fence
from staging.batches.guarded import guarded
from staging.batches.merge import Chunk, chunks_of, within
from staging.batches.plan import Plan
from staging.batches.worktable import OUTCOMES
from staging.sql.compose import fetch, run, sql
from staging.states import ImportStatus


def hold(plan: Plan, fence: Fence, verdict: Verdict) -> None:
    """Hold every row of the work table that is still pending; what others changed or took meanwhile is theirs."""
    last = int(fetch(sql("SELECT COALESCE(max(seq), 0) FROM {work}", work=plan.work))[0][0])
    for chunk in chunks_of(0, last, plan.chunk_rows):
        with guarded(plan, fence):
            if _hold_chunk(plan, chunk):
                record.begin_hold(plan.batch.pk, verdict.reason, verdict.foreseen)


def _hold_chunk(plan: Plan, chunk: Chunk) -> int:
    return run(
        sql(
            "UPDATE {staging} AS s SET import_status = {held}, batch_id = {batch} FROM {work} w"
            " WHERE {within} AND w.outcome < {DONE} AND s.id = w.row_id AND s.import_status = {pending}",
            staging=plan.staging,
            work=plan.work,
            **OUTCOMES,
            held=ImportStatus.HELD.value,
            batch=plan.batch.pk,
            within=within(chunk),
            pending=ImportStatus.PENDING.value,
        )
    )
