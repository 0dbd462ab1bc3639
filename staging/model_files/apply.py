"""Compares planned entities with the stored ones, and stores them."""

from collections.abc import Iterable, Sequence
from typing import Any

from staging.entities.changes import conversions
from staging.entities.save import save_entity
from staging.model_files.keys import ATTRIBUTE_KEYS, ENTITY_KEYS, Key
from staging.model_files.owners import OWNER_KINDS, owner_section
from staging.model_files.plan import Changes, EntityPlan
from staging.model_files.rules import apply_rules, rule_changes
from staging.models import Attribute, Entity
from staging.wording import counted, say


def entity_changes(plan: EntityPlan) -> Changes:
    """Return what would change by `code`, `code.attribute` and `code rule name`.

    Each holds its changed keys with their old and new value, or is None if new.
    """
    code = plan.entity.code
    stored = Entity.objects.filter(pk=plan.entity.pk).first() if plan.entity.pk else None
    attributes = {a.name: a for a in stored.attributes.select_related("reference")} if stored else {}
    changes: Changes = {code: _entity_changes(stored, plan.entity) if stored else None}
    for attribute in plan.attributes:
        old = attributes.get(attribute.name)
        changes[f"{code}.{attribute.name}"] = _attribute_changes(plan.entity, old, attribute) if old else None
    return changes | rule_changes(plan.rules, code)


def apply_entities(plans: Iterable[EntityPlan]) -> None:
    """Store the entities of a file and bring their tables in line; the caller holds the transaction.

    All entities come before any attribute, because attributes may refer forward and in circles.
    """
    plans = list(plans)
    for plan in plans:
        if plan.entity.pk is None:
            plan.entity.save()
    for plan in _referred_first(plans):
        save_entity(plan.entity, plan.attributes)
        apply_rules(plan.rules)


def _referred_first(plans: list[EntityPlan]) -> list[EntityPlan]:
    """Return the plans in an order in which tables are made whole: what is referred to comes first.

    Of a circle somebody has to begin: the table that it refers to gets its columns one by one, in its own turn.
    """
    waits_for = {
        plan.entity.code: {a.reference.code for a in plan.attributes if a.reference} - {plan.entity.code}
        for plan in plans
    }
    ordered: list[EntityPlan] = []
    while left := [plan for plan in plans if plan.entity.code in waits_for]:
        ready = [plan for plan in left if waits_for[plan.entity.code].isdisjoint(waits_for)] or left[:1]
        for plan in ready:
            del waits_for[plan.entity.code]
        ordered += ready
    return ordered


def _entity_changes(old: Entity, new: Entity) -> dict[str, Any]:
    before, after = owner_section(old), owner_section(new)
    owners = {
        key: {"from": before.get(key), "to": after.get(key)} for key in OWNER_KINDS if before.get(key) != after.get(key)
    }
    return _differences(old, new, ENTITY_KEYS) | owners


def _attribute_changes(entity: Entity, old: Attribute, new: Attribute) -> dict[str, Any]:
    """Return the changed keys, and how many stored values are converted by the change."""
    found = _differences(old, new, ATTRIBUTE_KEYS)
    for converted in conversions(entity, [new]).values():
        count = counted(converted.values, "value", "values")
        found["stored values"] = {
            "from": say("{values} of {data_type}", values=count, data_type=old.data_type),
            "to": say("{values} of {data_type}", values=count, data_type=new.data_type),
        }
    return found


def _differences(old: Entity | Attribute, new: Entity | Attribute, keys: Sequence[Key]) -> dict[str, Any]:
    found = {}
    for key in keys:
        before, after = _shown(old, key), _shown(new, key)
        if before != after:
            found[key.name] = {"from": before, "to": after}
    if isinstance(old, Attribute) and isinstance(new, Attribute) and old.position != new.position:
        found["position"] = {"from": old.position, "to": new.position}
    return found


def _shown(instance: Entity | Attribute, key: Key) -> Any:
    value = getattr(instance, key.field)
    return value.code if isinstance(value, Entity) else value
