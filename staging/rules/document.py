"""A condition as data in a model file: comparisons, and `all`, `any` and `not` around them, to any depth."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from django.db import transaction
from django.utils.translation import gettext_noop

from staging.errors import InvalidDefinition
from staging.models import BusinessRule, RuleLine
from staging.rules.check import rule_errors
from staging.rules.condition import Condition, Line, TooManyAlternatives, both, either, opposite
from staging.states import Comparison
from staging.versions.units import as_one_change
from staging.wording import say

Errors = dict[str, list[str]]

_LISTS = (Comparison.IN, Comparison.NOT_IN)
_EMPTY = {True: Comparison.EMPTY, False: Comparison.NOT_EMPTY}
_SHAPE = gettext_noop("Write a comparison such as {{attribute: staff, at_least: 1}}, or all, any or not around others.")


def read_condition(document: Any, path: str, errors: Errors) -> Condition:
    """Return the condition that a document means; what is wrong with its shape goes to `errors` by path."""
    try:
        return _read(document, path, errors)
    except TooManyAlternatives as error:
        errors.setdefault(path, []).append(str(error))
        return ()


def write_condition(condition: Condition) -> dict[str, Any]:
    """Return the document of a condition, as short as it can be written; `read_condition` gives the same back."""
    alternatives = [_together("all", [_line(line) for line in alternative]) for alternative in condition]
    return _together("any", alternatives)


def _together(word: str, documents: list[dict[str, Any]]) -> dict[str, Any]:
    return documents[0] if len(documents) == 1 else {word: documents}


def _line(line: Line) -> dict[str, Any]:
    if line.comparison in _EMPTY.values():
        return {"attribute": line.attribute, "empty": line.comparison == Comparison.EMPTY}
    if line.other:
        return {"attribute": line.attribute, str(line.comparison): {"attribute": line.other}}
    value = list(line.values) if line.comparison in _LISTS else "".join(line.values[:1])
    return {"attribute": line.attribute, str(line.comparison): value}


def _read(document: Any, path: str, errors: Errors) -> Condition:
    if not isinstance(document, dict) or not document:
        return _refuse(path, say(_SHAPE), errors)
    words = set(document) & {"all", "any", "not"}
    if words and len(document) > 1:
        return _refuse(path, say("Put nothing beside {word!r}.", word=sorted(words)[0]), errors)
    if "not" in document:
        return opposite(_read(document["not"], f"{path}.not", errors))
    for word, together in (("all", both), ("any", either)):
        if word in document:
            return together(_members(document[word], f"{path}.{word}", errors))
    return _read_line(document, path, errors)


def _members(documents: Any, path: str, errors: Errors) -> list[Condition]:
    if not isinstance(documents, list) or not documents:
        return [_refuse(path, say("This must be a list of conditions."), errors)]
    return [_read(document, f"{path}[{number}]", errors) for number, document in enumerate(documents)]


def _read_line(document: dict[str, Any], path: str, errors: Errors) -> Condition:
    comparisons = [word for word in document if word in Comparison.values]
    unknown = [word for word in document if word != "attribute" and word not in Comparison.values]
    if unknown:
        return _refuse(
            f"{path}.{unknown[0]}",
            say("There is no comparison {word!r}; use {known}.", word=unknown[0], known=_KNOWN),
            errors,
        )
    attribute = document.get("attribute")
    if len(comparisons) != 1 or not isinstance(attribute, str):
        return _refuse(path, say(_SHAPE), errors)
    return _compare(attribute, Comparison(comparisons[0]), document[comparisons[0]], f"{path}.{comparisons[0]}", errors)


def _compare(attribute: str, comparison: Comparison, value: Any, path: str, errors: Errors) -> Condition:
    if comparison in _EMPTY.values():
        if not isinstance(value, bool):
            return _refuse(path, say("This must be true or false."), errors)
        return ((Line(attribute, _EMPTY[value is (comparison == Comparison.EMPTY)]),),)
    if isinstance(value, dict):
        if list(value) != ["attribute"] or not isinstance(value["attribute"], str):
            return _refuse(path, say("Write {{attribute: name}} to compare with another attribute."), errors)
        return ((Line(attribute, comparison, other=value["attribute"]),),)
    values = value if comparison in _LISTS else [value]
    if not isinstance(values, list) or not values or not all(isinstance(v, str | int | Decimal) for v in values):
        if comparison in _LISTS:
            return _refuse(path, say("This must be a list of texts or numbers."), errors)
        return _refuse(path, say("This must be a text, a number, or {{attribute: name}}."), errors)
    return ((Line(attribute, comparison, tuple(_text(v) for v in values)),),)


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return format(value, "f") if isinstance(value, Decimal) else str(value)


def _refuse(path: str, text: str, errors: Errors) -> Condition:
    errors.setdefault(path, []).append(text)
    return ((),)


_KNOWN = ", ".join(word for word in Comparison.values if word != Comparison.NOT_EMPTY)


@as_one_change
def save_rule(rule: BusinessRule, lines: Sequence[RuleLine]) -> None:
    """Validate and store a rule with exactly these lines, in one transaction. Raises InvalidDefinition, all at once."""
    errors = rule_errors(rule, lines, list(rule.entity.attributes.all()))
    if BusinessRule.objects.filter(entity=rule.entity, name=rule.name).exclude(pk=rule.pk).exists():
        errors.setdefault("name", []).append(say("There is already a rule {rule!r}.", rule=rule.name))
    if errors:
        raise InvalidDefinition(errors)
    with transaction.atomic():
        rule.save()
        rule.lines.all().delete()
        for line in lines:
            line.pk, line.rule = None, rule
        RuleLine.objects.bulk_create(lines)
