"""Rejects rows that need another row of the same batch which was rejected, until nothing changes.

A row needs the rows that bring the members it refers to, and, when it renames, the row that renames the holder of its
new code away. Only references to the entity itself can meet a row of the same batch. The rows that fall are found by
one recursive query over the edges (who needs whom), however deep the chain; circles of good rows stay good.
"""

from staging.batches import actions, messages, modes, worktable
from staging.batches.order import Special
from staging.batches.plan import Field, Plan
from staging.batches.reject import blame, reject
from staging.batches.worktable import OUTCOMES
from staging.sql.compose import Sql, column, run, sql

# What stands for the new code in the place of the number of a field.
_NEW_CODE = -1


def cascade(plan: Plan, found: Special) -> None:
    """Reject what depends on rejected rows."""
    if not (plan.self_references or found.renames):
        return
    edge = [("row_id", "bigint"), ("target", "bigint"), ("field", "smallint"), ("firm", "smallint")]
    worktable.create_beside(plan, "_edges", edge)
    worktable.create_beside(plan, "_lost", [("row_id", "bigint")])
    count = sum(_find_references(plan, number, field, found) for number, field in enumerate(plan.self_references))
    if found.renames:
        count += _find_holders(plan)
    if not count:
        return
    worktable.index(plan, "_edges", "target")
    worktable.analyze(plan, "_edges")
    _find_lost(plan)
    worktable.analyze(plan, "_lost")
    _reject_dependants(plan, found)


def _find_references(plan: Plan, number: int, field: Field, found: Special) -> int:
    """Note which row fills each late reference; a row that refers to itself needs no other."""
    late = column("w", f"l_{field.name}")
    return run(
        sql(
            "INSERT INTO {edges} (row_id, target, field, firm) SELECT w.row_id, {target}, {number}, {firm}"
            " FROM {work} w LEFT JOIN {work} o ON o.code = {late} AND NOT {update_or_removal}"
            " AND o.outcome IN ({INSERT}, {UPDATE}, {UNCHANGED}){renamed}"
            " WHERE {late} IS NOT NULL AND ({late} = w.code) IS NOT TRUE"
            " AND ({late} = w.new_code AND {comes_itself}) IS NOT TRUE",
            edges=plan.table("_edges"),
            work=plan.work,
            late=late,
            comes_itself=_is_active_afterwards(plan),
            target=Sql("COALESCE(o.row_id, n.row_id)" if found.renames else "o.row_id"),
            number=number,
            firm=_firm(plan, field),
            update_or_removal=Sql(f"(o.action = 2 OR {actions.removes('o').text})"),
            renamed=_by_rename(plan, late) if found.renames else Sql(""),
            **OUTCOMES,
        )
    )


def _is_active_afterwards(plan: Plan) -> Sql:
    """Return whether the member of a row `w` that renames it is active under its new code."""
    query = "EXISTS (SELECT 1 FROM {production} p WHERE p.id = w.target_id AND (p.is_active OR w.action = 0))"
    return sql(query, production=plan.production)


def _by_rename(plan: Plan, late: Sql) -> Sql:
    return sql(
        " LEFT JOIN (SELECT x.row_id, x.new_code FROM {work} x JOIN {production} p ON p.id = x.target_id"
        " WHERE x.new_code IS NOT NULL AND x.outcome = {UPDATE} AND (p.is_active OR x.action = 0)) n"
        " ON n.new_code = {late}",
        work=plan.work,
        production=plan.production,
        late=late,
        **OUTCOMES,
    )


def _firm(plan: Plan, field: Field) -> Sql:
    """Return 1 when a row falls with the row it needs, 0 when it only skips the field."""
    if not modes.skips(field):
        return Sql("1")
    if not modes.is_required(field):
        return Sql("0")
    query = (
        "CASE WHEN EXISTS (SELECT 1 FROM {production} p WHERE p.id = w.target_id AND {v} IS NOT NULL) THEN 0 ELSE 1 END"
    )
    return sql(query, production=plan.production, v=modes.stored(plan, field))


def _find_holders(plan: Plan) -> int:
    """Note which row renames the member away that has the new code; none does when it keeps its code."""
    return run(
        sql(
            "INSERT INTO {edges} (row_id, target, field, firm) SELECT w.row_id, o.row_id, {number}, 1"
            " FROM {work} w JOIN {production} p ON p.code = w.new_code LEFT JOIN {work} o ON o.target_id = p.id"
            " AND o.new_code IS NOT NULL AND o.outcome = {UPDATE}"
            " WHERE w.new_code IS NOT NULL AND w.outcome NOT IN ({SUPERSEDED}, {DONE}, {DONE_REJECTED})",
            edges=plan.table("_edges"),
            work=plan.work,
            production=plan.production,
            number=_NEW_CODE,
            **OUTCOMES,
        )
    )


def _find_lost(plan: Plan) -> None:
    """Note the rows that will not be merged: what they need is not brought by a good row, or falls itself."""
    run(
        sql(
            "INSERT INTO {lost} (row_id) WITH RECURSIVE lost (row_id) AS ("
            "SELECT e.row_id FROM {edges} e WHERE e.target IS NULL AND e.firm = 1"
            " UNION SELECT e.row_id FROM lost JOIN {edges} e ON e.target = lost.row_id WHERE e.firm = 1)"
            " SELECT row_id FROM lost",
            lost=plan.table("_lost"),
            edges=plan.table("_edges"),
        )
    )


def _reject_dependants(plan: Plan, found: Special) -> None:
    for number, field in enumerate(plan.self_references):
        blame(plan, messages.TARGET_REJECTED, field, column("w", f"l_{field.name}"), _needs_lost(plan, number))
    if found.renames:
        reject(plan, messages.TAKEN, "new_code", Sql("w.new_code"), _needs_lost(plan, _NEW_CODE))


def _needs_lost(plan: Plan, number: int) -> Sql:
    return sql(
        "w.row_id IN (SELECT e.row_id FROM {edges} e WHERE e.field = {number} AND (e.target IS NULL"
        " OR e.target IN (SELECT row_id FROM {lost})))",
        edges=plan.table("_edges"),
        lost=plan.table("_lost"),
        number=number,
    )
