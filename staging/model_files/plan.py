"""Turns the entities of a file into definitions and says what would change, without changing anything."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from staging.entities.changes import change_errors
from staging.entities.definition import definition_errors
from staging.model_files.keys import ATTRIBUTE_KEYS, ENTITY_KEYS, KEY_OF_FIELD, Key, default
from staging.model_files.owners import OWNER_KINDS, read_owner
from staging.model_files.rules import RulePlan, plan_rules
from staging.model_files.shape import LIST, Problems, did_you_mean, known_keys, path_of
from staging.models import Attribute, Entity
from staging.wording import say

Changes = dict[str, dict[str, Any] | None]


@dataclass
class EntityPlan:
    """One entity of the file as it would be stored; `section` keeps what other rooms read from it."""

    path: str
    section: dict[str, Any]
    entity: Entity
    attributes: list[Attribute] = field(default_factory=list)
    rules: list[RulePlan] = field(default_factory=list)


def plan_entities(sections: Sequence[Any], other_keys: Mapping[str, str], problems: Problems) -> list[EntityPlan]:
    """Return the entities of the file as definitions, everything wrong with them in `problems` by path.

    `other_keys` are keys of an entity that somebody else reads, with their kinds.
    """
    kinds = {key.name: key.kind for key in ENTITY_KEYS} | {"attributes": LIST, "rules": LIST}
    kinds |= OWNER_KINDS | dict(other_keys)
    plans = []
    for index, content in enumerate(sections):
        path = f"entities[{index}]"
        section = known_keys(content, path, kinds, problems, required=("code", "name"))
        entity = _entity(section)
        read_owner(entity, section, path, problems)
        plans.append(EntityPlan(path, section, entity))
    _refuse_twice(plans, problems)
    known = {entity.code: entity for entity in Entity.objects.all()} | {plan.entity.code: plan.entity for plan in plans}
    for plan in plans:
        _add_attributes(plan, known, problems)
        _add_definition_errors(plan, problems)
        rules = plan.section.get("rules", [])
        plan.rules = plan_rules(plan.entity, plan.attributes, rules, plan.path, problems)
    return plans


def _entity(section: dict[str, Any]) -> Entity:
    """Return the stored entity, or a new one, as the section says; what it does not say has its default."""
    entity = Entity.objects.filter(code=section.get("code", "")).first() or Entity()
    _fill(entity, section, ENTITY_KEYS)
    return entity


def _fill(instance: Entity | Attribute, section: dict[str, Any], keys: Sequence[Key]) -> None:
    for key in keys:
        if key.name in section:
            setattr(instance, key.field, key.to_field(section[key.name]))
        elif key.name != "reference":
            setattr(instance, key.field, default(type(instance), key.field))


def _refuse_twice(plans: list[EntityPlan], problems: Problems) -> None:
    first: dict[str, str] = {}
    for plan in plans:
        code = plan.entity.code
        if code and code in first:
            problems.add(
                f"{plan.path}.code",
                say("{code!r} is defined at {first} already; leave one out.", code=code, first=first[code]),
            )
        first.setdefault(code, plan.path)


def _add_attributes(plan: EntityPlan, known: Mapping[str, Entity], problems: Problems) -> None:
    kinds = {key.name: key.kind for key in ATTRIBUTE_KEYS}
    stored = {a.name: a for a in plan.entity.attributes.all()} if plan.entity.pk else {}
    for index, content in enumerate(plan.section.get("attributes", [])):
        path = f"{plan.path}.attributes[{index}]"
        section = known_keys(content, path, kinds, problems, required=("name", "type"))
        code = section.pop("reference", None)
        if code is not None and code not in known:
            problems.add(
                f"{path}.reference",
                say("There is no entity {code!r}.{did_you_mean}", code=code, did_you_mean=did_you_mean(code, known)),
            )
        name = section.get("name", "")
        attribute = Attribute(pk=stored[name].pk if name in stored else None)
        _fill(attribute, section, ATTRIBUTE_KEYS)
        attribute.reference = known.get(code) if code else None
        plan.attributes.append(attribute)
    _set_positions(plan.attributes, stored)


def _set_positions(attributes: list[Attribute], stored: Mapping[str, Attribute]) -> None:
    """Keep the stored positions as long as they give the order of the file; number anew otherwise."""
    positions = [stored[a.name].position if a.name in stored else None for a in attributes]
    old = [(stored[a.name].position, stored[a.name].pk) for a in attributes if a.name in stored]
    new_ones_last = None not in positions[: len(old)]
    after = max((a.position for a in stored.values()), default=-1)
    for index, attribute in enumerate(attributes):
        if new_ones_last and old == sorted(old):
            kept = positions[index]
            attribute.position = after + 1 + index - len(old) if kept is None else kept
        else:
            attribute.position = index


def _add_definition_errors(plan: EntityPlan, problems: Problems) -> None:
    """Add what the rules say, except where the file's own shape was wrong already: one error for one mistake."""
    found = definition_errors(plan.entity, plan.attributes)
    for path, texts in (found or change_errors(plan.entity, plan.attributes, converting=True)).items():
        place = _place(plan.path, path)
        here = re.sub(r"\.\w+$", "", place)
        if problems.under(place) or problems.under(here) or problems.under(f"{here}.type"):
            continue
        for text in texts:
            problems.add(place, text)


def _place(path: str, rule_path: str) -> str:
    """Return a path of the rules (`attributes.2.data_type`) as a path of the file (`….attributes[2].type`)."""
    *attribute, name = rule_path.split(".")
    here = f"{path}.attributes[{attribute[1]}]" if attribute else path
    return path_of(here, KEY_OF_FIELD.get(name, name))
