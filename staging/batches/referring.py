"""Who refers to an entity: every column of every production table that is a foreign key to its members."""

from collections.abc import Iterator
from dataclasses import dataclass

from staging.identifiers import production_table
from staging.models import Attribute, Entity
from staging.sql.compose import Sql, column, name
from staging.tables.inspect import real_columns


@dataclass(frozen=True)
class Referring:
    """One reference column, of `entity`, which may be the entity itself.

    A cancelled one is looked at by nobody, but the database still holds its values to the members that exist.
    """

    entity: Entity
    attribute: Attribute
    is_own: bool

    @property
    def production(self) -> Sql:
        """Return the table of the members that refer."""
        return name(production_table(self.entity.code))

    @property
    def column(self) -> Sql:
        """Return the reference of a member `p`."""
        return column("p", self.attribute.name)

    @property
    def is_live(self) -> bool:
        """Return whether the reference still counts for people."""
        return not (self.attribute.is_cancelled or self.entity.is_cancelled)

    @property
    def is_required(self) -> bool:
        """Return whether the reference may not become empty."""
        return self.attribute.required and not self.attribute.is_cancelled

    @property
    def where(self) -> str:
        """Return where it is, as people know it."""
        return f"{self.attribute.name} of {self.entity.name}"


def referring(entity: Entity) -> Iterator[Referring]:
    """Yield the columns that refer to an entity, by name, those that were never made left out."""
    target = production_table(entity.code)
    found = Attribute.objects.filter(reference=entity).select_related("entity").order_by("entity__code", "name")
    for attribute in found:
        real = real_columns(production_table(attribute.entity.code)).get(attribute.name)
        if real is not None and real.target == target:
            yield Referring(attribute.entity, attribute, attribute.entity_id == entity.pk)
