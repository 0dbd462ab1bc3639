"""Renames: which new codes are free, and giving them (docs/merging.md, Renames).

Here only what rows of the batch want from one another is decided; whether the holder of a code gives it up depends on
chains of rows and is decided in cascade.py. All codes of a batch change in one transaction and in two steps, so that
chains and swaps meet no code that is still there.
"""

from staging.batches import messages
from staging.batches.context import BatchContext
from staging.batches.reject import reject
from staging.sql.compose import Sql, run, sql
from staging.sql.statement import statement


def settle_renames(context: BatchContext) -> None:
    """Reject the rows whose new code another row of the batch wants too, be it rejected for something else or not."""
    inserted = statement(
        "codes_inserted",
        work=context.work,
    )
    twice = statement(
        "codes_wanted_twice",
        work=context.work,
    )
    condition = sql("w.new_code IN ({inserted}) OR w.new_code IN ({twice})", inserted=inserted, twice=twice)
    reject(context, messages.WANTED_TWICE, "new_code", Sql("w.new_code"), condition)


def give_new_codes(context: BatchContext, within: Sql) -> None:
    """Change the codes of the members; a code begins with no blank, so the first step can meet none."""
    for code in (Sql("' ' || p.id"), Sql("w.new_code")):
        run(
            statement(
                "give_codes",
                production=context.production,
                code=code,
                work=context.work,
                within=within,
            )
        )
