"""What a delivered row brings, trimmed and typed, and how each value meets the stored one by its merge mode.

Here `s` is the staged row, `t` the same row read, `p` the stored member. On PostgreSQL `t` has a trimmed text and a
typed value per column. On SQLite one column holds the value or a mark: handing a text from level to level costs as much
as reading it there. All five merge modes (docs/merging.md, Values) answer three questions: is a value taken, what
empties the attribute, and what is protected. On insert every value is taken.
"""

from collections.abc import Iterator

from staging.batches.context import BatchContext, Field
from staging.sql.compose import Sql, column, fetch, join, name, sql, statement
from staging.sql.dialect import CLEARED, TOO_BIG
from staging.states import DataType, MergeMode, OnError
from staging.tables import columns

# Beside kept decisions: the ranges of their numbers that are carried out.
DONE_TABLE = "_done"
_NO_END = 2**62

_ALWAYS_TAKEN = (MergeMode.OVERWRITE, MergeMode.KEEP_WHEN_BLANK)
_SET_ON_INSERT = (MergeMode.KEEP_EXISTING, MergeMode.REJECT_CHANGE)


def pending(context: BatchContext) -> Sql:
    """Return the condition on a staged row `s` to belong to the batch.

    The rows of an approval are those that the approved batch holds; its tag has chosen them once already. Of a delivery
    that is judged again these are the rows that were left, and those settled before: they decide about the others.
    """
    if context.delivery:
        return _of_delivery(context)
    if context.batch.approves_id:
        return approved(context)
    tag = sql(" AND s.batch_tag = {tag}", tag=context.batch.tag) if context.batch.tag else Sql("")
    return sql("s.import_status = {status}{tag}", status=context.awaits.value, tag=tag)


def approved(context: BatchContext) -> Sql:
    """Return the condition on a staged row `s` to be approved: held by that batch and selected."""
    selected = context.batch.selected_rows
    return sql(
        "(s.import_status = {status} AND s.batch_id = {held}{selected})",
        status=context.awaits.value,
        held=context.batch.approves_id,
        selected=Sql("") if selected is None else sql(" AND {these}", these=context.sql.among(Sql("s.id"), selected)),
    )


def is_open(kept: BatchContext) -> Sql:
    """Return the query of the staged rows about which kept decisions are not carried out yet."""
    return statement("open_rows", kept=kept.work, left=is_left(kept, "k"))


def is_left(kept: BatchContext, row: str) -> Sql:
    """Return the condition on a row of kept decisions not to be carried out yet.

    What is carried out is read now, as few stretches: a planner that has to find them by itself compares each row with
    each of them, which took minutes in the transaction that also holds the fence.
    """
    seq = column(row, "seq")
    stretches = [sql("{seq} BETWEEN {a} AND {b}", seq=seq, a=a, b=b) for a, b in stretches_left(kept, 1, _NO_END)]
    left = join(" OR ", stretches) if stretches else Sql("1 = 0")
    return sql("{outcome} < {RowOutcome.DONE} AND ({left})", outcome=column(row, "outcome"), left=left)


def stretches_left(kept: BatchContext, first: int, last: int) -> Iterator[tuple[int, int]]:
    """Yield the ranges between these numbers of kept decisions that are not carried out yet."""
    for done_first, done_last in fetch(
        statement("stretches_done", done=kept.table(DONE_TABLE), first=first, last=last)
    ):
        if first < done_first:
            yield first, done_first - 1
        first = max(first, done_last + 1)
    if first <= last:
        yield first, last


def _of_delivery(context: BatchContext) -> Sql:
    left = context.carrying(context.delivery)
    return statement(
        "of_delivery",
        awaits=context.awaits.value,
        open=is_open(left),
        kept=left.work,
    )


def trimmed(context: BatchContext, staged: str) -> Sql:
    """Return a text column of a staged row `s` without surrounding blanks."""
    return context.sql.trim(column("s", staged))


def sentinel(context: BatchContext, field: Field) -> str:
    """Return the text that clears a value of this field."""
    return columns.sentinel(context.entity, field.data_type)


def value(field: Field) -> Sql:
    """Return the typed value a row `t` brings; not for references."""
    return column("t", f"t_{field.name}")


def has_value(context: BatchContext, field: Field) -> Sql:
    """Return whether a row `t` brings a value of the field's type; false or null when not. Not for references."""
    return sql("{t} < {CLEARED}" if context.sql.marks else "{t} IS NOT NULL", t=value(field), CLEARED=CLEARED)


def is_blank(context: BatchContext, field: Field) -> Sql:
    """Return whether a row `t` brings nothing for this field."""
    return sql("{it} IS NULL", it=_brought(context, field))


