"""What a row intends: the action and the rename it asks for (docs/merging.md), and the members its references mean.

Conditions are on the staged row `s` or the row read `t`. A code means the member that has it before the batch; where
that is none, or none that is active, it may come with a row of this batch (`b`) or by a rename (`n`): then the
reference is *late*, and stands or falls with that row.
"""

from collections.abc import Iterator

from staging.batches.context import BatchContext, Field
from staging.batches.judging import checks, delivered
from staging.batches.judging.delivered import pending, trimmed
from staging.batches.judging.reject import reject
from staging.identifiers import production_table
from staging.sql.compose import Sql, column, name, run, sql, statement

# Which actions delete, and which clear the references to the member they take away: for `IN ({...})`.
DELETING = sql("{ImportAction.DELETE}, {ImportAction.DELETE_CLEAR}")
CLEARING = sql("{ImportAction.DEACTIVATE_CLEAR}, {ImportAction.DELETE_CLEAR}")


def action(context: BatchContext) -> Sql:
    """Return the action of a staged row `s`: its own, or the entity's default."""
    return sql("COALESCE(s.import_action, {default})", default=context.entity.default_import_action)


def removes(alias: str) -> Sql:
    """Return whether a row takes a member away; such a row looks at nothing but the code."""
    return _is_removal(Sql(f"{alias}.action"))


def takes_away(context: BatchContext) -> Sql:
    """Return whether a staged row `s` takes a member away."""
    return _is_removal(action(context))


def _is_removal(asked: Sql) -> Sql:
    return sql("({asked} BETWEEN {ImportAction.DEACTIVATE} AND {ImportAction.DELETE_CLEAR})", asked=asked)


def is_known() -> Sql:
    """Return whether a row `t` asks for an action that there is."""
    return sql("t.action BETWEEN {ImportAction.UPSERT} AND {ImportAction.DELETE_CLEAR}")


def renames() -> Sql:
    """Return whether a row `t` renames; null or false when it does not."""
    return sql("(t.new_code <> t.code AND t.action IN ({ImportAction.UPSERT}, {ImportAction.UPDATE_ONLY}))")


def brings(context: BatchContext) -> Sql:
    """Return whether a staged row `s` makes its code an active member, if nothing is wrong with it."""
    return _may_bring(action(context))


def may_bring(alias: str) -> Sql:
    """Return whether a row of the work table asks for an action that may bring a member of its code."""
    return _may_bring(Sql(f"{alias}.action"))


def _may_bring(asked: Sql) -> Sql:
    return sql("({asked} NOT BETWEEN {ImportAction.UPDATE_ONLY} AND {ImportAction.DELETE_CLEAR})", asked=asked)


def brings_new_code(context: BatchContext) -> Sql:
    """Return whether a staged row `s` of the member `p` makes its new code an active member."""
    return sql(
        "(s.new_code IS NOT NULL AND ({action} = {ImportAction.UPSERT} OR ({action} = {ImportAction.UPDATE_ONLY}"
        " AND p.is_active)))",
        action=action(context),
    )


def outcome_of_removal() -> Sql:
    """Return what becomes of a row `t` that takes the member `p` away; 0 for other rows."""
    return statement(
        "removal",
        removes=removes("t"),
        deleting=DELETING,
    )


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
    reject(context, checks.WANTED_TWICE, "new_code", Sql("w.new_code"), condition)


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


def member_joins(context: BatchContext) -> Iterator[Sql]:
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
        cleared=delivered.clears(context, field),
        in_batch=of("b", field, "code"),
        renamed=of("n", field, "code"),
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
    # Of a code that no member has, a row that takes it as its own new code means itself, whatever else asks for it.
    return sql(
        "CASE WHEN {active} IS TRUE OR {in_batch} IS NOT NULL AND {id} IS NOT NULL THEN {id}"
        " WHEN {itself} THEN p.id WHEN COALESCE({comes}, 0) = 0 THEN {renamed} END",
        active=of("r", field, "is_active"),
        in_batch=of("b", field, "code"),
        id=of("r", field, "id"),
        itself=_is_itself(field),
        comes=of("b", field, "comes"),
        renamed=of("n", field, "id"),
    )


def _is_itself(field: Field) -> Sql:
    """Return whether a row `t` refers to its own member `p` by the new code that it gives it."""
    return sql(
        "(p.id IS NOT NULL AND t.new_code = {code} AND (t.action = {ImportAction.UPSERT}"
        " OR t.action = {ImportAction.UPDATE_ONLY} AND p.is_active))",
        code=column("t", f"s_{field.name}"),
    )


def final(context: BatchContext, field: Field) -> Sql:
    """Return the id production will have; null also when it is not known before the batch has inserted the member."""
    given = sql(
        "{cleared} IS NOT TRUE AND {found}", cleared=delivered.clears(context, field), found=is_found(context, field)
    )
    return delivered.merged(context, field, sql("({given})", given=given), member(context, field))


def late_code(context: BatchContext, field: Field) -> Sql:
    """Return the code that a late reference waits for, null for the others."""
    return sql("CASE WHEN {late} THEN {code} END", late=is_late(context, field), code=column("t", f"s_{field.name}"))


def waits(context: BatchContext, field: Field) -> Sql:
    """Return the bit of a field whose member has no id yet; 0 when it has one, or is not taken."""
    taken = delivered.is_taken(context, field)
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
        action=action(context),
        new=trimmed(context, "new_code"),
        code=trimmed(context, "code"),
        staging=context.staging,
        production=context.production,
        pending=pending(context),
        brings=brings(context),
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
        brings=brings_new_code(context),
        counts=_counts(context),
    )


def _counts(context: BatchContext) -> Sql:
    """Return that a staged row `s` is not superseded, as far as that is known."""
    if not context.superseded:
        return Sql("")
    query = " AND s.id NOT IN (SELECT row_id FROM {superseded})"
    return sql(query, superseded=context.table(context.superseded))
