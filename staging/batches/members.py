"""Writes members: the statements that insert and update production rows from some rows `w` of the work table."""

from functools import partial

from staging.batches.changing import Change, changing, inserting
from staging.batches.plan import Plan
from staging.batches.references import waiting_bit
from staging.batches.worktable import OUTCOMES
from staging.sql.compose import Sql, column, join, name, run, sql
from staging.states import ImportAction


def told(plan: Plan, joined: str, rows: Sql, outcome: str) -> Sql:
    """Return the members `p` of the rows `w` with one outcome, as `changing` is told them."""
    return sql(
        f" JOIN {{work}} w ON {joined} WHERE {{rows}} AND w.outcome = {{{outcome}}}",
        work=plan.work,
        rows=rows,
        **OUTCOMES,
    )


def resolve(plan: Plan, rows: Sql) -> None:
    """Fill the references whose members had no id yet when the rows were classified."""
    for field in plan.self_references:
        run(
            sql(
                "UPDATE {work} AS w SET {value} = p.id FROM {production} p WHERE {rows} AND (w.waits & {bit}) <> 0"
                " AND w.outcome IN ({INSERT}, {UPDATE}) AND p.code = w.{late}",
                work=plan.work,
                **OUTCOMES,
                value=name(f"v_{field.name}"),
                production=plan.production,
                rows=rows,
                bit=waiting_bit(plan, field),
                late=name(f"l_{field.name}"),
            )
        )


def update(plan: Plan, rows: Sql) -> None:
    """Write the members that exist and would look different afterwards.

    A member that is only updated stays inactive. A database that rewrites the index of every column it is given gets
    indexed ones only where they change.
    """
    changing(plan, Change.UPDATE, plan.entity, told(plan, "w.target_id = p.id", rows, "UPDATE"))
    apart = [f for f in plan.fields if plan.sql.rewrites_indexes and (f.is_reference or f in plan.unique_fields)]
    values = [sql("{to} = w.{v}", to=name(f.name), v=name(f"v_{f.name}")) for f in plan.fields if f not in apart]
    system = sql(
        "is_active = (p.is_active OR w.action <> {update}), updated_at = {now}, updated_batch_id = {batch}",
        update=ImportAction.UPDATE_ONLY.value,
        now=plan.instant,
        batch=plan.batch.pk,
    )
    _set(plan, rows, join(", ", [*values, system]), Sql(""))
    for field in apart:
        new, old = column("w", f"v_{field.name}"), column("p", field.name)
        change = sql("{to} = {new}", to=name(field.name), new=new)
        _set(plan, rows, change, sql(" AND NOT {same}", same=plan.sql.same(new, old)))


def _set(plan: Plan, rows: Sql, changes: Sql, where: Sql) -> None:
    run(
        sql(
            "UPDATE {production} AS p SET {changes} FROM {work} w"
            " WHERE {rows} AND w.outcome IN ({INSERT}, {UPDATE}) AND p.id = w.target_id{where}",
            production=plan.production,
            work=plan.work,
            changes=changes,
            rows=rows,
            where=where,
            **OUTCOMES,
        )
    )


def insert(plan: Plan, rows: Sql, *, active: bool = True) -> None:
    """Write the members that are new; those that are not `active` yet are told when they are complete."""
    columns = ["code", *(f.name for f in plan.fields)]
    system = ["is_active", "created_at", "updated_at", "created_batch_id", "updated_batch_id"]
    write = partial(inserting, plan) if active else run
    write(
        sql(
            "INSERT INTO {production} ({columns}) SELECT w.code, {values}, {active}, {now}, {now}, {batch}, {batch}"
            " FROM {work} w WHERE {rows} AND w.outcome = {INSERT} AND w.target_id IS NULL",
            production=plan.production,
            columns=join(", ", map(name, [*columns, *system])),
            values=join(", ", (column("w", f"v_{f.name}") for f in plan.fields)),
            active=active,
            now=plan.instant,
            batch=plan.batch.pk,
            work=plan.work,
            **OUTCOMES,
            rows=rows,
        )
    )


def insert_bare(plan: Plan, rows: Sql) -> None:
    """Give new members that wait for one another their ids; they stay inactive until they are complete."""
    insert(plan, rows, active=False)
    run(
        sql(
            "UPDATE {work} AS w SET target_id = p.id FROM {production} p WHERE {rows} AND w.outcome = {INSERT}"
            " AND w.target_id IS NULL AND p.code = w.code",
            work=plan.work,
            **OUTCOMES,
            production=plan.production,
            rows=rows,
        )
    )
