"""Removes definitions that never held anything; what holds data is cancelled, not removed."""

from django.db import transaction

from staging.errors import WouldLoseData
from staging.models import Attribute, Entity
from staging.tables.alter import drop_column, drop_tables
from staging.tables.columns import one_at_a_time, told_when_in_use
from staging.versions.units import as_one_change
from staging.wording import say


@told_when_in_use()
@as_one_change
def remove_attribute(attribute: Attribute) -> None:
    """Delete an attribute and its columns; raises WouldLoseData when either table holds values in it."""
    with transaction.atomic():
        one_at_a_time()
        drop_column(attribute.entity, attribute.name)
        attribute.delete()


@told_when_in_use()
@as_one_change
def remove_entity(entity: Entity) -> None:
    """Delete an entity with its attributes and tables.

    Raises WouldLoseData when a table holds rows or when another entity's attribute refers to it.
    """
    with transaction.atomic():
        one_at_a_time()
        referring = Attribute.objects.filter(reference=entity).exclude(entity=entity).select_related("entity")
        if names := [f"{attribute.entity.code}.{attribute.name}" for attribute in referring]:
            raise WouldLoseData(
                say(
                    "{entity!r} is referred to by {names}. Cancel the entity instead.",
                    entity=entity.code,
                    names=", ".join(names),
                )
            )
        drop_tables(entity)
        entity.attributes.all().delete()
        entity.delete()
