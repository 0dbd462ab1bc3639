"""The rules a definition must keep, all checked at once and each told at its field with the mend."""

from collections.abc import Iterator, Sequence

from django.conf import settings
from django.core.exceptions import ValidationError

from staging.entities.values import FORMS, is_storable, parse_value
from staging.errors import InvalidIdentifier
from staging.identifiers import check_code, check_column
from staging.models import Attribute, Entity, RuleLine, owner_errors
from staging.patterns import check_pattern
from staging.phrases import listed
from staging.states import DataType
from staging.wording import say

Errors = dict[str, list[str]]

RATES = ("max_error_rate", "max_change_rate", "max_removal_rate")
_OWN_WORDS = {"code", *RATES, "processed_retention_days"}  # fields whose rule is told in our own words


_MOST_DAYS = 36_500  # a hundred years: farther back than that, dates end


def definition_errors(entity: Entity, attributes: Sequence[Attribute]) -> Errors:
    """Return everything wrong with an entity and its attributes by path, such as `code` or `attributes.2.pattern`.

    Works on unsaved instances; a reference may point at an entity that is not stored yet. Cancelled attributes
    need only be storable: their limits and modes no longer matter.
    """
    errors = _entity_errors(entity)
    errors.update(owner_errors(entity))
    seen = _other_names(entity, attributes)
    for index, attribute in enumerate(attributes):
        found = _retired_errors(attribute) if attribute.is_cancelled else _attribute_errors(attribute)
        _add(found, "is_cancelled", _used_by_rules(entity, attribute))
        if attribute.name in seen:
            found.setdefault("name", []).append(
                say("There are two attributes {attribute!r}; rename one.", attribute=attribute.name)
            )
        seen.add(attribute.name)
        errors.update({f"attributes.{index}.{field}": texts for field, texts in found.items()})
    return errors


def _other_names(entity: Entity, attributes: Sequence[Attribute]) -> set[str]:
    """Return the stored names that renaming may not take: those of attributes with another pk than the given ones.

    Names that change places are refused too, because they could only be stored one after the other.
    """
    if not entity.pk:
        return set()
    given = {attribute.pk: attribute.name for attribute in attributes}
    stored = Attribute.objects.filter(entity_id=entity.pk).values_list("pk", "name")
    unclaimed = {attribute.name for attribute in attributes if attribute.pk is None}
    return {name for pk, name in stored if given.get(pk) != name} - unclaimed


def _entity_errors(entity: Entity) -> Errors:
    errors = _field_errors(entity, exclude=_OWN_WORDS)
    _add(errors, "code", _code_error(entity))
    for rate in RATES:
        _add(errors, rate, _rate_error(getattr(entity, rate)))
    _add(errors, "processed_retention_days", _days_error(entity.processed_retention_days))
    for field, data_type in (("sentinel_number", DataType.DECIMAL), ("sentinel_datetime", DataType.DATETIME)):
        value = getattr(entity, field)
        if field not in errors and parse_value(data_type, value) is None:
            _add(
                errors,
                field,
                say("{value!r} must be {forms}: only such a value can be staged.", value=value, forms=FORMS[data_type]),
            )
    _add(errors, "language", "" if "language" in errors else _language_error(entity.language))
    if entity.sentinel_text != entity.sentinel_text.strip():
        _add(
            errors,
            "sentinel_text",
            say("Leave out the blanks around it: staged values are trimmed before they compare."),
        )
    return errors


def _language_error(language: str) -> str:
    known = dict(settings.LANGUAGES)
    if language in known:
        return ""
    those = listed(known, last="or")
    return say("{language!r} is no language of this site; use {those}.", language=language, those=those)


def _code_error(entity: Entity) -> str:
    try:
        check_code(entity.code)
    except InvalidIdentifier as error:
        return str(error)
    stored = Entity.objects.filter(pk=entity.pk).values_list("code", flat=True).first() if entity.pk else None
    if stored and stored != entity.code:
        return say("The code is {stored!r} for good: the tables carry it. Make a new entity instead.", stored=stored)
    if Entity.objects.filter(code=entity.code).exclude(pk=entity.pk).exists():
        return say("There is already an entity {entity!r}.", entity=entity.code)
    return ""


def _rate_error(rate: float | None) -> str:
    if rate is None:
        return ""
    number = isinstance(rate, int | float) and not isinstance(rate, bool)
    return "" if number and 0 <= rate <= 1 else say("{rate!r} is not a share; use 0 to 1, for example 0.2.", rate=rate)


def _days_error(days: int | None) -> str:
    if days is None or (isinstance(days, int) and not isinstance(days, bool) and 1 <= days <= _MOST_DAYS):
        return ""
    return say(
        "{days!r} is not a number of days; use 1 to {most_days}, or leave it out.", days=days, most_days=_MOST_DAYS
    )


