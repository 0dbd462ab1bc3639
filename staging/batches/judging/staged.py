"""Reads the staged rows of a batch: trimmed and typed, and what each column brings.

Here `s` is the staged row and `t` the same row read. On PostgreSQL `t` has a trimmed text and a typed value per column.
On SQLite one column holds the value or a mark: handing a text from level to level costs as much as reading it there.
"""

from collections.abc import Iterator

from staging.batches.context import BatchContext, Field
from staging.sql.compose import Sql, column, fetch, join, name, sql
from staging.sql.dialect import CLEARED, TOO_BIG
from staging.sql.statement import statement
from staging.states import DataType

_NUMBERS = (DataType.INTEGER, DataType.DECIMAL)
_INSTANTS = (DataType.DATE, DataType.DATETIME)
# Beside kept decisions: the ranges of their numbers that are carried out.
DONE_TABLE = "_done"
_NO_END = 2**62


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
    if field.data_type in _NUMBERS:
        return context.entity.sentinel_number
    return context.entity.sentinel_datetime if field.data_type in _INSTANTS else context.entity.sentinel_text


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


def read(context: BatchContext) -> Sql:
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
        fence=context.sql.fence,
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
        fence=context.sql.fence,
    )
