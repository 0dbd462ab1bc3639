"""Finds what a changed definition would do to stored data, before anything is touched."""

from collections.abc import Sequence

from django.utils.translation import gettext_noop

from staging.entities.quiet import running_batch
from staging.identifiers import production_table
from staging.models import Attribute, Entity
from staging.tables.alter import count_values, lost_values, unique_error
from staging.tables.columns import RealColumn, real_columns, typed_column
from staging.tables.convert import Conversion, conversion
from staging.wording import said_together, say

ELSEWHERE = gettext_noop("Use “Change attributes safely”: it takes the values along and shows first what would happen.")


def change_errors(entity: Entity, attributes: Sequence[Attribute], *, converting: bool = False) -> dict[str, list[str]]:
    """Return why a valid definition cannot replace the stored one, by path such as `attributes.2.data_type`.

    Renaming or retyping a column that holds values, and making one unique whose values clash. `converting` allows to
    retype a column of which every value converts, while no batch of the entity is under way. Reads only.
    """
    if not entity.pk:
        return {}
    errors: dict[str, list[str]] = {}
    stored = stored_names(entity)
    for index, attribute in enumerate(attributes):
        old_name = stored.get(attribute.pk, attribute.name)
        if old_name != attribute.name and (count := count_values(entity, old_name, staged=True)):
            errors[f"attributes.{index}.name"] = [said_together(lost_values(old_name, count), say(ELSEWHERE))]
        elif not attribute.is_cancelled:
            errors.update(
                {f"attributes.{index}.{field}": [text] for field, text in _column_errors(entity, attribute, converting)}
            )
    return errors


def stored_names(entity: Entity) -> dict[int, str]:
    """Return the stored names of the entity's attributes by pk."""
    return dict(Attribute.objects.filter(entity_id=entity.pk).values_list("pk", "name"))


def conversions(entity: Entity, attributes: Sequence[Attribute]) -> dict[str, Conversion]:
    """Return, by attribute, the conversions of stored values that storing these attributes would do. Reads only."""
    if not entity.pk:
        return {}
    real = real_columns(production_table(entity.code))
    found = {
        attribute.name: conversion(entity, attribute, real[attribute.name])
        for attribute in attributes
        if not attribute.is_cancelled and attribute.name in real and _is_other(attribute, real[attribute.name])
    }
    return {name: result for name, result in found.items() if result and result.values}


def _column_errors(entity: Entity, attribute: Attribute, converting: bool) -> list[tuple[str, str]]:
    real = real_columns(production_table(entity.code)).get(attribute.name)
    if real is None:
        return []
    if _is_other(attribute, real):
        field = "data_type" if real.type != typed_column(attribute).type else "reference"
        text = _retyping_error(entity, attribute, real, converting)
        return [(field, text)] if text else []
    if attribute.unique and (problem := unique_error(entity, attribute.name)):
        return [("unique", problem)]
    return []


def _retyping_error(entity: Entity, attribute: Attribute, real: RealColumn, converting: bool) -> str:
    """Return why a column that holds values cannot change its type here; empty when it can."""
    count = count_values(entity, attribute.name)
    if not count:
        return ""
    if not converting:
        return said_together(lost_values(attribute.name, count), say(ELSEWHERE))
    if batch := running_batch(entity):
        return batch
    result = conversion(entity, attribute, real)
    if result is None:
        return said_together(
            lost_values(attribute.name, count), say("Add a new attribute and cancel this one instead.")
        )
    return result.refusal(attribute)


def _is_other(attribute: Attribute, real: RealColumn) -> bool:
    expected = typed_column(attribute)
    return (real.type, real.target) != (expected.type, expected.target)
