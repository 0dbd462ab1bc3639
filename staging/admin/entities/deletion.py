"""What stands in the way of deleting an entity: stored rows, and whatever else refers to it."""

from collections.abc import Iterable
from typing import Any, cast

from django.db import transaction
from django.db.models import PROTECT, RESTRICT, F, Model, QuerySet
from django.http import HttpRequest

from staging.entities.remove import remove_entity
from staging.models import Attribute, Batch, Entity
from staging.rights import Entities, reach, visible
from staging.tables.alter import count_rows
from staging.wording import counted, say

Preview = tuple[list[Any], dict[str, int], set[str], list[str]]


def deletion_preview(entities: Iterable[Entity], request: HttpRequest) -> Preview:
    """Return what goes, how many of each, which permissions lack, and the reasons that forbid it.

    Counts instead of listing: an entity may have millions of log rows that Django's own preview would load.
    """
    chosen = list(entities)
    attributes = Attribute.objects.filter(entity__in=chosen)
    gone = [
        [entity.name, [say("Attribute: {name}", name=name) for name in _names(attributes, entity)]] for entity in chosen
    ]
    counts: dict[str, int] = {
        say("entities"): len(chosen),
        say("attributes"): attributes.count(),
        say("batches"): Batch.objects.filter(entity__in=chosen).count(),
    }
    may = all(request.user.has_perm("staging.delete_entity", each) for each in chosen)
    lacking: set[str] = set() if may else {say("entity")}
    reasons = [reason for entity in chosen for reason in _stored_rows(entity)]
    reasons += _referrers(chosen, reach(request.user, "staging.view_entity"))
    return [part for pair in gone for part in pair], counts, lacking, reasons


def delete_entities(entities: Iterable[Entity]) -> None:
    """Delete the entities with their empty tables, all or none; raises WouldLoseData when rows are stored."""
    with transaction.atomic():
        for entity in list(entities):
            remove_entity(entity)


def _names(attributes: Iterable[Attribute], entity: Entity) -> list[str]:
    return [attribute.name for attribute in attributes if attribute.entity_id == entity.pk]


def _stored_rows(entity: Entity) -> list[str]:
    count = count_rows(entity)
    if not count:
        return []
    told = say(
        "{entity}: {rows} in its staging and production tables. Retire it instead: tick “Retired” in its form.",
        entity=entity.name,
        rows=counted(count, "row", "rows"),
    )
    return [told]


def _referrers(entities: list[Entity], seen: Entities) -> list[str]:
    """Name every record that may not lose its entity, whatever app it belongs to; those that are not seen together."""
    reasons: list[str] = []
    for relation in Entity._meta.related_objects:
        if relation.on_delete not in (PROTECT, RESTRICT):
            continue
        model = cast(type[Model], relation.related_model)
        referring: QuerySet[Any] = model._base_manager.filter(**{f"{relation.field.name}__in": entities})
        if model is Attribute:
            referring = referring.exclude(entity=F("reference")).select_related("entity", "reference")
            named = visible(referring, seen)
            reasons += [
                say(
                    "{reference}: attribute “{attribute}” of {entity} refers to it.",
                    reference=item.reference.name,
                    attribute=item.name,
                    entity=item.entity.name,
                )
                for item in named[:20]
            ]
            if seen is not None and referring.exclude(pk__in=named).exists():
                reasons.append(say("An entity that you may not see refers to it."))
        else:
            reasons += [f"{model._meta.verbose_name}: {item}" for item in referring[:20]]
    return reasons
