"""Promises of changing an attribute: what is foreseen is what happens, and values never get lost on the way."""

from datetime import UTC, datetime

import pytest
from django.db import connection

from staging.entities.operations import AttributeOutlook, attribute_errors, change_attribute, foresee
from staging.entities.save import save_entity
from staging.errors import InvalidDefinition, TableMismatch, TablesInUse, WouldLoseData
from staging.models import Attribute, Batch, BusinessRule, Entity, RuleLine, UploadMapping
from staging.tables.columns import real_columns, table_problems

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 3, 1, tzinfo=UTC)


def _sql(statement: str) -> list[tuple]:
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return cursor.fetchall() if cursor.description else []


@pytest.fixture
def entity() -> Entity:
    """An entity with texts and history, two members and a row that waits."""
    entity = Entity(code="thing", name="Thing", keep_history=True)
    attributes = [
        Attribute(name="staff", data_type="text", unique=True),
        Attribute(name="kind", data_type="text", position=1),
    ]
    save_entity(entity, attributes)
    _sql("INSERT INTO mdm_thing (code, staff, kind) VALUES ('a', '12', 'long'), ('b', '7', NULL)")
    _sql("INSERT INTO stg_thing (code, staff) VALUES ('c', '3')")
    return entity


def _wanted(entity: Entity, name: str = "staff", **values: object) -> Attribute:
    attribute = Attribute.objects.get(entity=entity, name=name)
    for field, value in values.items():
        setattr(attribute, field, value)
    return attribute


def _told(foreseen: AttributeOutlook) -> str:
    return " ".join([*foreseen.steps, *foreseen.warnings, *foreseen.refusals])


def test_nothing_changed_is_nothing_to_do(entity: Entity):
    foreseen = foresee(_wanted(entity))
    assert (foreseen.steps, foreseen.warnings, foreseen.refusals) == ([], [], [])
    assert not foreseen.is_possible


def test_a_rename_moves_columns_history_rules_and_upload_columns(entity: Entity):
    rule = BusinessRule.objects.create(entity=entity, name="Some staff")
    RuleLine.objects.create(rule=rule, attribute="staff", comparison="not_equals", other="staff")
    UploadMapping.objects.create(entity=entity, columns={"FTE": "staff", "Code": "code"})
    wanted = _wanted(entity, name="staff")
    wanted.name = "people"
    told = _told(foresee(wanted))
    assert "2 stored values" in told
    assert "Some staff" in told
    assert "stg_thing.staff fail" in told
    change_attribute(wanted)
    assert _sql("SELECT code, people FROM mdm_thing ORDER BY code") == [("a", "12"), ("b", "7")]
    assert _sql("SELECT people FROM stg_thing") == [("3",)]
    assert "was_people" in real_columns("hst_thing")
    assert "was_staff" not in real_columns("hst_thing")
    line = rule.lines.get()
    assert (line.attribute, line.other) == ("people", "people")
    assert UploadMapping.objects.get().columns == {"FTE": "people", "Code": "code"}
    assert table_problems(entity) == []
    with pytest.raises(Exception, match=r"(?i)unique"):
        _sql("INSERT INTO mdm_thing (code, people) VALUES ('c', '7')")


def test_a_renamed_attribute_can_become_ambiguous_later(entity: Entity):
    wanted = _wanted(entity)
    wanted.name = "people"
    change_attribute(wanted)
    change_attribute(_wanted(entity, "people", unique=False))
    _sql("INSERT INTO mdm_thing (code, people) VALUES ('c', '7')")
    assert table_problems(entity) == []


def test_a_reference_keeps_its_target_when_it_is_renamed(entity: Entity):
    save_entity(entity, [Attribute(name="parent", data_type="reference", reference=entity)])
    wanted = _wanted(entity, "parent")
    wanted.name = "above"
    change_attribute(wanted)
    assert real_columns("mdm_thing")["above"].target == "mdm_thing"
    assert table_problems(entity) == []


@pytest.mark.parametrize("name", ["kind", "id", "Staff", ""])
def test_a_name_that_cannot_be_is_told_at_the_name(entity: Entity, name: str):
    wanted = _wanted(entity)
    wanted.name = name
    assert "name" in attribute_errors(wanted)
    with pytest.raises(InvalidDefinition):
        change_attribute(wanted)


def test_a_name_that_others_gave_a_column_is_refused(entity: Entity):
    _sql("ALTER TABLE stg_thing ADD COLUMN people text")
    wanted = _wanted(entity)
    wanted.name = "people"
    assert "none of ours" in _told(foresee(wanted))
    with pytest.raises(TableMismatch):
        change_attribute(wanted)
    assert entity.attributes.filter(name="staff").exists()


def test_a_type_changes_with_every_value(entity: Entity):
    wanted = _wanted(entity, data_type="integer")
    assert "all 2 values are converted" in _told(foresee(wanted))
    change_attribute(wanted)
    assert _sql("SELECT sum(staff) FROM mdm_thing") == [(19,)]
    assert table_problems(entity) == []


