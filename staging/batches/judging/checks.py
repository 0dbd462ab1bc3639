"""What is looked at in each column: every problem found there sets its bit in an integer."""

from collections.abc import Iterator, Mapping

from staging.batches.context import BatchContext, Field
from staging.batches.judging import actions, modes, problems, staged
from staging.batches.judging.problems import Findings, Noted, Problem
from staging.models import Attribute
from staging.sql.compose import Sql, sql, tree
from staging.sql.statement import statement
from staging.states import DataType
from staging.tables.create import INDEXED_LENGTH

_NUMBERS = (DataType.INTEGER, DataType.DECIMAL)
_INSTANTS = (DataType.DATE, DataType.DATETIME)
_ORDERED = (*_NUMBERS, *_INSTANTS)

# The bit of each problem of a column.
Bits = Mapping[Problem, int]
# A condition on a value, the problem when it holds, and the limit to name.
Check = tuple[Sql, Problem, str]


def findings(context: BatchContext) -> Findings:
    """Number all problems that a row may show by itself; what several rows show together is found later."""
    found, length = Findings(), str(INDEXED_LENGTH)
    own = [problems.CODE_MISSING, problems.wrong_type(DataType.TEXT), problems.TOO_LONG]
    found.add("code", [(problem, length, False) for problem in (*own, problems.UNKNOWN, problems.EXISTS)])
    found.add("new_code", [(problem, length, False) for problem in own[1:]])
    found.add("import_action", [(problems.ACTION_UNKNOWN, "", False)])
    for field in context.fields:
        found.add(field.name, _problems_of(context, field))
    return found


def code_checks(context: BatchContext, bits: Bits) -> Sql:
    """Return the problems of `code`; whether it should exist, or should not, is asked of a good one only."""
    return statement(
        "code_problems",
        missing=_bit(bits, problems.CODE_MISSING),
        wrong=_bit(bits, problems.wrong_type(DataType.TEXT)),
        length=context.sql.length(Sql("t.code")),
        most=INDEXED_LENGTH,
        long=_bit(bits, problems.TOO_LONG),
        new=modes.is_new(context),
        removes=actions.removes("t"),
        renames=actions.renames(),
        unknown=_bit(bits, problems.UNKNOWN),
        exists=_bit(bits, problems.EXISTS),
    )


def new_code_checks(context: BatchContext, bits: Bits) -> Sql:
    """Return the problems of `new_code` by itself; whether it is free shows when all rows are seen (actions.py)."""
    return statement(
        "new_code_problems",
        renames=actions.renames(),
        typed=context.sql.typed(DataType.TEXT, Sql("t.new_code"), Sql("NULL")),
        wrong=_bit(bits, problems.wrong_type(DataType.TEXT)),
        length=context.sql.length(Sql("t.new_code")),
        most=INDEXED_LENGTH,
        long=_bit(bits, problems.TOO_LONG),
    )


def action_checks(bits: Bits) -> Sql:
    """Return the problems of `import_action`."""
    unknown = _bit(bits, problems.ACTION_UNKNOWN)
    return sql("CASE WHEN {known} THEN 0 ELSE {unknown} END", known=actions.is_known(), unknown=unknown)


def value_checks(context: BatchContext, field: Field, bits: Bits) -> Sql:
    """Return the problems of a typed value."""
    broken = tree("|", (_when(bits, condition, problem) for condition, problem, _ in constraints(context, field)), "0")
    checks = statement(
        "value_problems",
        given=staged.has_value(context, field),
        nothing=staged.is_blank(context, field),
        c=staged.clears(context, field),
        broken=_when_given(context, field, broken, staged.value(field), bits),
        blank=_when_blank(context, field, bits),
        cleared=_when_cleared(context, field, bits),
        wrong=_wrong(context, field, bits),
    )
    return _or_still_empty(context, field, checks, is_right(context, field), bits)


def reference_checks(context: BatchContext, field: Field, found: Sql, member: Sql, bits: Bits) -> Sql:
    """Return the problems of a reference.

    `found` says whether its member exists now or comes with this batch, `member` is its id as far as it is known.
    """
    checks = statement(
        "reference_problems",
        nothing=staged.is_blank(context, field),
        c=staged.clears(context, field),
        found=found,
        blank=_when_blank(context, field, bits),
        cleared=_when_cleared(context, field, bits),
        given=_when_given(context, field, Sql("0"), member, bits),
        lost=_bit(bits, problems.NOT_FOUND),
    )
    given = sql("({cleared} IS NOT TRUE AND {found})", cleared=staged.clears(context, field), found=found)
    return _or_still_empty(context, field, checks, given, bits)


def is_right(context: BatchContext, field: Field) -> Sql:
    """Return whether a row brings a value for a field that may be left out, and one that the definition allows."""
    given = staged.has_value(context, field)
    broken = [condition for condition, _, _ in constraints(context, field)]
    if not broken or not modes.skips(field):
        return given
    return sql("({given} AND {broken} IS NOT TRUE)", given=given, broken=tree("OR", broken, "FALSE"))


def _when_given(context: BatchContext, field: Field, broken: Sql, value: Sql, bits: Bits) -> Sql:
    found = broken
    if modes.is_protected(context, field):
        changed = _when(bits, modes.would_change(context, field, value), problems.PROTECTED)
        found = sql("({broken} | {changed})", broken=broken, changed=changed)
    lacks = modes.lacks_when_given(context, field)
    if lacks is None or not modes.is_required(field) or modes.skips(field):
        return found
    return sql("COALESCE(NULLIF({found}, 0), {lacks})", found=found, lacks=_when(bits, lacks, problems.REQUIRED))


