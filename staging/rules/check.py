"""What is wrong with a business rule, told at the field that is wrong, before it judges any row."""

from collections.abc import Iterator, Mapping, Sequence

from staging.entities.values import FORMS, is_storable, parse_value
from staging.models import Attribute, BusinessRule, RuleLine
from staging.patterns import check_pattern
from staging.rules.lines import ALONE, LISTS, values_of
from staging.states import Comparison, DataType, RulePart

Errors = dict[str, list[str]]

# Columns that every entity has and a rule may look at.
OWN_COLUMNS = ("code", "name")
# A statement carries every line of a rule with its values.
MOST_LINES = 100
MOST_VALUES = 1_000

_ORDERED = (Comparison.LESS_THAN, Comparison.AT_MOST, Comparison.GREATER_THAN, Comparison.AT_LEAST)
_PATTERNS = (Comparison.MATCHES, Comparison.NOT_MATCHES)
_TEXTS = (DataType.TEXT, DataType.REFERENCE)
_YES_NO = {"true", "1", "yes", "y", "t", "false", "0", "no", "n", "f"}


def rule_errors(rule: BusinessRule, lines: Sequence[RuleLine], attributes: Sequence[Attribute]) -> Errors:
    """Return everything wrong with a rule by path, such as `name` or `lines.2.value`. Works on unsaved instances."""
    errors: Errors = {}
    if not rule.name.strip():
        errors["name"] = ["Give the rule a name."]
    for field in ("name", "message"):
        if not is_storable(getattr(rule, field)):
            errors[field] = ["This holds a character that no database keeps (NUL or half a surrogate pair)."]
    if not any(line.part == RulePart.MUST for line in lines):
        errors["lines"] = ["Say what must hold: at least one line."]
    elif len(lines) > MOST_LINES:
        errors["lines"] = [f"These are more than {MOST_LINES} lines; split the rule."]
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
        yield "attribute", f"There is no attribute {line.attribute!r}."
        return
    if line.comparison not in Comparison.values:
        yield "comparison", f"There is no comparison {line.comparison!r}."
        return
    comparison = Comparison(line.comparison)
    if comparison in _ORDERED and kind not in FORMS:
        yield "comparison", f"Only numbers, dates and times have an order; {line.attribute!r} is {kind}."
    elif comparison in _PATTERNS and kind not in _TEXTS:
        yield "comparison", f"Only text can match a pattern; {line.attribute!r} is {kind}."
    elif line.other:
        yield from _other_errors(line, kind, kinds)
    else:
        yield from _value_errors(line, comparison, kind)


def _other_errors(line: RuleLine, kind: str, kinds: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    if line.comparison in (*LISTS, *ALONE, *_PATTERNS):
        yield "other", f"“{Comparison(line.comparison).label}” does not compare with another attribute."
    elif line.other not in kinds:
        yield "other", f"There is no attribute {line.other!r}."
    elif _alike(kinds[line.other]) != _alike(kind):
        yield (
            "other",
            f"{line.attribute!r} is {kind}, {line.other!r} is {kinds[line.other]}; compare like with like.",
        )
    elif line.value.strip():
        yield "value", "Give a value or another attribute, not both."


def _alike(kind: str) -> str:
    """Return what two attributes have in common that can be compared: a reference is the text of its code."""
    return DataType.TEXT if kind == DataType.REFERENCE else kind


def _value_errors(line: RuleLine, comparison: Comparison, kind: str) -> Iterator[tuple[str, str]]:
    values = values_of(line)
    if comparison in ALONE:
        if line.value.strip():
            yield "value", f"“{comparison.label}” needs no value; leave it out."
        return
    if not values:
        yield "value", "Give a value."
    if len(values) > MOST_VALUES:
        yield "value", f"These are more than {MOST_VALUES:,} values."
    for value in values:
        if problem := check_pattern(value) if comparison in _PATTERNS else _wrong(value, kind):
            yield "value", problem


def _wrong(value: str, kind: str) -> str:
    if not is_storable(value):
        return "This holds a character that no database keeps (NUL or half a surrogate pair)."
    if kind == DataType.BOOLEAN:
        return "" if value.lower() in _YES_NO else f"{value!r} must be yes or no."
    return f"{value!r} must be {FORMS[kind]}." if kind in FORMS and parse_value(kind, value) is None else ""