def test_a_value_that_does_not_convert_is_shown_and_refuses(entity: Entity):
    wanted = _wanted(entity, "kind", data_type="integer")
    foreseen = foresee(wanted)
    assert not foreseen.is_possible
    assert "1 cannot be read as whole number: 'long'" in _told(foreseen)
    with pytest.raises(WouldLoseData):
        change_attribute(wanted)
    assert _sql("SELECT kind FROM mdm_thing WHERE code = 'a'") == [("long",)]
    assert entity.attributes.get(name="kind").data_type == "text"


def test_name_and_type_change_together(entity: Entity):
    wanted = _wanted(entity, data_type="decimal")
    wanted.name = "people"
    foreseen = foresee(wanted)
    assert foreseen.is_possible, foreseen
    change_attribute(wanted)
    assert table_problems(entity) == []
    assert {"was_people", "old_people_1"} <= set(real_columns("hst_thing"))


def test_a_type_that_a_business_rule_looks_at_stays(entity: Entity):
    rule = BusinessRule.objects.create(entity=entity, name="Some staff")
    RuleLine.objects.create(rule=rule, attribute="staff", comparison="equals", value="x")
    wanted = _wanted(entity, data_type="integer")
    assert "Some staff" in foresee(wanted).refusals[0]
    with pytest.raises(WouldLoseData, match="Some staff"):
        change_attribute(wanted)


@pytest.mark.parametrize(
    ("limits", "unfit"),
    [
        ({"max_length": 1}, ["12"]),
        ({"min_length": 2}, ["7"]),
        ({"pattern": "^1"}, ["7"]),
        ({"choices": ["12"]}, ["7"]),
        ({"max_length": 2}, []),
    ],
)
def test_tightened_limits_count_the_values_that_no_longer_fit_and_leave_them(entity: Entity, limits, unfit):
    wanted = _wanted(entity, **limits)
    foreseen = foresee(wanted)
    assert [example for found in foreseen.unfit for example in found.examples] == unfit
    assert foreseen.is_possible
    assert bool(unfit) == ("do not fit" in _told(foreseen) or "does not fit" in _told(foreseen))
    change_attribute(wanted)
    assert _sql("SELECT staff FROM mdm_thing ORDER BY code") == [("12",), ("7",)]


@pytest.mark.parametrize(("data_type", "low"), [("integer", "8"), ("decimal", "7.5")])
def test_a_range_counts_numbers_as_numbers(entity: Entity, data_type: str, low: str):
    change_attribute(_wanted(entity, data_type=data_type))
    (unfit,) = foresee(_wanted(entity, min_value=low)).unfit
    assert (unfit.members, unfit.examples) == (1, ("7",))


def test_required_says_how_many_members_have_no_value(entity: Entity):
    wanted = _wanted(entity, "kind", required=True)
    assert "1 active member has no value" in _told(foresee(wanted))
    change_attribute(wanted)
    assert entity.attributes.get(name="kind").required


def test_unique_is_refused_where_values_clash(entity: Entity):
    _sql("UPDATE mdm_thing SET kind = 'same'")
    wanted = _wanted(entity, "kind", unique=True)
    assert "more than one row has 'same'" in _told(foresee(wanted))
    with pytest.raises(TableMismatch):
        change_attribute(wanted)


def test_unique_is_refused_where_values_are_too_long_for_an_index(entity: Entity):
    _sql("UPDATE mdm_thing SET kind = '" + "x" * 501 + "' WHERE code = 'a'")
    wanted = _wanted(entity, "kind", unique=True)
    assert "1 value of more than 500 characters" in _told(foresee(wanted))
    with pytest.raises(TableMismatch):
        change_attribute(wanted)


def test_retired_and_brought_back_with_its_values(entity: Entity):
    wanted = _wanted(entity, is_cancelled=True)
    assert "retired" in _told(foresee(wanted))
    change_attribute(wanted)
    assert "type" in _told(foresee(_wanted(entity, data_type="integer")))
    with pytest.raises(WouldLoseData, match="bring it back"):
        change_attribute(_wanted(entity, data_type="integer"))
    back = _wanted(entity, is_cancelled=False)
    assert "2 stored values" in _told(foresee(back))
    change_attribute(back)
    assert _sql("SELECT staff FROM mdm_thing ORDER BY code") == [("12",), ("7",)]
    assert table_problems(entity) == []


@pytest.mark.parametrize("status", ["pending", "running"])
def test_not_while_a_batch_of_the_entity_is_under_way(entity: Entity, status: str):
    batch = Batch.objects.create(entity=entity, status=status, created_at=NOW)
    wanted = _wanted(entity, required=True)
    assert f"Batch {batch.pk}" in foresee(wanted).refusals[0]
    with pytest.raises(TablesInUse, match="under way"):
        change_attribute(wanted)
    with pytest.raises(WouldLoseData, match="under way"):
        save_entity(entity, [Attribute(name="staff", data_type="integer", unique=True)])
    Batch.objects.all().delete()
    change_attribute(wanted)
