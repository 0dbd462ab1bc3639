"""Values that no two members may share: taken in production, or wanted by several rows of the batch."""

from staging.batches import messages, worktable
from staging.batches.actions import DELETING
from staging.batches.order import Special
from staging.batches.plan import Field, Plan
from staging.batches.references import waiting_bit
from staging.batches.reject import blame
from staging.batches.removals import REMOVED
from staging.batches.worktable import OUTCOMES
from staging.identifiers import production_table
from staging.sql.compose import Sql, column, name, run, sql


def reject_taken_values(plan: Plan, found: Special) -> None:
    """Reject the rows that would give a unique attribute a value that is not theirs alone.

    A value that another member holds is taken even when a row of this batch would change that member, unless the batch
    deletes it.
    """
    stays = Sql("")
    if found.removals:
        query = " AND m.id NOT IN (SELECT g.id FROM {removed} g WHERE g.action IN ({deleting}))"
        stays = sql(query, removed=plan.table(REMOVED), deleting=Sql(DELETING))
    for number, field in enumerate(plan.unique_fields):
        _reject_taken(plan, field, f"_u{number}", stays)
        if field in plan.self_references:
            _reject_newcomers(plan, field, f"_m{number}")


def _reject_taken(plan: Plan, field: Field, suffix: str, stays: Sql) -> None:
    worktable.create_beside(plan, suffix, [("row_id", "bigint"), ("taken", plan.sql.type_of(field.data_type))])
    _find_new_values(plan, field, suffix)
    worktable.index(plan, suffix, "taken")
    worktable.analyze(plan, suffix)
    blame(
        plan,
        messages.UNIQUE,
        field,
        _shown(field),
        sql(
            "w.row_id IN (SELECT n.row_id FROM {new} n WHERE n.taken IN (SELECT m.{value} FROM {production} m"
            " WHERE m.{value} IS NOT NULL{stays}) OR n.taken IN (SELECT o.taken FROM {new} o GROUP BY o.taken"
            " HAVING count(*) > 1))",
            new=plan.table(suffix),
            production=plan.production,
            value=name(field.name),
            stays=stays,
        ),
    )


def _shown(field: Field) -> Sql:
    """Return the value as a person knows it: of a reference the code."""
    value = column("w", f"v_{field.name}")
    target = field.attribute.reference if field.attribute else None
    if target is None:
        return value
    production = name(production_table(target.code))
    return sql("(SELECT m.code FROM {production} m WHERE m.id = {value})", production=production, value=value)


def _reject_newcomers(plan: Plan, field: Field, suffix: str) -> None:
    """Reject the rows that refer, where only one may, to the same member that has no id yet."""
    worktable.create_beside(plan, suffix, [("row_id", "bigint")])
    late = column("w", f"l_{field.name}")
    waits = "w.outcome NOT IN ({SUPERSEDED}, {DONE}) AND (w.waits & {bit}) <> 0"
    wanted = sql(waits, bit=waiting_bit(plan, field), **OUTCOMES)
    run(
        sql(
            "INSERT INTO {shared} (row_id) SELECT w.row_id FROM {work} w WHERE {wanted} AND {late} IN"
            " (SELECT {late} FROM {work} w WHERE {wanted} GROUP BY 1 HAVING count(*) > 1)",
            shared=plan.table(suffix),
            work=plan.work,
            wanted=wanted,
            late=late,
        )
    )
    shared = sql("w.row_id IN (SELECT row_id FROM {shared})", shared=plan.table(suffix))
    blame(plan, messages.UNIQUE, field, late, shared)


def _find_new_values(plan: Plan, field: Field, suffix: str) -> None:
    """Note the rows that bring a value their member does not have yet."""
    run(
        sql(
            "INSERT INTO {new} (row_id, taken) SELECT w.row_id, w.{wanted} FROM {work} w"
            " LEFT JOIN {production} p ON p.id = w.target_id"
            " WHERE w.{wanted} IS NOT NULL AND w.outcome NOT IN ({SUPERSEDED}, {DONE}) AND NOT {same}",
            new=plan.table(suffix),
            work=plan.work,
            **OUTCOMES,
            production=plan.production,
            wanted=name(f"v_{field.name}"),
            same=plan.sql.same(column("w", f"v_{field.name}"), column("p", field.name)),
        )
    )
