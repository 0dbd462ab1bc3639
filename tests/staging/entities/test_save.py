"""Promises of saving: the definition and its tables change together, or neither."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection

from staging.entities.changes import change_errors
from staging.entities.remove import remove_attribute, remove_entity
from staging.entities.save import save_entity
from staging.errors import InvalidDefinition, StagingError, WouldLoseData
from staging.models import Attribute, Entity
from staging.tables.columns import real_columns, table_exists, table_problems

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
    assert "Change attributes safely" in change_errors(entity, [attribute])["attributes.0.name"][0]
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


def test_retyping_a_column_with_values_that_do_not_convert_is_refused_and_an_empty_one_follows(entity: Entity):
    _sql("INSERT INTO mdm_thing (code, staff) VALUES ('a', 1)")
    with pytest.raises(WouldLoseData, match="the value stored in 'staff', 1 cannot be read as date: '1'"):
        save_entity(entity, [Attribute(name="staff", data_type="date")])
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


@pytest.mark.django_db(transaction=True)
def test_many_who_define_the_same_at_once_store_it_once_and_each_is_answered():
    def define(number: int) -> str:
        try:
            hub = Entity(code="hub", name="Hub")
            save_entity(hub, [Attribute(name=f"a{number}", data_type="text")])
        except StagingError as error:
            return str(error)
        finally:
            connection.close()
        return "stored"

    try:
        with ThreadPoolExecutor(4) as pool:
            answers = list(pool.map(define, range(4)))
        assert sorted(answers)[-1] == "stored"
        assert sum("already an entity 'hub'" in answer for answer in answers) == 3
    finally:
        hub = Entity.objects.get(code="hub")
        assert table_problems(hub) == []
        remove_entity(hub)


@pytest.mark.django_db(transaction=True)
def test_entities_that_refer_to_each_other_can_be_altered_at_the_same_time():
    hubs = [Entity.objects.create(code=code, name=code) for code in ("left", "right")]
    for hub in hubs:
        save_entity(hub, [])

    def refer(number: int) -> None:
        own, other = (Entity.objects.get(code=code) for code in (("left", "right"), ("right", "left"))[number % 2])
        try:
            save_entity(own, [Attribute(name=f"r{number}", data_type="reference", reference=other)])
        finally:
            connection.close()

    try:
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(refer, range(8)))
        assert [table_problems(hub) for hub in hubs] == [[], []]
        assert Attribute.objects.count() == 8
    finally:
        for attribute in Attribute.objects.select_related("entity"):
            remove_attribute(attribute)
        for hub in hubs:
            remove_entity(hub)
