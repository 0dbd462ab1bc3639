"""How a delivered value meets a stored one, by the merge mode (docs/merging.md, Values).

All five modes answer three questions: is a value taken, what empties the attribute, and what is protected. On insert
every value is taken. Conditions speak of the row read `t` and the stored member `p`.
"""

from staging.batches.context import BatchContext, Field
from staging.batches.judging import staged
from staging.sql.compose import Sql, column, sql
from staging.states import MergeMode, OnError

_ALWAYS_TAKEN = (MergeMode.OVERWRITE, MergeMode.KEEP_WHEN_BLANK)
_SET_ON_INSERT = (MergeMode.KEEP_EXISTING, MergeMode.REJECT_CHANGE)


def mode_of(context: BatchContext, field: Field) -> MergeMode:
    """Return the attribute's own mode or the entity's; the name has the entity's."""
    own = field.attribute.merge_mode if field.attribute else ""
    return MergeMode(own or context.entity.default_merge_mode)


def is_required(field: Field) -> bool:
    """Return whether the attribute may not be empty afterwards."""
    return field.attribute is not None and field.attribute.required


def skips(field: Field) -> bool:
    """Return whether a wrong value leaves the attribute as it was instead of rejecting the row."""
    return field.attribute is not None and field.attribute.on_error == OnError.SKIP_FIELD


def stored(context: BatchContext, field: Field) -> Sql:
    """Return what the member `p` holds; nothing where this batch clears the reference (removals.py)."""
    value = column("p", field.name)
    if context.gone and field in context.self_references:
        query = "CASE WHEN {v} NOT IN (SELECT id FROM {gone} WHERE clears = 1) THEN {v} END"
        return sql(query, v=value, gone=context.table(context.gone))
    return value


def begun(context: BatchContext) -> Sql:
    """Return whether `p` was inserted for this same delivery, which then stopped before it was complete (merge.py)."""
    if not (context.self_references and context.delivery):
        return Sql("FALSE")
    born = "(NOT p.is_active AND p.id IN (SELECT k.target_id FROM {kept} k WHERE k.outcome = {RowOutcome.INSERT}))"
    return sql(born, kept=context.carrying(context.delivery).work)


def is_new(context: BatchContext) -> Sql:
    """Return whether the row inserts its member."""
    return (
        sql("(p.id IS NULL OR {begun} IS TRUE)", begun=begun(context))
        if context.self_references
        else Sql("(p.id IS NULL)")
    )


def is_taken(context: BatchContext, field: Field) -> Sql | None:
    """Return whether a value that is given is taken; None: always."""
    mode = mode_of(context, field)
    if mode in _ALWAYS_TAKEN:
        return None
    if mode in _SET_ON_INSERT:
        return is_new(context)
    return sql("({stored} IS NULL)", stored=stored(context, field))


def empties(context: BatchContext, field: Field) -> Sql | None:
    """Return whether what is given makes the attribute empty; None: nothing does."""
    mode, cleared = mode_of(context, field), staged.clears(context, field)
    if mode == MergeMode.KEEP_WHEN_BLANK:
        return cleared
    if mode == MergeMode.OVERWRITE:
        return sql("({blank} OR {cleared})", blank=staged.is_blank(context, field), cleared=cleared)
    return None


def merged(context: BatchContext, field: Field, given: Sql, value: Sql) -> Sql:
    """Return the value production will have; `given` says whether there is a value and nothing is wrong with it."""
    taken, emptied = is_taken(context, field), empties(context, field)
    if skips(field) and is_required(field):
        emptied = None  # to empty it would be wrong, and is skipped
    return sql(
        "CASE WHEN {given} THEN {value}{emptied} ELSE {stored} END",
        given=given if taken is None else sql("({given} AND {taken})", given=given, taken=taken),
        value=value,
        emptied=Sql("") if emptied is None else sql(" WHEN {it} THEN NULL", it=emptied),
        stored=stored(context, field),
    )


def lacks_when_given(context: BatchContext, field: Field) -> Sql | None:
    """Return whether a required attribute stays empty although a good value is given; None: never."""
    if mode_of(context, field) != MergeMode.KEEP_EXISTING:
        return None
    return sql("{new} IS NOT TRUE AND {stored} IS NULL", new=is_new(context), stored=stored(context, field))


def lacks_when_blank(context: BatchContext, field: Field) -> Sql:
    """Return whether a required attribute is empty afterwards when the row brings nothing."""
    if mode_of(context, field) == MergeMode.OVERWRITE:
        return Sql("TRUE")
    return sql("{stored} IS NULL", stored=stored(context, field))


def lacks_when_cleared(context: BatchContext, field: Field) -> Sql:
    """Return whether a required attribute is empty afterwards when the row asks to clear it."""
    if mode_of(context, field) in _ALWAYS_TAKEN:
        return Sql("TRUE")
    return sql("{stored} IS NULL", stored=stored(context, field))


def is_protected(context: BatchContext, field: Field) -> bool:
    """Return whether the attribute may not change once it is inserted."""
    return mode_of(context, field) == MergeMode.REJECT_CHANGE


def would_change(context: BatchContext, field: Field, value: Sql) -> Sql:
    """Return whether a given value differs from what is stored; a value not known yet (null) differs."""
    same = context.sql.same(value, stored(context, field))
    known = sql("({value} IS NOT NULL AND {same})", value=value, same=same)
    return sql("({new} IS NOT TRUE AND NOT {known})", new=is_new(context), known=known)


def would_be_cleared(context: BatchContext, field: Field) -> Sql:
    """Return whether the sentinel asks a protected attribute to lose its value."""
    return sql("({new} IS NOT TRUE AND {stored} IS NOT NULL)", new=is_new(context), stored=stored(context, field))