def _attribute_errors(attribute: Attribute) -> Errors:
    errors = _retired_errors(attribute)
    if "data_type" not in errors:
        for field, text in limit_errors(attribute):
            _add(errors, field, text)
    return errors


def _retired_errors(attribute: Attribute) -> Errors:
    """Return what keeps an attribute from being stored at all, cancelled or not."""
    errors = _field_errors(attribute, exclude={"entity", "name", "reference", "choices"})
    _add(errors, "name", _name_error(attribute.name))
    has_target = attribute.reference is not None
    if attribute.data_type == DataType.REFERENCE and not has_target:
        _add(errors, "reference", say("Name the entity it refers to."))
    if attribute.data_type != DataType.REFERENCE and has_target:
        _add(errors, "reference", say("Only an attribute of type reference refers to an entity; leave it out."))
    return errors


def _used_by_rules(entity: Entity, attribute: Attribute) -> str:
    """Return why an attribute cannot be cancelled: a rule that looks at it could not be carried out."""
    if not (attribute.is_cancelled and entity.pk):
        return ""
    rules = ", ".join(RuleLine.objects.rules_using(entity.pk, attribute.name))
    return say("A business rule looks at it ({rules}); change or cancel the rule first.", rules=rules) if rules else ""


def _name_error(name: str) -> str:
    try:
        check_column(name)
    except InvalidIdentifier as error:
        return str(error)
    return ""


def _field_errors(instance: Entity | Attribute, exclude: set[str]) -> Errors:
    """Return what the model's own field checks find (lengths, choices, signs), in the words of Django."""
    errors: Errors = {}
    try:
        instance.clean_fields(exclude=exclude)
    except ValidationError as error:
        errors = {field: list(texts) for field, texts in error.message_dict.items()}
    for field in instance._meta.concrete_fields:
        value = getattr(instance, field.attname)
        if field.name not in exclude and isinstance(value, str) and not is_storable(value):
            _add(
                errors, field.name, say("This holds a character that no database keeps (NUL or half a surrogate pair).")
            )
    return errors


def _add(errors: Errors, field: str, text: str) -> None:
    if text:
        errors.setdefault(field, []).append(text)


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
        yield "max_length", say("With a maximal length of 0 no value fits; use 1 or more.")
    if attribute.min_length and attribute.max_length and attribute.min_length > attribute.max_length:
        yield (
            "max_length",
            say(
                "{max_length} is below the minimal length {min_length}.",
                max_length=attribute.max_length,
                min_length=attribute.min_length,
            ),
        )


def _range_errors(attribute: Attribute) -> Iterator[tuple[str, str]]:
    limits = {field: text for field in ("min_value", "max_value") if (text := getattr(attribute, field))}
    if attribute.data_type not in FORMS:
        yield from _misplaced(attribute, set(limits), *FORMS)
        return
    values = {field: parse_value(attribute.data_type, text) for field, text in limits.items()}
    for field, value in values.items():
        if value is None:
            yield field, say("{limits!r} must be {forms}.", limits=limits[field], forms=FORMS[attribute.data_type])
    low, high = values.get("min_value"), values.get("max_value")
    if low is not None and high is not None and low > high:
        yield (
            "max_value",
            say(
                "{max_value} is below the minimum {min_value}.",
                max_value=limits["max_value"],
                min_value=limits["min_value"],
            ),
        )


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
        yield "choices", say("Choices are a list of texts.")
        return
    if choices and attribute.data_type not in _CHOOSABLE:
        yield from _misplaced(attribute, {"choices"}, *_CHOOSABLE)
        return
    seen = set()
    for choice in choices:
        value = parse_value(attribute.data_type, choice)
        if not is_storable(choice):
            yield "choices", say("{choice!r} holds a character that no database keeps.", choice=choice)
        elif not choice.strip() or choice != choice.strip():
            yield (
                "choices",
                say("{choice!r} is blank or has blanks around it; staged values are trimmed.", choice=choice),
            )
        elif value is None:
            yield "choices", say("{choice!r} must be {forms}.", choice=choice, forms=FORMS[attribute.data_type])
        elif value in seen:
            yield "choices", say("{choice!r} is there twice.", choice=choice)
        seen.add(value)


def _misplaced(attribute: Attribute, fields: set[str], *types: str) -> Iterator[tuple[str, str]]:
    for field in sorted(fields):
        yield (
            field,
            say(
                "Only an attribute of type {those} may have this; {attribute!r} is {data_type}.",
                those=listed(types, "or"),
                attribute=attribute.name,
                data_type=attribute.data_type,
            ),
        )