def _when_blank(context: BatchContext, field: Field, bits: Bits) -> Sql:
    return _emptied(context, field, modes.lacks_when_blank(context, field), bits)


def _when_cleared(context: BatchContext, field: Field, bits: Bits) -> Sql:
    emptied = _emptied(context, field, modes.lacks_when_cleared(context, field), bits)
    if not modes.is_protected(context, field):
        return emptied
    protected = _when(bits, modes.would_be_cleared(context, field), problems.PROTECTED)
    return sql("({emptied} | {protected})", emptied=emptied, protected=protected)


def _emptied(context: BatchContext, field: Field, lacks: Sql, bits: Bits) -> Sql:
    """Return the problem of a required attribute that would be empty; one that may be skipped keeps what is stored."""
    if not modes.is_required(field):
        return Sql("0")
    if not modes.skips(field):
        return _when(bits, lacks, problems.REQUIRED)
    kept = sql("{lacks} AND {stored} IS NOT NULL", lacks=lacks, stored=modes.stored(context, field))
    return _when(bits, kept, problems.EMPTIED)


def _or_still_empty(context: BatchContext, field: Field, checks: Sql, right: Sql, bits: Bits) -> Sql:
    """Add the problem of a required attribute that was skipped, or not brought, and therefore is empty."""
    if not (modes.is_required(field) and modes.skips(field)):
        return checks
    taken = modes.is_taken(context, field)
    return sql(
        "({checks} | CASE WHEN {stored} IS NOT NULL THEN 0 WHEN {right}{taken} THEN 0 ELSE {required} END)",
        checks=checks,
        stored=modes.stored(context, field),
        right=right,
        taken=Sql("") if taken is None else sql(" AND {taken}", taken=taken),
        required=_bit(bits, problems.REQUIRED),
    )


def constraints(context: BatchContext, field: Field) -> Iterator[Check]:
    """Yield what a definition forbids a well-formed value to be."""
    attribute, value = field.attribute, staged.value(field)
    if attribute is None or field.is_reference:
        return
    if field.data_type == DataType.TEXT:
        yield from _lengths(context, attribute, value)
    if field.data_type in _ORDERED:
        yield from _range(context, attribute, value)
    if attribute.pattern:
        yield sql("NOT {m}", m=context.sql.matches(attribute.pattern, value)), problems.PATTERN, attribute.pattern
    if attribute.choices:
        yield _choices(context, attribute, value)


def _problems_of(context: BatchContext, field: Field) -> Iterator[Noted]:
    """Yield each problem a field may have while it is classified, with the limit its sentence names."""
    warns = modes.skips(field)
    if modes.is_required(field):
        yield problems.REQUIRED, "", False
        if warns:
            yield problems.EMPTIED, "", True
    if modes.is_protected(context, field):
        yield problems.PROTECTED, "", warns
    for problem, limit in _of_value(context, field):
        yield problem, limit, warns


def _of_value(context: BatchContext, field: Field) -> Iterator[tuple[Problem, str]]:
    attribute = field.attribute
    if field.is_reference:
        yield problems.NOT_FOUND, attribute.reference.name if attribute and attribute.reference else ""
        return
    yield problems.wrong_type(field.data_type), ""
    if field.data_type == DataType.INTEGER:
        yield problems.TOO_BIG, ""
    for _, problem, limit in constraints(context, field):
        yield problem, limit


def _lengths(context: BatchContext, attribute: Attribute, value: Sql) -> Iterator[Check]:
    length = context.sql.length(value)
    limits = [n for n in (attribute.max_length, INDEXED_LENGTH if attribute.unique else None) if n is not None]
    if attribute.min_length:
        yield sql("{n} < {limit}", n=length, limit=attribute.min_length), problems.TOO_SHORT, str(attribute.min_length)
    if limits:
        yield sql("{n} > {limit}", n=length, limit=min(limits)), problems.TOO_LONG, str(min(limits))


def _range(context: BatchContext, attribute: Attribute, value: Sql) -> Iterator[Check]:
    kind = attribute.data_type
    if attribute.min_value:
        limit = context.sql.constant(kind, attribute.min_value)
        yield context.sql.less(kind, value, limit), problems.TOO_LOW, attribute.min_value
    if attribute.max_value:
        limit = context.sql.constant(kind, attribute.max_value)
        yield context.sql.less(kind, limit, value), problems.TOO_HIGH, attribute.max_value


def _choices(context: BatchContext, attribute: Attribute, value: Sql) -> Check:
    texts = [str(choice) for choice in attribute.choices]
    allowed = [context.sql.constant(attribute.data_type, text) for text in texts]
    within = tree("OR", (sql("{v} = {choice}", v=value, choice=choice) for choice in allowed), "FALSE")
    shown = ", ".join(texts)
    return sql("NOT ({within})", within=within), problems.CHOICE, shown if len(shown) <= 200 else f"{shown[:200]}…"


def _wrong(context: BatchContext, field: Field, bits: Bits) -> Sql:
    """Return the problem of text that could not be typed; a whole number may be one, but too long."""
    wrong = _bit(bits, problems.wrong_type(field.data_type))
    if field.data_type != DataType.INTEGER:
        return wrong
    return sql(
        "CASE WHEN {longer} THEN {big} ELSE {wrong} END",
        longer=staged.is_too_big(context, field),
        big=_bit(bits, problems.TOO_BIG),
        wrong=wrong,
    )


def _when(bits: Bits, condition: Sql, problem: Problem) -> Sql:
    return sql("CASE WHEN {condition} THEN {bit} ELSE 0 END", condition=condition, bit=_bit(bits, problem))


def _bit(bits: Bits, problem: Problem) -> Sql:
    return Sql(str(bits[problem]))
