"""Writes members: the statements that insert and update production rows from some rows `w` of the work table."""

from collections.abc import Sequence
from functools import partial

from staging.batches.changing import Change, changing, inserting
from staging.batches.plan import Field, Plan
from staging.batches.references import waiting_bit
from staging.sql.compose import Sql, column, fetch, join, name, run, sql, tree
from staging.sql.statement import statement
from staging.states import Outcome


def told(plan: Plan, rows: Sql, outcome: Outcome) -> Sql:
    """Return the members `p` of the rows `w` with one outcome, as `changing` is told them."""
    members = _in_order_of_members(plan, rows, outcome)
    return sql(" JOIN ({members}) w ON p.id = w.target_id", members=members)


def _in_order_of_members(plan: Plan, rows: Sql, *outcomes: Outcome) -> Sql:
    """Return the rows `w` with these outcomes one after the other as their members lie on the pages.

    Rows are delivered in any order; each page of members and of their indexes is then visited once.
    """
    return statement(
        "in_order_of_members",
        work=plan.work,
        rows=rows,
        outcomes=Sql(", ".join(str(outcome.value) for outcome in outcomes)),
        fence=plan.sql.fence,
    )


def resolve(plan: Plan, rows: Sql) -> None:
    """Fill the references whose members had no id yet when the rows were classified."""
    for field in plan.self_references:
        run(
            statement(
                "resolve",
                work=plan.work,
                value=name(f"v_{field.name}"),
                production=plan.production,
                rows=rows,
                bit=waiting_bit(plan, field),
                late=name(f"l_{field.name}"),
            )
        )


def update(plan: Plan, rows: Sql) -> None:
    """Write the members that exist and would look different afterwards.

    A member that is only updated stays inactive. A database that rewrites the index of every column it is given is
    given indexed ones only for the members in which they change, and looks for these only when there are any.
    """
    changing(plan, Change.UPDATE, plan.entity, told(plan, rows, Outcome.UPDATE))
    write(plan, rows)


def write(plan: Plan, rows: Sql) -> None:
    """Give members their values, once their change is told."""
    indexed = [f for f in plan.fields if plan.sql.rewrites_indexes and (f.is_reference or f in plan.unique_fields)]
    if not indexed:
        _set(plan, rows, plan.fields, Sql("TRUE"))
        return
    alike = (plan.sql.same(column("w", f"v_{f.name}"), column("p", f.name)) for f in indexed)
    same = tree("AND", alike, "TRUE")
    if _set(plan, rows, [f for f in plan.fields if f not in indexed], same) < _existing(plan, rows):
        _set(plan, rows, plan.fields, sql("NOT {same}", same=same))


def free(plan: Plan, rows: Sql) -> None:
    """Have members give up the unique values that change, so that those who get them meet none that is still there."""
    for field in plan.unique_fields:
        run(
            statement(
                "free",
                production=plan.production,
                field=name(field.name),
                work=plan.work,
                rows=rows,
                stored=column("p", field.name),
                same=plan.sql.same(column("w", f"v_{field.name}"), column("p", field.name)),
            )
        )


def _set(plan: Plan, rows: Sql, fields: Sequence[Field], where: Sql) -> int:
    """Write these fields of the members `p` for which the condition holds; return how many they are."""
    values = [sql("{to} = w.{v}", to=name(f.name), v=name(f"v_{f.name}")) for f in fields]
    system = sql(
        "is_active = (p.is_active OR w.action <> {ImportAction.UPDATE_ONLY}), updated_at = {now},"
        " updated_batch_id = {batch}",
        now=plan.instant,
        batch=plan.batch.pk,
    )
    return run(
        statement(
            "update_members",
            production=plan.production,
            work=plan.work,
            changes=join(", ", [*values, system]),
            members=_in_order_of_members(plan, rows, Outcome.INSERT, Outcome.UPDATE),
            where=where,
        )
    )


def _existing(plan: Plan, rows: Sql) -> int:
    return int(fetch(statement("count_existing", work=plan.work, rows=rows))[0][0])


def insert(plan: Plan, rows: Sql, *, active: bool = True) -> None:
    """Write the members that are new, in the order of their codes, as the index has them.

    Those that are not `active` yet are told when they are complete.
    """
    columns = ["code", *(f.name for f in plan.fields)]
    system = ["is_active", "created_at", "updated_at", "created_batch_id", "updated_batch_id"]
    write = partial(inserting, plan) if active else run
    write(
        statement(
            "insert_members",
            production=plan.production,
            columns=join(", ", map(name, [*columns, *system])),
            values=join(", ", (column("w", f"v_{f.name}") for f in plan.fields)),
            active=active,
            now=plan.instant,
            batch=plan.batch.pk,
            work=plan.work,
            rows=rows,
        )
    )


def insert_bare(plan: Plan, rows: Sql) -> None:
    """Give new members that wait for one another their ids; they stay inactive until they are complete."""
    insert(plan, rows, active=False)
    run(
        statement(
            "note_ids",
            work=plan.work,
            production=plan.production,
            rows=rows,
        )
    )
