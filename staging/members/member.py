"""One member: its values, and who refers to it."""

from dataclasses import dataclass
from typing import Any

from staging.identifiers import production_table
from staging.members.browse import shown_columns
from staging.members.columns import MemberColumn, read_member, reference_joins, selected
from staging.models import Attribute, Entity
from staging.rights import Entities, visible
from staging.sql.compose import column, fetch, name, sql
from staging.states import DataType
from staging.tables.columns import named_problems

_BIRTH = (MemberColumn("created_at", DataType.DATETIME), MemberColumn("created_batch_id", DataType.INTEGER))


@dataclass(frozen=True)
class ReferringCount:
    """How many members of an entity refer to a member by one of their attributes."""

    entity: Entity
    attribute: str
    count: int


def get_member(entity: Entity, member_id: int) -> dict[str, Any] | None:
    """Return a member's values by column, or None; raises TableMismatch when the tables were altered by others."""
    columns = [*shown_columns(entity), *_BIRTH]
    with named_problems(entity):
        rows = fetch(
            sql(
                "SELECT {columns} FROM {production} p{joins} WHERE p.id = {id}",
                columns=selected(columns),
                production=name(production_table(entity.code)),
                joins=reference_joins(columns),
                id=member_id,
            )
        )
    return read_member(columns, rows[0]) if rows else None


def referrers(entity: Entity, member_id: int, of: Entities = None) -> list[ReferringCount]:
    """Return who refers to a member, by the attributes in use; references that nobody makes are left out.

    `of`: only members of these entities.
    """
    found = []
    attributes = visible(Attribute.objects.filter(reference=entity, is_cancelled=False), of).select_related("entity")
    for attribute in attributes.order_by("entity__code", "position"):
        with named_problems(attribute.entity):
            count = fetch(
                sql(
                    "SELECT count(*) FROM {production} q WHERE {reference} = {id}",
                    production=name(production_table(attribute.entity.code)),
                    reference=column("q", attribute.name),
                    id=member_id,
                )
            )[0][0]
        if count:
            found.append(ReferringCount(attribute.entity, attribute.name, count))
    return found
