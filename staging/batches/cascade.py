"""Rejects rows whose reference is a row of the same batch that was rejected, until nothing changes.

Only references to the entity itself can meet a row of the same batch. The members that will not come are found by one
recursive query over the edges (who refers to whom), however deep the chain; circles of good rows stay good.
"""

from staging.batches import messages, worktable
from staging.batches.plan import Plan
from staging.batches.reject import reject
from staging.batches.worktable import OUTCOMES
from staging.sql.compose import column, fetch, name, run, sql
from staging.states import DataType


def cascade(plan: Plan) -> None:
    """Reject what depends on rejected rows, and put the rows that wait for new members at the end."""
    if not plan.self_references:
        return
    text = plan.sql.type_of(DataType.TEXT)
    worktable.create_beside(plan, "_edges", [("code", text), ("target", text)])
    worktable.create_beside(plan, "_lost", [("code", text)])
    if not _find_edges(plan):
        return
    worktable.index(plan, "_edges", "target")
    worktable.index(plan, "", "code")
    worktable.analyze(plan, "_edges")
    if _find_lost(plan):
        worktable.analyze(plan, "_lost")
        _reject_dependants(plan)
    _put_waiting_last(plan)


def _find_edges(plan: Plan) -> int:
    """Note each reference that another row of the batch has to fill."""
    return sum(
        run(
            sql(
                "INSERT INTO {edges} (code, target) SELECT w.code, w.{late} FROM {work} w"
                " WHERE w.{late} IS NOT NULL AND (w.{late} = w.code) IS NOT TRUE",
                edges=plan.table("_edges"),
                work=plan.work,
                late=name(f"l_{field.name}"),
            )
        )
        for field in plan.self_references
    ) + _refer_to_themselves(plan)


def _refer_to_themselves(plan: Plan) -> int:
    """Return 1 when some new member refers to itself: no edge, but it has to wait for its own id."""
    return len(fetch(sql("SELECT 1 FROM {work} WHERE waits = 1 LIMIT 1", work=plan.work)))


def _find_lost(plan: Plan) -> int:
    """Note the codes that this batch will not bring: no row of theirs is good, or they refer to one that is lost."""
    return run(
        sql(
            "INSERT INTO {lost} (code) WITH RECURSIVE lost (code) AS ("
            "SELECT e.target FROM {edges} e WHERE NOT EXISTS (SELECT 1 FROM {work} w WHERE w.code = e.target"
            " AND w.outcome IN ({INSERT}, {UPDATE}, {UNCHANGED}))"
            " UNION SELECT e.code FROM lost JOIN {edges} e ON e.target = lost.code) SELECT code FROM lost",
            lost=plan.table("_lost"),
            edges=plan.table("_edges"),
            work=plan.work,
            **OUTCOMES,
        )
    )


def _reject_dependants(plan: Plan) -> None:
    for field in plan.self_references:
        late = column("w", f"l_{field.name}")
        reject(
            plan,
            messages.TARGET_REJECTED,
            field.name,
            late,
            sql(
                "({late} = w.code) IS NOT TRUE AND {late} IN (SELECT code FROM {lost})",
                late=late,
                lost=plan.table("_lost"),
            ),
        )


def _put_waiting_last(plan: Plan) -> None:
    """Renumber the good rows that refer to members not inserted yet, so that they are merged after all others."""
    run(
        sql(
            "UPDATE {work} AS w SET seq = later.seq FROM (SELECT row_id, (SELECT max(seq) FROM {work})"
            " + row_number() OVER (ORDER BY row_id) AS seq FROM {work} WHERE waits = 1"
            " AND outcome IN ({INSERT}, {UPDATE})) later WHERE later.row_id = w.row_id",
            work=plan.work,
            **OUTCOMES,
        )
    )
