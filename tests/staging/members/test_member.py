"""A member shows its values in their types, what it refers to, and who refers to it."""

from datetime import UTC, date, datetime
from decimal import Decimal

from staging.members.member import get_member, referrers
from staging.models import Entity
from tests.staging.batches.bench import members


def test_values_have_their_types(site: Entity, area: Entity) -> None:
    member = get_member(site, members(site)["a"]["id"])
    assert member is not None
    assert (member["integer"], member["decimal"], member["boolean"]) == (-5, Decimal("9.5"), True)
    assert member["date"] == date(2026, 1, 31)
    assert member["datetime"] == datetime(2026, 1, 31, 12, tzinfo=UTC)
    assert (member["area"].code, member["area"].entity_id) == ("n", area.pk)
    assert member["created_batch_id"] == member["updated_batch_id"]
    assert get_member(site, 99_999) is None


def test_who_refers_to_it_is_counted(site: Entity, area: Entity) -> None:
    found = referrers(area, members(area)["n"]["id"])
    assert [(each.entity, each.attribute, each.count) for each in found] == [(site, "area", 1)]
    assert referrers(site, members(site)["a"]["id"]) == []
