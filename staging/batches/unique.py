"""Values that no two members may share: taken in production, or wanted by several rows of the batch."""

from staging.batches import messages, worktable
from staging.batches.plan import Field, Plan
from staging.batches.reject import reject
from staging.batches.worktable import OUTCOMES
from staging.sql.compose import column, name, run, sql


def reject_taken_values(plan: Plan) -> None:
    """Reject the rows that would give a unique attribute a value that is not theirs alone.

    A value that another member holds is taken even when a row of this batch would change that member.
    """
    for number, field in enumerate(plan.unique_fields):
        _reject_taken(plan, field, f"_u{number}")


def _reject_taken(plan: Plan, field: Field, suffix: str) -> None:
    worktable.create_beside(plan, suffix, [("row_id", "bigint"), ("taken", plan.sql.type_of(field.data_type))])
    _find_new_values(plan, field, suffix)
    worktable.index(plan, suffix, "taken")
    worktable.analyze(plan, suffix)
    reject(
        plan,
        messages.UNIQUE,
        field.name,
        column("w", f"v_{field.name}"),
        sql(
            "w.row_id IN (SELECT n.row_id FROM {new} n WHERE n.taken IN (SELECT m.{value} FROM {production} m"
            " WHERE m.{value} IS NOT NULL) OR n.taken IN (SELECT o.taken FROM {new} o GROUP BY o.taken"
            " HAVING count(*) > 1))",
            new=plan.table(suffix),
            production=plan.production,
            value=name(field.name),
        ),
    )


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
