"""Promises of saving: the definition and its tables change together, or neither."""

import pytest
from django.db import connection

from staging.entities.changes import change_errors
from staging.entities.save import save_entity
from staging.errors import InvalidDefinition, WouldLoseData
from staging.models import Attribute, Entity
from staging.tables.inspect import real_columns, table_exists, table_problems

pytestmark = pytest.mark.django_db


def _sql(statement: str) -> list[tuple]:
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return cursor.fetchall() if cursor.description else []


@pytest.fixture
def entity() -> Entity:
    """An entity with one number."""
    entity = Entity(code="thing", name="Thing")
    save_entity(entity, [Attribute(name="staff", data_type="integer")])
    return entity


def test_saving_stores_the_definition_and_creates_the_tables(entity: Entity):
    assert Entity.objects.get().attributes.get().name == "staff"
    assert table_problems(entity) == []


def test_an_invalid_definition_leaves_nothing_behind():
    with pytest.raises(InvalidDefinition) as caught:
        save_entity(Entity(code="thing", name="Thing"), [Attribute(name="id", data_type="text")])
    assert list(caught.value.errors) == ["attributes.0.name"]
    assert not Entity.objects.exists()
    assert not table_exists("stg_thing")


def test_an_attribute_without_pk_takes_the_place_of_its_namesake(entity: Entity):
    save_entity(entity, [Attribute(name="staff", data_type="integer", min_value="0")])
    assert entity.attributes.get().min_value == "0"


def test_attributes_that_are_not_given_stay(entity: Entity):
    save_entity(entity, [Attribute(name="more", data_type="text")])
    assert set(entity.attributes.values_list("name", flat=True)) == {"staff", "more"}


@pytest.mark.parametrize("table", ["stg_thing", "mdm_thing"])
def test_renaming_a_column_with_values_is_refused_whole(entity: Entity, table: str):
    _sql(f"INSERT INTO {table} (code, staff) VALUES ('a', '1')")
    attribute = entity.attributes.get()
    attribute.name = "people"
    entity.name = "Changed"
    assert "cancel this one" in change_errors(entity, [attribute])["attributes.0.name"][0]
    with pytest.raises(WouldLoseData, match="'staff' holds 1 value"):
        save_entity(entity, [attribute])
    assert Entity.objects.get().name == "Thing"
    assert entity.attributes.get().name == "staff"


def test_renaming_an_empty_column_moves_it(entity: Entity):
    attribute = entity.attributes.get()
    attribute.name = "people"
    save_entity(entity, [attribute])
    assert "staff" not in real_columns("mdm_thing")
    assert "people" in real_columns("stg_thing")
    assert table_problems(entity) == []


def test_retyping_a_column_with_values_is_refused_and_an_empty_one_follows(entity: Entity):
    _sql("INSERT INTO mdm_thing (code, staff) VALUES ('a', 1)")
    with pytest.raises(WouldLoseData, match="'staff' holds 1 value"):
        save_entity(entity, [Attribute(name="staff", data_type="text")])
    assert entity.attributes.get().data_type == "integer"
    _sql("UPDATE mdm_thing SET staff = NULL")
    save_entity(entity, [Attribute(name="staff", data_type="decimal")])
    assert table_problems(entity) == []


def test_becoming_unique_with_clashing_values_is_refused(entity: Entity):
    _sql("INSERT INTO mdm_thing (code, staff) VALUES ('a', 1), ('b', 1)")
    assert "more than one row has '1'" in str(
        change_errors(entity, [Attribute(name="staff", data_type="integer", unique=True)])
    )


def test_rules_need_no_change_of_the_tables(entity: Entity):
    _sql("INSERT INTO mdm_thing (code) VALUES ('a')")
    save_entity(entity, [Attribute(name="staff", data_type="integer", required=True, max_value="5")])
    assert _sql("SELECT staff FROM mdm_thing") == [(None,)]


def test_a_cancelled_attribute_may_come_back(entity: Entity):
    _sql("INSERT INTO mdm_thing (code, staff) VALUES ('a', 1)")
    for cancelled in (True, False):
        save_entity(entity, [Attribute(name="staff", data_type="integer", is_cancelled=cancelled)])
    assert _sql("SELECT staff FROM mdm_thing") == [(1,)]
    assert table_problems(entity) == []
