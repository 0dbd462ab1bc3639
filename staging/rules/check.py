"""What is wrong with a business rule, told at the field that is wrong, before it judges any row."""

from collections.abc import Iterator, Mapping, Sequence

from staging.entities.values import FORMS, is_storable, parse_value
from staging.models import Attribute, BusinessRule, RuleLine
from staging.patterns import check_pattern
from staging.rules.lines import ALONE, LISTS, values_of
from staging.states import NO, ORDERED, YES, Comparison, DataType, RuleEffect, RulePart
from staging.wording import say

Errors = dict[str, list[str]]

# Columns that every entity has and a rule may look at.
OWN_COLUMNS = ("code", "name")
# A statement carries every line of a rule with its values.
MOST_LINES = 100
MOST_VALUES = 1_000

_COMPARED = (Comparison.LESS_THAN, Comparison.AT_MOST, Comparison.GREATER_THAN, Comparison.AT_LEAST)
_PATTERNS = (Comparison.MATCHES, Comparison.NOT_MATCHES)
_TEXTS = (DataType.TEXT, DataType.REFERENCE)


def rule_errors(rule: BusinessRule, lines: Sequence[RuleLine], attributes: Sequence[Attribute]) -> Errors:
    """Return everything wrong with a rule by path, such as `name` or `lines.2.value`. Works on unsaved instances."""
    errors: Errors = {}
    if not rule.name.strip():
        errors["name"] = [say("Give the rule a name.")]
    for field in ("name", "message"):
        if not is_storable(getattr(rule, field)):
            errors[field] = [say("This holds a character that no database keeps (NUL or half a surrogate pair).")]
    if rule.effect not in RuleEffect.values:
        errors["effect"] = [say("There is no effect {effect!r}; use 'reject' or 'warn'.", effect=rule.effect)]
    if not any(line.part == RulePart.MUST for line in lines):
        errors["lines"] = [say("Say what must hold: at least one line.")]
    elif len(lines) > MOST_LINES:
        errors["lines"] = [say("These are more than {most} lines; split the rule.", most=MOST_LINES)]
    kinds = kinds_of(attributes)
    for number, line in enumerate(lines):
        for field, text in _line_errors(line, kinds):
            errors.setdefault(f"lines.{number}.{field}", []).append(text)
    return errors


def kinds_of(attributes: Sequence[Attribute]) -> dict[str, str]:
    """Return the data type of everything a rule may look at, by name."""
    own = dict.fromkeys(OWN_COLUMNS, DataType.TEXT.value)
    return own | {a.name: a.data_type for a in attributes if not a.is_cancelled}


def _line_errors(line: RuleLine, kinds: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    kind = kinds.get(line.attribute)
    if kind is None:
        yield "attribute", say("There is no attribute {attribute!r}.", attribute=line.attribute)
        return
    if line.comparison not in Comparison.values:
        yield "comparison", say("There is no comparison {comparison!r}.", comparison=line.comparison)
        return
    comparison = Comparison(line.comparison)
    if comparison in _COMPARED and kind not in ORDERED:
        yield (
            "comparison",
            say(
                "Only numbers, dates and times have an order; {attribute!r} is {kind}.",
                attribute=line.attribute,
                kind=kind,
            ),
        )
    elif comparison in _PATTERNS and kind not in _TEXTS:
        yield (
            "comparison",
            say("Only text can match a pattern; {attribute!r} is {kind}.", attribute=line.attribute, kind=kind),
        )
    elif line.other:
        yield from _other_errors(line, kind, kinds)
    else:
        yield from _value_errors(line, comparison, kind)


def _other_errors(line: RuleLine, kind: str, kinds: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    if line.comparison in (*LISTS, *ALONE, *_PATTERNS):
        yield (
            "other",
            say(
                "“{comparison}” does not compare with another attribute.", comparison=Comparison(line.comparison).label
            ),
        )
    elif line.other not in kinds:
        yield "other", say("There is no attribute {other!r}.", other=line.other)
    elif _alike(kinds[line.other]) != _alike(kind):
        yield (
            "other",
            say(
                "{attribute!r} is {kind}, {other!r} is {other_kind}; compare like with like.",
                attribute=line.attribute,
                kind=kind,
                other=line.other,
                other_kind=kinds[line.other],
            ),
        )
    elif line.value.strip():
        yield "value", say("Give a value or another attribute, not both.")


def _alike(kind: str) -> str:
    """Return what two attributes have in common that can be compared: a reference is the text of its code."""
    return DataType.TEXT if kind == DataType.REFERENCE else kind


def _value_errors(line: RuleLine, comparison: Comparison, kind: str) -> Iterator[tuple[str, str]]:
    values = values_of(line)
    if comparison in ALONE:
        if line.value.strip():
            yield "value", say("“{comparison}” needs no value; leave it out.", comparison=comparison.label)
        return
    if not values:
        yield "value", say("Give a value.")
    if len(values) > MOST_VALUES:
        yield "value", say("These are more than {most:,} values.", most=MOST_VALUES)
    for value in values:
        if problem := check_pattern(value) if comparison in _PATTERNS else _wrong(value, kind):
            yield "value", problem


def _wrong(value: str, kind: str) -> str:
    if not is_storable(value):
        return say("This holds a character that no database keeps (NUL or half a surrogate pair).")
    if kind == DataType.BOOLEAN:
        return "" if value.lower() in (*YES, *NO) else say("{value!r} must be yes or no.", value=value)
    return (
        say("{value!r} must be {forms}.", value=value, forms=FORMS[kind])
        if kind in FORMS and parse_value(kind, value) is None
        else ""
    )
