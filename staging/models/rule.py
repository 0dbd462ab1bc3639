"""Business rules: conditions over the attributes of an entity that people put together without code."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _

from staging.states import Comparison, RuleEffect, RulePart
from staging.wording import said_together


class BusinessRule(models.Model):
    """One named rule: wherever its `when` lines hold, its `must` lines have to hold too."""

    entity = models.ForeignKey("staging.Entity", on_delete=models.CASCADE, related_name="rules")
    name = models.CharField(max_length=100)
    message = models.CharField(
        max_length=300, blank=True, help_text=_("What the row is told. Empty: the rule itself, in words.")
    )
    effect = models.CharField(max_length=10, choices=RuleEffect, default=RuleEffect.REJECT)
    position = models.PositiveIntegerField(default=0)
    is_cancelled = models.BooleanField(_("cancelled"), default=False)

    class Meta:
        ordering = ["position", "id"]
        constraints = [models.UniqueConstraint(fields=["entity", "name"], name="rule_name_once_per_entity")]

    def __str__(self) -> str:
        return self.name


class RuleLineQuerySet(models.QuerySet["RuleLine"]):
    """Reads that rooms share."""

    def rules_using(self, entity_id: int, attribute: str) -> list[str]:
        """Return the names of the live rules of an entity that look at an attribute, in their order."""
        lines = self.filter(rule__entity_id=entity_id, rule__is_cancelled=False)
        used = lines.filter(models.Q(attribute=attribute) | models.Q(other=attribute))
        return list(dict.fromkeys(used.order_by("rule__position", "rule_id").values_list("rule__name", flat=True)))


class RuleLine(models.Model):
    """One comparison of a rule. Lines of one alternative all have to hold; one alternative is enough."""

    rule = models.ForeignKey("staging.BusinessRule", on_delete=models.CASCADE, related_name="lines")
    part = models.CharField(max_length=10, choices=RulePart, default=RulePart.MUST)
    alternative = models.PositiveSmallIntegerField(
        _("number"), default=1, help_text=_("Lines with the same number all have to hold; one number is enough.")
    )
    attribute = models.CharField(max_length=40, help_text=_("An attribute, or code or name."))
    comparison = models.CharField(max_length=20, choices=Comparison, default=Comparison.EQUALS)
    value = models.TextField(blank=True, help_text=_("For a list: one value per line."))
    other = models.CharField(
        _("or attribute"), max_length=40, blank=True, help_text=_("Compare with this attribute instead of a value.")
    )

    objects = RuleLineQuerySet.as_manager()

    class Meta:
        ordering = ["part", "alternative", "id"]

    def __str__(self) -> str:
        return said_together(self.attribute, self.get_comparison_display(), (self.other or self.value).strip())
