"""Stores a business rule with its lines, or says what is wrong with it."""

from collections.abc import Sequence

from django.db import transaction

from staging.errors import InvalidDefinition
from staging.models import BusinessRule, RuleLine
from staging.rules.check import rule_errors


def save_rule(rule: BusinessRule, lines: Sequence[RuleLine]) -> None:
    """Validate and store a rule with exactly these lines, in one transaction. Raises InvalidDefinition, all at once."""
    errors = rule_errors(rule, lines, list(rule.entity.attributes.all()))
    if BusinessRule.objects.filter(entity=rule.entity, name=rule.name).exclude(pk=rule.pk).exists():
        errors.setdefault("name", []).append(f"There is already a rule {rule.name!r}.")
    if errors:
        raise InvalidDefinition(errors)
    with transaction.atomic():
        rule.save()
        rule.lines.all().delete()
        for line in lines:
            line.pk, line.rule = None, rule
        RuleLine.objects.bulk_create(lines)
