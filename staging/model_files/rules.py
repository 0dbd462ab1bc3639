"""The business rules of an entity in a model file: read, compared, stored and written."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from staging.model_files.shape import MAPPING, TEXT, YES_NO, Problems, known_keys, path_of
from staging.models import Attribute, BusinessRule, Entity, RuleLine
from staging.rules.check import rule_errors
from staging.rules.document import read_condition, save_rule, write_condition
from staging.rules.lines import condition_of, lines_of
from staging.states import RuleEffect, RulePart
from staging.wording import say

_KINDS = {"name": TEXT, "message": TEXT, "effect": TEXT, "when": MAPPING, "must": MAPPING, "is_cancelled": YES_NO}


@dataclass
class RulePlan:
    """One rule of the file as it would be stored."""

    rule: BusinessRule
    lines: list[RuleLine] = field(default_factory=list)


def plan_rules(
    entity: Entity, attributes: list[Attribute], sections: Iterable[Any], path: str, problems: Problems
) -> list[RulePlan]:
    """Return the rules of one entity of the file, everything wrong with them in `problems` by path."""
    stored = {rule.name: rule for rule in BusinessRule.objects.filter(entity=entity)} if entity.pk else {}
    known = {a.name: a for a in entity.attributes.all()} if entity.pk else {}
    known |= {a.name: a for a in attributes}
    plans: list[RulePlan] = []
    for position, content in enumerate(sections):
        place = f"{path}.rules[{position}]"
        section = known_keys(content, place, _KINDS, problems, required=("name", "must"))
        if any(plan.rule.name == section.get("name") for plan in plans):
            problems.add(f"{place}.name", say("{name!r} is defined twice; leave one out.", name=section["name"]))
        plan = _rule(entity, stored, section, position)
        plan.lines = _lines(section, place, problems)
        plans.append(plan)
        if not any(at == place or at.startswith(f"{place}.") for at in problems.errors):
            _add_errors(plan, list(known.values()), place, problems)
    return plans


def rule_changes(plans: Iterable[RulePlan], code: str) -> dict[str, dict[str, Any] | None]:
    """Return what would change by `code rule name`: each key with its old and new value, None if new."""
    return {f"{code} rule {plan.rule.name}": _differences(plan) for plan in plans}


def apply_rules(plans: Iterable[RulePlan]) -> None:
    """Store the rules of a file; the caller holds the transaction and has stored the entity."""
    for plan in plans:
        plan.rule.entity = Entity.objects.get(pk=plan.rule.entity.pk)
        save_rule(plan.rule, plan.lines)


def rule_sections(entity: Entity) -> list[dict[str, Any]]:
    """Return the rules of an entity as the file shows them."""
    stored = BusinessRule.objects.filter(entity=entity).prefetch_related("lines")
    return [_section(rule, list(rule.lines.all())) for rule in stored]


def _rule(entity: Entity, stored: dict[str, BusinessRule], section: dict[str, Any], position: int) -> RulePlan:
    rule = stored.get(section.get("name", "")) or BusinessRule(name=section.get("name", ""))
    rule.entity, rule.position = entity, position
    rule.message = section.get("message", "")
    rule.effect = section.get("effect", RuleEffect.REJECT)
    rule.is_cancelled = section.get("is_cancelled", False)
    return RulePlan(rule)


def _lines(section: dict[str, Any], place: str, problems: Problems) -> list[RuleLine]:
    lines = []
    for part in RulePart:
        if part in section:
            errors: dict[str, list[str]] = {}
            lines += lines_of(read_condition(section[part], path_of(place, part), errors), part)
            for at, texts in errors.items():
                for text in texts:
                    problems.add(at, text)
    return lines


def _add_errors(plan: RulePlan, attributes: list[Attribute], place: str, problems: Problems) -> None:
    for at, texts in rule_errors(plan.rule, plan.lines, attributes).items():
        parts = at.split(".")
        here = path_of(place, plan.lines[int(parts[1])].part if len(parts) > 1 else at)
        for text in texts:
            problems.add(here, text)


def _section(rule: BusinessRule, lines: list[RuleLine]) -> dict[str, Any]:
    section: dict[str, Any] = {"name": rule.name}
    if rule.message:
        section["message"] = rule.message
    if rule.effect != RuleEffect.REJECT:
        section["effect"] = str(rule.effect)
    for part in RulePart:
        if condition := condition_of(lines, part):
            section[str(part)] = write_condition(condition)
    return section | ({"is_cancelled": True} if rule.is_cancelled else {})


def _differences(plan: RulePlan) -> dict[str, Any] | None:
    stored = BusinessRule.objects.filter(pk=plan.rule.pk).first() if plan.rule.pk else None
    if stored is None:
        return None
    before, after = _section(stored, list(stored.lines.all())), _section(plan.rule, plan.lines)
    keys = [*before, *(key for key in after if key not in before)]
    found = {key: {"from": before.get(key), "to": after.get(key)} for key in keys if before.get(key) != after.get(key)}
    if stored.position != plan.rule.position:
        found["position"] = {"from": stored.position, "to": plan.rule.position}
    return found