def clears(context: BatchContext, field: Field) -> Sql:
    """Return whether a row `t` brings the sentinel of this field; null when it brings nothing."""
    mark = CLEARED if _is_marked(context, field) else sql("{text}", text=sentinel(context, field))
    return sql("({it} = {mark})", it=_brought(context, field), mark=mark)


def is_too_big(context: BatchContext, field: Field) -> Sql:
    """Return whether what a row `t` brings, and is not typed, is a whole number all the same."""
    if context.sql.marks:
        return sql("{t} = {TOO_BIG}", t=value(field), TOO_BIG=TOO_BIG)
    text = column("t", f"s_{field.name}")
    return sql("length({s}) > 18 AND ltrim(ltrim({s}, '-'), '0123456789') = ''", s=text)


def read_rows(context: BatchContext) -> Sql:
    """Return the query of the rows `t`."""
    return _marked(context) if context.sql.marks else _typed(context)


def _is_marked(context: BatchContext, field: Field) -> bool:
    return context.sql.marks and not field.is_reference


def _brought(context: BatchContext, field: Field) -> Sql:
    return value(field) if _is_marked(context, field) else column("t", f"s_{field.name}")


def _system(context: BatchContext) -> list[Sql]:
    version = [Sql("s.ctid AS row_version")] if context.sql.has_row_versions else []
    return [
        Sql("s.id AS row_id"),
        Sql("s.import_status AS status"),
        *version,
        sql("{v} AS code", v=trimmed(context, "code")),
        sql("CASE WHEN s.new_code IS NOT NULL THEN {v} END AS new_code", v=trimmed(context, "new_code")),
        sql("COALESCE(s.import_action, {default}) AS action", default=context.entity.default_import_action),
    ]


def _select(context: BatchContext, pieces: list[Sql]) -> Sql:
    return statement(
        "staged_rows",
        pieces=join(",\n    ", pieces),
        staging=context.staging,
        pending=pending(context),
        ids=_of_this_piece(context),
        barrier=context.sql.barrier,
    )


def _of_this_piece(context: BatchContext) -> Sql:
    if context.ids is None:
        return Sql("")
    return sql(" AND s.id BETWEEN {first} AND {last}", first=context.ids[0], last=context.ids[1])


def _trimmed_as(context: BatchContext, field: Field) -> Sql:
    return sql("{v} AS {to}", v=trimmed(context, field.name), to=name(f"s_{field.name}"))


def _marked(context: BatchContext) -> Sql:
    pieces = _system(context)
    plain, bytes_ = (
        context.sql.typed(DataType.TEXT, v, Sql("NULL")) for v in (Sql("s.code"), trimmed(context, "code"))
    )
    pieces.append(sql("CASE WHEN s.code >= x'' THEN {bytes} ELSE {plain} END AS t_code", bytes=bytes_, plain=plain))
    for field in context.fields:
        if field.is_reference:
            pieces.append(_trimmed_as(context, field))
            continue
        found = context.sql.marked(field.data_type, column("s", field.name), sentinel(context, field))
        pieces.append(sql("{v} AS {to}", v=found, to=name(f"t_{field.name}")))
    return _select(context, pieces)


def _typed(context: BatchContext) -> Sql:
    pieces = [Sql("raw.*"), sql("{v} AS t_code", v=context.sql.typed(DataType.TEXT, Sql("raw.code"), Sql("NULL")))]
    days = [
        context.sql.look_up_day(f.data_type, column("raw", f"s_{f.name}"), name(f"k_{f.name}")) for f in context.fields
    ]
    for field in context.fields:
        if field.is_reference:
            continue
        staged, day = column("raw", f"s_{field.name}"), column(name(f"k_{field.name}").text, "day")
        pieces.append(
            sql(
                "CASE WHEN {s} <> {clears} THEN {typed} END AS {to}",
                s=staged,
                clears=sentinel(context, field),
                typed=context.sql.typed(field.data_type, staged, day),
                to=name(f"t_{field.name}"),
            )
        )
    return statement(
        "typed_rows",
        pieces=join(",\n    ", pieces),
        inner=_select(context, [*_system(context), *(_trimmed_as(context, f) for f in context.fields)]),
        days=join("", days),
        barrier=context.sql.barrier,
    )


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
    mode, cleared = mode_of(context, field), clears(context, field)
    if mode == MergeMode.KEEP_WHEN_BLANK:
        return cleared
    if mode == MergeMode.OVERWRITE:
        return sql("({blank} OR {cleared})", blank=is_blank(context, field), cleared=cleared)
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
