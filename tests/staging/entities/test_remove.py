"""Promises of removing: only what never held anything goes."""

import pytest
from django.db import connection

from staging.entities.remove import remove_attribute, remove_entity
from staging.entities.save import save_entity
from staging.errors import WouldLoseData
from staging.models import Attribute, Entity
from staging.tables.columns import real_columns, table_exists

pytestmark = pytest.mark.django_db


@pytest.fixture
def entity() -> Entity:
    """An entity that refers to itself."""
    entity = Entity.objects.create(code="thing", name="Thing")
    parent = Attribute(name="parent", data_type="reference", reference=entity)
    save_entity(entity, [parent, Attribute(name="staff", data_type="integer", unique=True)])
    return entity


def _deposit(table: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"INSERT INTO {table} (code, staff) VALUES ('a', '1')")


def test_an_empty_entity_goes_with_its_tables(entity: Entity):
    remove_entity(entity)
    assert not Entity.objects.exists()
    assert not table_exists("stg_thing")
    assert not table_exists("mdm_thing")


@pytest.mark.parametrize("table", ["stg_thing", "mdm_thing"])
def test_an_entity_with_rows_stays(entity: Entity, table: str):
    _deposit(table)
    with pytest.raises(WouldLoseData, match="hold 1 row"):
        remove_entity(entity)
    assert Entity.objects.exists()


def test_an_entity_others_refer_to_stays(entity: Entity):
    other = Entity(code="other", name="Other")
    save_entity(other, [Attribute(name="thing", data_type="reference", reference=entity)])
    with pytest.raises(WouldLoseData, match=r"referred to by other\.thing"):
        remove_entity(entity)
    remove_entity(other)
    remove_entity(entity)


def test_an_empty_attribute_goes_with_its_columns(entity: Entity):
    for attribute in entity.attributes.all():
        remove_attribute(attribute)
    assert not {"parent", "staff"} & {*real_columns("stg_thing"), *real_columns("mdm_thing")}


@pytest.mark.parametrize("table", ["stg_thing", "mdm_thing"])
def test_an_attribute_with_values_stays(entity: Entity, table: str):
    _deposit(table)
    with pytest.raises(WouldLoseData, match="'staff' holds 1 value"):
        remove_attribute(entity.attributes.get(name="staff"))
    assert entity.attributes.filter(name="staff").exists()
