"""Promise: the doctor tells how tables differ from their definition now, to each reader in that person's language."""

import pytest
from django.db import connection
from django.utils.translation import override

from scheduling.doctor.examine import findings
from staging.identifiers import quote, staging_table
from staging.models import Attribute
from staging.states import DataType
from staging.tables import compared
from staging.tables.columns import column_type, table_problems_of

pytestmark = pytest.mark.django_db


def told() -> str:
    """Return what is told of altered tables; empty when nothing is."""
    return "".join(one.text for one in findings() if one.id == "entity.altered")


def alter(change: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"ALTER TABLE {quote(staging_table('branch'))} {change}")


def test_what_was_told_before_is_told_again_and_what_changed_since_is_seen(make_entity):
    make_entity()
    assert told() == told() == ""
    alter(f"DROP COLUMN {quote('staff')}")
    assert "Column stg_branch.staff is missing." in told()
    with override("nl"):
        assert "Kolom stg_branch.staff ontbreekt." in told()
    assert "Column stg_branch.staff is missing." in told()
    alter(f"ADD COLUMN {quote('staff')} {column_type(DataType.TEXT)}")
    assert told() == ""
    Attribute.objects.filter(name="staff").update(name="gone")
    assert "stg_branch.gone" in told()


def test_only_those_that_changed_are_compared_again(make_entity, monkeypatch):
    """Of the others it is known: each with its definition and with what the catalogue says of its tables."""
    make_entity()
    make_entity("region")
    told()
    looked_at: list[str] = []

    def noted(entities):
        looked_at.extend(each.code for each in entities)
        return table_problems_of(entities)

    monkeypatch.setattr(compared, "table_problems_of", noted)
    assert told() == "" and looked_at == []
    alter(f"ADD COLUMN {quote('of_others')} {column_type(DataType.TEXT)}")
    assert told() == "" and looked_at == ["branch"]
    Attribute.objects.filter(entity__code="region").update(is_cancelled=True)
    assert told() == "" and looked_at == ["branch", "region"]
