"""The rules of an attribute's limits: which type may carry them, and that they can be met."""

from collections.abc import Iterator

from staging.entities.values import FORMS, is_storable, parse_value
from staging.models import Attribute
from staging.patterns import check_pattern
from staging.states import DataType

_CHOOSABLE = (DataType.TEXT.value, *FORMS)


def limit_errors(attribute: Attribute) -> Iterator[tuple[str, str]]:
    """Yield (field, sentence) for each limit that does not fit the attribute's type or cannot be met."""
    yield from _length_errors(attribute)
    yield from _range_errors(attribute)
    yield from _pattern_errors(attribute)
    yield from _choice_errors(attribute)


def _length_errors(attribute: Attribute) -> Iterator[tuple[str, str]]:
    lengths = {"min_length": attribute.min_length, "max_length": attribute.max_length}
    if attribute.data_type != DataType.TEXT:
        yield from _misplaced(attribute, {field for field, value in lengths.items() if value is not None}, "text")
        return
    if attribute.max_length == 0:
        yield "max_length", "With a maximal length of 0 no value fits; use 1 or more."
    if attribute.min_length and attribute.max_length and attribute.min_length > attribute.max_length:
        yield "max_length", f"{attribute.max_length} is below the minimal length {attribute.min_length}."


def _range_errors(attribute: Attribute) -> Iterator[tuple[str, str]]:
    limits = {field: text for field in ("min_value", "max_value") if (text := getattr(attribute, field))}
    if attribute.data_type not in FORMS:
        yield from _misplaced(attribute, set(limits), *FORMS)
        return
    values = {field: parse_value(attribute.data_type, text) for field, text in limits.items()}
    for field, value in values.items():
        if value is None:
            yield field, f"{limits[field]!r} must be {FORMS[attribute.data_type]}."
    low, high = values.get("min_value"), values.get("max_value")
    if low is not None and high is not None and low > high:
        yield "max_value", f"{limits['max_value']} is below the minimum {limits['min_value']}."


def _pattern_errors(attribute: Attribute) -> Iterator[tuple[str, str]]:
    if not attribute.pattern:
        return
    if attribute.data_type != DataType.TEXT:
        yield from _misplaced(attribute, {"pattern"}, "text")
    elif problem := check_pattern(attribute.pattern):
        yield "pattern", problem


def _choice_errors(attribute: Attribute) -> Iterator[tuple[str, str]]:
    choices = attribute.choices
    if not isinstance(choices, list) or not all(isinstance(choice, str) for choice in choices):
        yield "choices", "Choices are a list of texts."
        return
    if choices and attribute.data_type not in _CHOOSABLE:
        yield from _misplaced(attribute, {"choices"}, *_CHOOSABLE)
        return
    seen = set()
    for choice in choices:
        value = parse_value(attribute.data_type, choice)
        if not is_storable(choice):
            yield "choices", f"{choice!r} holds a character that no database keeps."
        elif not choice.strip() or choice != choice.strip():
            yield "choices", f"{choice!r} is blank or has blanks around it; staged values are trimmed."
        elif value is None:
            yield "choices", f"{choice!r} must be {FORMS[attribute.data_type]}."
        elif value in seen:
            yield "choices", f"{choice!r} is there twice."
        seen.add(value)


def _misplaced(attribute: Attribute, fields: set[str], *types: str) -> Iterator[tuple[str, str]]:
    those = " or ".join(filter(None, (", ".join(types[:-1]), types[-1])))
    for field in sorted(fields):
        yield field, f"Only an attribute of type {those} may have this; {attribute.name!r} is {attribute.data_type}."
