"""What is looked at in each column: every problem found there sets its bit in an integer."""

from collections.abc import Iterator, Mapping

from staging.batches import messages, staged
from staging.batches.findings import Findings
from staging.batches.messages import Problem
from staging.batches.plan import Field, Plan
from staging.models import Attribute
from staging.sql.compose import Sql, sql, tree
from staging.states import DataType, ImportAction

# Codes and unique texts are indexed; PostgreSQL cannot index more than about 2,700 bytes.
INDEXED_LENGTH = 500
_NUMBERS = (DataType.INTEGER, DataType.DECIMAL)
_INSTANTS = (DataType.DATE, DataType.DATETIME)
_ORDERED = (*_NUMBERS, *_INSTANTS)

# The bit of each problem of a column.
Bits = Mapping[Problem, int]
# A condition on a value, the problem when it holds, and the limit to name.
Check = tuple[Sql, Problem, str]


def findings(plan: Plan) -> Findings:
    """Number all problems that a row may show by itself; what several rows show together is found later."""
    found = Findings()
    of_code = [messages.CODE_MISSING, messages.wrong_type(DataType.TEXT), messages.TOO_LONG]
    found.add("code", [(problem, str(INDEXED_LENGTH)) for problem in of_code])
    found.add("new_code", [(messages.RENAME, "")])
    found.add("import_action", [(messages.ACTION_UNKNOWN, ""), (messages.ACTION_LATER, "")])
    for field in plan.fields:
        found.add(field.name, problems(plan, field))
    return found


def code_checks(plan: Plan, bits: Bits) -> Sql:
    """Return the problems of `code`."""
    return sql(
        "CASE WHEN t.code IS NULL THEN {missing} WHEN t.t_code IS NULL THEN {wrong}"
        " WHEN {length} > {most} THEN {long} ELSE 0 END",
        missing=_bit(bits, messages.CODE_MISSING),
        wrong=_bit(bits, messages.wrong_type(DataType.TEXT)),
        length=plan.sql.length(Sql("t.code")),
        most=INDEXED_LENGTH,
        long=_bit(bits, messages.TOO_LONG),
    )


def new_code_checks(bits: Bits) -> Sql:
    """Return the problems of `new_code`."""
    return sql(
        "CASE WHEN t.new_code IS NULL OR t.new_code = t.code THEN 0 ELSE {rename} END",
        rename=_bit(bits, messages.RENAME),
    )


def action_checks(bits: Bits) -> Sql:
    """Return the problems of `import_action`."""
    return sql(
        "CASE WHEN t.action = {upsert} THEN 0 WHEN t.action BETWEEN 1 AND {last} THEN {later} ELSE {unknown} END",
        upsert=ImportAction.UPSERT.value,
        last=max(ImportAction.values),
        later=_bit(bits, messages.ACTION_LATER),
        unknown=_bit(bits, messages.ACTION_UNKNOWN),
    )


def value_checks(plan: Plan, field: Field, stored: Sql, bits: Bits) -> Sql:
    """Return the problems of a typed value; a blank one is fine when a value is stored."""
    required = field.attribute is not None and field.attribute.required
    return sql(
        "CASE WHEN {given} THEN {broken} WHEN {nothing} THEN {blank} WHEN {c} THEN {emptied} ELSE {wrong} END",
        given=staged.has_value(plan, field),
        nothing=staged.is_blank(plan, field),
        c=staged.clears(plan, field),
        broken=tree("|", (_when(bits, condition, problem) for condition, problem, _ in constraints(plan, field)), "0"),
        blank=_when(bits, sql("{stored} IS NULL", stored=stored), messages.REQUIRED) if required else Sql("0"),
        emptied=_bit(bits, messages.REQUIRED) if required else Sql("0"),
        wrong=_wrong(plan, field, bits),
    )


