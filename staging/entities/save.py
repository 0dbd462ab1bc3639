"""Stores a definition and its tables together, or neither."""

from collections.abc import Sequence

from django.db import transaction

from staging.entities.changes import change_errors, conversions, stored_names
from staging.entities.definition import definition_errors
from staging.entities.quiet import quiet
from staging.errors import InvalidDefinition, WouldLoseData
from staging.models import Attribute, Entity
from staging.tables.alter import drop_column, sync_tables
from staging.tables.columns import one_at_a_time, told_when_in_use
from staging.versions.units import as_one_change
from staging.wording import said_together


@told_when_in_use()
@as_one_change
def save_entity(entity: Entity, attributes: Sequence[Attribute]) -> None:
    """Validate and store an entity with these attributes and bring its tables in line, in one transaction.

    An attribute without pk takes the place of the stored one with its name. Stored attributes that are not given stay
    as they are: nothing is deleted here. A column that holds values changes its type when every one of them converts.
    Entities that attributes refer to must be stored already. Raises InvalidDefinition (all errors by path),
    WouldLoseData, TableMismatch or TablesInUse.
    """
    with transaction.atomic():
        one_at_a_time()
        _adopt(entity, attributes)
        if errors := definition_errors(entity, attributes):
            raise InvalidDefinition(errors)
        if losses := change_errors(entity, attributes, converting=True):
            raise WouldLoseData(said_together(*(text for texts in losses.values() for text in texts)))
        if conversions(entity, attributes):
            quiet(entity)
        entity.save()
        _drop_renamed(entity, attributes)
        for attribute in attributes:
            attribute.entity = entity
            attribute.save()
        sync_tables(entity)


def sync(entity: Entity) -> None:
    """Bring the tables of a stored entity in line with its stored attributes; raises as `save_entity` does.

    For callers that stored the definition themselves, in the same transaction, after `definition_errors` and
    `change_errors` found nothing.
    """
    with told_when_in_use(), transaction.atomic():
        one_at_a_time()
        sync_tables(entity)


def _adopt(entity: Entity, attributes: Sequence[Attribute]) -> None:
    ids = {name: pk for pk, name in stored_names(entity).items()} if entity.pk else {}
    for attribute in attributes:
        if attribute.pk is None:
            attribute.pk = ids.get(attribute.name)


def _drop_renamed(entity: Entity, attributes: Sequence[Attribute]) -> None:
    """Drop the empty columns of attributes that are about to be renamed; the new name gets its own."""
    stored = stored_names(entity)
    for attribute in attributes:
        old_name = stored.get(attribute.pk, attribute.name)
        if old_name != attribute.name:
            drop_column(entity, old_name)
