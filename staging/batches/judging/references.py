"""Which member a delivered reference means: one that is active, or one that this same batch brings.

A code means the member that has it before the batch; where that is none, or none that is active, it may come with a
row of this batch (`b`) or by a rename (`n`): then the reference is *late*, and stands or falls with that row.
"""

from collections.abc import Iterator

from staging.batches.context import BatchContext, Field
from staging.batches.judging import actions, modes, staged
from staging.batches.judging.staged import pending, trimmed
from staging.identifiers import production_table
from staging.sql.compose import Sql, column, name, sql
from staging.sql.statement import statement


def joins(context: BatchContext) -> Iterator[Sql]:
    """Yield the joins that look up the members referred to, and the codes that come with this batch."""
    for field in context.references:
        reference = field.attribute.reference if field.attribute else None
        if reference is None:
            continue
        yield sql(
            "\nLEFT JOIN {target} {alias} ON {code} = {staged}",
            target=name(production_table(reference.code)),
            alias=name(f"r_{field.name}"),
            code=of("r", field, "code"),
            staged=column("t", f"s_{field.name}"),
        )
    for field in context.self_references:
        yield _with_batch(context, field, "b", _codes_that_come(context))
        yield _with_batch(context, field, "n", _new_codes_that_come(context))


def of(alias: str, field: Field, wanted: str) -> Sql:
    """Return a column of what is joined for a field: `r` the member, `b` a code of the batch, `n` a new code of it."""
    return column(name(f"{alias}_{field.name}").text, wanted)


def is_late(context: BatchContext, field: Field) -> Sql:
    """Return whether a reference to the entity itself can only be filled by another row of this batch."""
    return sql(
        "({cleared} IS NOT TRUE AND ({in_batch} IS NOT NULL OR {renamed} IS NOT NULL) AND {active} IS NOT TRUE)",
        cleared=staged.clears(context, field),
        in_batch=of("b", field, "code"),
        renamed=of("n", field, "id"),
        active=of("r", field, "is_active"),
    )


def is_found(context: BatchContext, field: Field) -> Sql:
    """Return whether the member a row refers to exists now, and does not go, or comes with this batch."""
    if field not in context.self_references:
        return sql("({active})", active=of("r", field, "is_active"))
    stays = Sql("")
    if context.gone:
        query = " AND {id} NOT IN (SELECT id FROM {gone})"
        stays = sql(query, id=of("r", field, "id"), gone=context.table(context.gone))
    late = is_late(context, field)
    return sql("(({active}{stays}) OR {late})", active=of("r", field, "is_active"), stays=stays, late=late)


def member(context: BatchContext, field: Field) -> Sql:
    """Return the id of the member a row refers to; null while it has none."""
    if field not in context.self_references:
        return of("r", field, "id")
    return sql(
        "CASE WHEN {active} IS TRUE OR {in_batch} IS NOT NULL THEN {id} ELSE {renamed} END",
        active=of("r", field, "is_active"),
        in_batch=of("b", field, "code"),
        id=of("r", field, "id"),
        renamed=of("n", field, "id"),
    )


def final(context: BatchContext, field: Field) -> Sql:
    """Return the id production will have; null also when it is not known before the batch has inserted the member."""
    given = sql(
        "{cleared} IS NOT TRUE AND {found}", cleared=staged.clears(context, field), found=is_found(context, field)
    )
    return modes.merged(context, field, sql("({given})", given=given), member(context, field))


def late_code(context: BatchContext, field: Field) -> Sql:
    """Return the code that a late reference waits for, null for the others."""
    return sql("CASE WHEN {late} THEN {code} END", late=is_late(context, field), code=column("t", f"s_{field.name}"))


def waits(context: BatchContext, field: Field) -> Sql:
    """Return the bit of a field whose member has no id yet; 0 when it has one, or is not taken."""
    taken = modes.is_taken(context, field)
    return sql(
        "CASE WHEN {late} AND {id} IS NULL{taken} THEN {bit} ELSE 0 END",
        late=is_late(context, field),
        id=member(context, field),
        taken=Sql("") if taken is None else sql(" AND {taken}", taken=taken),
        bit=Sql(str(waiting_bit(context, field))),
    )


def waiting_bit(context: BatchContext, field: Field) -> int:
    """Return the bit that says in `waits` that this field waits for a member of this batch to have an id."""
    return 1 << context.self_references.index(field)


def _with_batch(context: BatchContext, field: Field, alias: str, codes: Sql) -> Sql:
    return sql(
        "\nLEFT JOIN ({codes}) {alias} ON {theirs} = {staged}",
        codes=codes,
        alias=name(f"{alias}_{field.name}"),
        theirs=of(alias, field, "code"),
        staged=column("t", f"s_{field.name}"),
    )


def _codes_that_come(context: BatchContext) -> Sql:
    return statement(
        "codes_that_come",
        code=trimmed(context, "code"),
        staging=context.staging,
        pending=pending(context),
        brings=actions.brings(context),
        counts=_counts(context),
    )


def _new_codes_that_come(context: BatchContext) -> Sql:
    return statement(
        "new_codes_that_come",
        new=trimmed(context, "new_code"),
        code=trimmed(context, "code"),
        staging=context.staging,
        production=context.production,
        pending=pending(context),
        brings=actions.brings_new_code(context),
        counts=_counts(context),
    )


def _counts(context: BatchContext) -> Sql:
    """Return that a staged row `s` is not superseded, as far as that is known."""
    if not context.superseded:
        return Sql("")
    query = " AND s.id NOT IN (SELECT row_id FROM {superseded})"
    return sql(query, superseded=context.table(context.superseded))
