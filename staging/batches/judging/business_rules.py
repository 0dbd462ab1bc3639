"""Judges the rows of a batch by the entity's business rules, on the values their members would have afterwards.

A rule is two conditions: where `when` holds, `must` has to hold. They become SQL over the work table; an empty value
holds in no comparison but those that say «not» or «empty», so a condition is always true or false, never unknown.
A rule looks at rows whose own values are right: what is wrong with those is told first.
"""

from collections.abc import Callable
from functools import partial

from django.utils.translation import gettext_noop, override

from staging.batches.context import BatchContext, Field
from staging.batches.judging.checks import Problem
from staging.batches.judging.reject import reject, warn
from staging.identifiers import production_table
from staging.models import BusinessRule
from staging.rules.check import kinds_of
from staging.rules.condition import Condition, Line
from staging.rules.lines import condition_of
from staging.rules.words import condition_words
from staging.sql.compose import Sql, column, join, name, sql, tree
from staging.states import YES, Comparison, DataType, ErrorBit, RuleEffect, RulePart
from staging.wording import in_language_of, say

# What a rule could only misjudge: values that are missing, malformed or refer to nothing, and rows about no member.
_UNREADABLE = (
    ErrorBit.CODE_MISSING
    | ErrorBit.REQUIRED_MISSING
    | ErrorBit.WRONG_TYPE
    | ErrorBit.CONSTRAINT
    | ErrorBit.REFERENCE
    | ErrorBit.CODE_NOT_FOUND
    | ErrorBit.UNKNOWN_ACTION
)

Compare = Callable[[Sql, Sql], Sql]


def judge_by_rules(context: BatchContext, which: Sql | None = None) -> int:
    """Reject or warn about every row `w`, of these if given, that breaks a rule of the entity; return how many did."""
    return sum(_apply(context, rule, which or Sql("TRUE")) for rule in context.rules)


def _apply(context: BatchContext, rule: BusinessRule, which: Sql) -> int:
    lines = list(rule.lines.all())
    when, must = condition_of(lines, RulePart.WHEN), condition_of(lines, RulePart.MUST)
    if not must:
        return 0  # only code can store such a rule; it demands nothing
    applies = _condition(context, when) if when else Sql("TRUE")
    broken = sql("{applies} AND NOT {holds}", applies=applies, holds=_condition(context, must))
    with override(context.entity.language):
        text = rule.message.strip() or say("this does not hold: {condition}", condition=condition_words(must))
    told = f"{{column}}: {text.rstrip('.')} ({{value}})."  # what people wrote: no catalogue has it
    problem = Problem(ErrorBit.BUSINESS_RULE, template=told)
    looked_at = dict.fromkeys(line.attribute for line in lines if line.part == RulePart.MUST)
    tell = reject if rule.effect == RuleEffect.REJECT else warn
    condition = sql("{which} AND {readable} AND {broken}", which=which, readable=_readable(), broken=broken)
    return tell(context, problem, rule.name, _found(context, list(looked_at)), condition)


def _readable() -> Sql:
    return sql(
        "(w.outcome IN ({RowOutcome.INSERT}, {RowOutcome.UPDATE}, {RowOutcome.UNCHANGED}) OR (w.outcome ="
        " {RowOutcome.REJECTED} AND w.action < {ImportAction.DEACTIVATE}"
        " AND w.error & {unreadable} = 0))",
        unreadable=int(_UNREADABLE),
    )


def _found(context: BatchContext, attributes: list[str]) -> Sql:
    """Return what the row would have in these attributes, as text: `staff: 3, region: EU`."""
    empty = in_language_of(context.entity.language, gettext_noop("empty"))
    pieces = (
        sql("{label} || COALESCE({text}, {empty})", label=f"{it}: ", text=_as_text(context, it), empty=empty)
        for it in attributes
    )
    return join(" || ', ' || ", pieces)


def _as_text(context: BatchContext, attribute: str) -> Sql:
    value = _value(context, attribute)
    if _kind(context, attribute) != DataType.BOOLEAN:
        return sql("CAST({v} AS text)", v=value)
    yes, no = (in_language_of(context.entity.language, word) for word in (gettext_noop("yes"), gettext_noop("no")))
    return sql("CASE WHEN {v} IS NULL THEN NULL WHEN {v} THEN {yes} ELSE {no} END", v=value, yes=yes, no=no)


def _condition(context: BatchContext, condition: Condition) -> Sql:
    return tree("OR", (tree("AND", (_line(context, line) for line in lines), "TRUE") for lines in condition), "FALSE")


def _line(context: BatchContext, line: Line) -> Sql:
    kind, value = _kind(context, line.attribute), _value(context, line.attribute)
    comparison = Comparison(line.comparison)
    if comparison in (Comparison.EMPTY, Comparison.NOT_EMPTY):
        return sql("({v} IS NULL)" if comparison == Comparison.EMPTY else "({v} IS NOT NULL)", v=value)
    negated = comparison in (Comparison.NOT_EQUALS, Comparison.NOT_IN, Comparison.NOT_MATCHES)
    others = [_value(context, line.other)] if line.other else [_constant(context, kind, text) for text in line.values]
    found = tree("OR", (_compared(context, kind, comparison)(value, other) for other in others), "FALSE")
    return sql("(NOT COALESCE({it}, FALSE))" if negated else "COALESCE({it}, FALSE)", it=found)


def _compared(context: BatchContext, kind: str, comparison: Comparison) -> Compare:
    less: Compare = partial(context.sql.less, kind)
    compares: dict[str, Compare] = {
        Comparison.LESS_THAN: less,
        Comparison.GREATER_THAN: lambda a, b: less(b, a),
        Comparison.AT_MOST: lambda a, b: sql("(NOT {it})", it=less(b, a)),
        Comparison.AT_LEAST: lambda a, b: sql("(NOT {it})", it=less(a, b)),
        Comparison.MATCHES: partial(_matches, context),
        Comparison.NOT_MATCHES: partial(_matches, context),
    }
    return compares.get(comparison, lambda a, b: sql("({a} = {b})", a=a, b=b))


def _matches(context: BatchContext, value: Sql, pattern: Sql) -> Sql:
    """Return whether a text matches; the databases' own functions are given no null."""
    found = context.sql.matches(str(pattern.params[0]), value)
    return sql("CASE WHEN {value} IS NULL THEN FALSE ELSE {found} END", value=value, found=found)


def _constant(context: BatchContext, kind: str, text: str) -> Sql:
    if kind == DataType.BOOLEAN:
        return sql("{v}", v=text.lower() in YES)
    if kind in (DataType.TEXT, DataType.REFERENCE):
        return sql("{v}", v=text)
    return context.sql.constant(kind, text)


def _kind(context: BatchContext, attribute: str) -> str:
    return kinds_of([field.attribute for field in context.fields if field.attribute])[attribute]


def _value(context: BatchContext, attribute: str) -> Sql:
    """Return the value a row's member would have; of a reference the code it refers to."""
    if attribute == "code":
        return Sql("COALESCE(w.new_code, w.code)")
    value = column("w", f"v_{attribute}")
    field = next(field for field in context.fields if field.name == attribute)
    return _code(context, field, value) if field.is_reference else value


def _code(context: BatchContext, field: Field, value: Sql) -> Sql:
    target = field.attribute.reference if field.attribute else None
    stored = sql(
        "(SELECT r.code FROM {target} r WHERE r.id = {value})",
        target=name(production_table(target.code if target else "")),
        value=value,
    )
    if field not in context.self_references:
        return stored
    return sql("COALESCE({stored}, {late})", stored=stored, late=column("w", f"l_{field.name}"))