def reference_checks(plan: Plan, field: Field, found: Sql, stored: Sql, bits: Bits) -> Sql:
    """Return the problems of a reference; `found` says whether its member exists now or comes with this batch."""
    required = field.attribute is not None and field.attribute.required
    return sql(
        "CASE WHEN {nothing} THEN {blank} WHEN {c} THEN {emptied} WHEN {found} THEN 0 ELSE {lost} END",
        nothing=staged.is_blank(plan, field),
        c=staged.clears(plan, field),
        found=found,
        blank=_when(bits, sql("{stored} IS NULL", stored=stored), messages.REQUIRED) if required else Sql("0"),
        emptied=_bit(bits, messages.REQUIRED) if required else Sql("0"),
        lost=_bit(bits, messages.NOT_FOUND),
    )


def constraints(plan: Plan, field: Field) -> Iterator[Check]:
    """Yield what a definition forbids a well-formed value to be."""
    attribute, value = field.attribute, staged.value(field)
    if attribute is None or field.is_reference:
        return
    if field.data_type == DataType.TEXT:
        yield from _lengths(plan, attribute, value)
    if field.data_type in _ORDERED:
        yield from _range(plan, attribute, value)
    if attribute.pattern:
        yield sql("NOT {m}", m=plan.sql.matches(attribute.pattern, value)), messages.PATTERN, attribute.pattern
    if attribute.choices:
        yield _choices(plan, attribute, value)


def problems(plan: Plan, field: Field) -> Iterator[tuple[Problem, str]]:
    """Yield each problem a field may have while it is classified, with the limit its sentence names."""
    attribute = field.attribute
    if attribute is not None and attribute.required:
        yield messages.REQUIRED, ""
    if field.is_reference:
        yield messages.NOT_FOUND, attribute.reference.name if attribute and attribute.reference else ""
        return
    yield messages.wrong_type(field.data_type), ""
    if field.data_type == DataType.INTEGER:
        yield messages.TOO_BIG, ""
    for _, problem, limit in constraints(plan, field):
        yield problem, limit


def _lengths(plan: Plan, attribute: Attribute, value: Sql) -> Iterator[Check]:
    length = plan.sql.length(value)
    limits = [n for n in (attribute.max_length, INDEXED_LENGTH if attribute.unique else None) if n is not None]
    if attribute.min_length:
        yield sql("{n} < {limit}", n=length, limit=attribute.min_length), messages.TOO_SHORT, str(attribute.min_length)
    if limits:
        yield sql("{n} > {limit}", n=length, limit=min(limits)), messages.TOO_LONG, str(min(limits))


def _range(plan: Plan, attribute: Attribute, value: Sql) -> Iterator[Check]:
    kind = attribute.data_type
    if attribute.min_value:
        limit = plan.sql.constant(kind, attribute.min_value)
        yield plan.sql.less(kind, value, limit), messages.TOO_LOW, attribute.min_value
    if attribute.max_value:
        limit = plan.sql.constant(kind, attribute.max_value)
        yield plan.sql.less(kind, limit, value), messages.TOO_HIGH, attribute.max_value


def _choices(plan: Plan, attribute: Attribute, value: Sql) -> Check:
    texts = [str(choice) for choice in attribute.choices]
    allowed = [plan.sql.constant(attribute.data_type, text) for text in texts]
    within = tree("OR", (sql("{v} = {choice}", v=value, choice=choice) for choice in allowed), "FALSE")
    shown = ", ".join(texts)
    return sql("NOT ({within})", within=within), messages.CHOICE, shown if len(shown) <= 200 else f"{shown[:200]}…"


def _wrong(plan: Plan, field: Field, bits: Bits) -> Sql:
    """Return the problem of text that could not be typed; a whole number may be one, but too long."""
    wrong = _bit(bits, messages.wrong_type(field.data_type))
    if field.data_type != DataType.INTEGER:
        return wrong
    return sql(
        "CASE WHEN {longer} THEN {big} ELSE {wrong} END",
        longer=staged.is_too_big(plan, field),
        big=_bit(bits, messages.TOO_BIG),
        wrong=wrong,
    )


def _when(bits: Bits, condition: Sql, problem: Problem) -> Sql:
    return sql("CASE WHEN {condition} THEN {bit} ELSE 0 END", condition=condition, bit=_bit(bits, problem))


def _bit(bits: Bits, problem: Problem) -> Sql:
    return Sql(str(bits[problem]))
