"""Lets what names an attribute follow when it is renamed: business rules and remembered columns of uploads."""

from django.db.models import Q, QuerySet

from staging.models import Entity, RuleLine, UploadMapping


def followers(entity: Entity, name: str) -> list[str]:
    """Return a sentence for each kind of thing that names the attribute and will follow."""
    found = []
    rules = _lines(entity, name).order_by("rule_id").values_list("rule__name", flat=True).distinct()
    if names := ", ".join(dict.fromkeys(rules)):
        found.append(f"Business rules that look at it follow: {names}.")
    mapping = UploadMapping.objects.filter(entity=entity).first()
    if mapping and name in mapping.columns.values():
        found.append("The remembered columns of uploads follow.")
    return found


def follow_rename(entity: Entity, old: str, new: str) -> None:
    """Write the new name wherever the old one is named; the caller holds the transaction."""
    lines = RuleLine.objects.filter(rule__entity=entity)
    lines.filter(attribute=old).update(attribute=new)
    lines.filter(other=old).update(other=new)
    mapping = UploadMapping.objects.filter(entity=entity).first()
    if mapping and old in mapping.columns.values():
        mapping.columns = {header: new if column == old else column for header, column in mapping.columns.items()}
        mapping.save(update_fields=["columns"])


def _lines(entity: Entity, name: str) -> QuerySet[RuleLine]:
    return RuleLine.objects.filter(Q(attribute=name) | Q(other=name), rule__entity=entity)
