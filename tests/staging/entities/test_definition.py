"""Promises of the rules: everything wrong is said at once, at its field, with the mend."""

from typing import Any

import pytest

from staging.entities.definition import definition_errors
from staging.entities.save import save_entity
from staging.identifiers import SYSTEM_COLUMNS
from staging.models import Attribute, Entity

pytestmark = pytest.mark.django_db


def _entity(**values: Any) -> Entity:
    return Entity(**{"code": "thing", "name": "Thing", **values})


def _errors(**values: Any) -> dict[str, list[str]]:
    return definition_errors(_entity(), [Attribute(**{"name": "x", "data_type": "text", **values})])


def test_a_plain_definition_has_no_errors():
    assert definition_errors(_entity(), [Attribute(name="x", data_type="text")]) == {}


@pytest.mark.parametrize("code", ["", "A", "1a", 'a"b', "a;b", "a--", "%s", "a\x00", "a" * 41, "é", "a b", "_a"])
def test_hostile_codes_are_refused(code: str):
    assert "code" in definition_errors(_entity(code=code), [])
    assert "attributes.0.name" in _errors(name=code)


@pytest.mark.parametrize("name", sorted(SYSTEM_COLUMNS))
def test_system_columns_are_refused(name: str):
    assert _errors(name=name) == {"attributes.0.name": [f"{name!r} is a system column; choose another name."]}


@pytest.mark.parametrize(
    ("field", "value", "says"),
    [
        ("name", "", "blank"),
        ("name", "x" * 101, "at most 100"),
        ("default_import_action", 9, "not a valid choice"),
        ("default_merge_mode", "sometimes", "not a valid choice"),
        ("duplicates", "coin", "not a valid choice"),
        ("review", "maybe", "not a valid choice"),
        ("max_error_rate", 1.5, "0 to 1"),
        ("max_error_rate", -0.1, "0 to 1"),
        ("max_error_rate", float("nan"), "0 to 1"),
        ("processed_retention_days", 0, "use 1 to 36500"),
        ("processed_retention_days", 10**30, "use 1 to 36500"),
        ("description", "a\x00b", "no database keeps"),
        ("sentinel_number", "none", "a number such as"),
        ("sentinel_datetime", "5555-13-01", "an instant such as"),
        ("sentinel_text", " ~ ", "blanks"),
        ("sentinel_text", "", "blank"),
    ],
)
def test_entity_fields_are_checked(field: str, value: Any, says: str):
    errors = definition_errors(_entity(**{field: value}), [])
    assert list(errors) == [field]
    assert says in errors[field][0]


@pytest.mark.parametrize(
    ("values", "field", "says"),
    [
        ({"data_type": "money"}, "data_type", "not a valid choice"),
        ({"data_type": "reference"}, "reference", "Name the entity"),
        ({"data_type": "integer", "max_length": 5}, "max_length", "Only an attribute of type text"),
        ({"min_value": "1"}, "min_value", "Only an attribute of type integer, decimal"),
        ({"data_type": "boolean", "max_value": "1"}, "max_value", "Only an attribute"),
        ({"data_type": "date", "pattern": "x"}, "pattern", "Only an attribute of type text"),
        ({"data_type": "boolean", "choices": ["true"]}, "choices", "Only an attribute"),
        ({"min_length": 5, "max_length": 4}, "max_length", "below the minimal length 5"),
        ({"max_length": 0}, "max_length", "no value fits"),
        ({"max_length": -1}, "max_length", "greater than or equal to 0"),
        ({"data_type": "integer", "min_value": "1.5"}, "min_value", "a whole number"),
        ({"data_type": "integer", "min_value": "10", "max_value": "9"}, "max_value", "below the minimum 10"),
        ({"data_type": "integer", "max_value": "9" * 19}, "max_value", "a whole number"),
        ({"data_type": "decimal", "min_value": "1,5"}, "min_value", "a number such as"),
        ({"data_type": "decimal", "min_value": "NaN"}, "min_value", "a number such as"),
        ({"data_type": "date", "max_value": "2026-02-30"}, "max_value", "a date such as"),
        ({"data_type": "date", "min_value": "20260101"}, "min_value", "a date such as"),
        ({"data_type": "datetime", "min_value": "noon"}, "min_value", "an instant such as"),
        ({"choices": ["a", "a"]}, "choices", "twice"),
        ({"choices": ["a", " b"]}, "choices", "trimmed"),
        ({"choices": "ab"}, "choices", "list of texts"),
        ({"choices": [1]}, "choices", "list of texts"),
        ({"data_type": "integer", "choices": ["1", "two"]}, "choices", "'two' must be a whole number"),
        ({"data_type": "decimal", "choices": ["1.0", "1"]}, "choices", "'1' is there twice"),
        ({"merge_mode": "never"}, "merge_mode", "not a valid choice"),
        ({"on_error": "shrug"}, "on_error", "not a valid choice"),
        ({"pattern": "("}, "pattern", ""),
    ],
)
def test_attribute_fields_are_checked(values: dict[str, Any], field: str, says: str):
    errors = _errors(**values)
    assert list(errors) == [f"attributes.0.{field}"]
    assert says in errors[f"attributes.0.{field}"][0]


@pytest.mark.parametrize(
    "values",
    [
        {"data_type": "integer", "min_value": "-5", "max_value": "9223372036854775807", "choices": ["1", "2"]},
        {"data_type": "decimal", "min_value": "-1e3", "max_value": "0.5"},
        {"data_type": "date", "min_value": "2026-01-01", "max_value": "2026-01-01"},
        {"data_type": "datetime", "min_value": "2026-01-01T00:00:00+02:00", "max_value": "2026-01-01T00:00:00"},
        {"min_length": 2, "max_length": 2, "pattern": "^[a-z]{2}$", "choices": ["ab", "cd"]},
    ],
)
def test_limits_that_fit_are_accepted(values: dict[str, Any]):
    assert _errors(**values) == {}


def test_only_references_refer():
    other = Entity(code="other", name="Other")
    assert list(_errors(reference=other)) == ["attributes.0.reference"]
    assert _errors(reference=other, data_type="reference") == {}


def test_names_are_unique_among_given_and_stored():
    entity = _entity()
    save_entity(entity, [Attribute(name="a", data_type="text"), Attribute(name="b", data_type="text")])
    renamed = entity.attributes.get(name="a")
    renamed.name = "b"
    assert "two attributes 'b'" in definition_errors(entity, [renamed])["attributes.0.name"][0]
    twice = [Attribute(name="c", data_type="text"), Attribute(name="c", data_type="text")]
    assert "two attributes 'c'" in definition_errors(entity, twice)["attributes.1.name"][0]


def test_a_code_is_immutable_and_taken_once():
    entity = _entity()
    save_entity(entity, [])
    entity.code = "other"
    assert "for good" in definition_errors(entity, [])["code"][0]
    assert "already an entity" in definition_errors(_entity(), [])["code"][0]


def test_everything_wrong_is_said_at_once():
    errors = definition_errors(
        _entity(code="No", max_error_rate=2.0),
        [
            Attribute(name="id", data_type="integer", max_length=3, min_value="x"),
            Attribute(name="ok", data_type="what"),
        ],
    )
    assert set(errors) == {
        "code",
        "max_error_rate",
        "attributes.0.name",
        "attributes.0.max_length",
        "attributes.0.min_value",
        "attributes.1.data_type",
    }


def test_a_cancelled_attribute_need_only_be_storable():
    assert _errors(data_type="integer", max_length=3, is_cancelled=True) == {}
    assert list(_errors(data_type="reference", is_cancelled=True)) == ["attributes.0.reference"]


@pytest.mark.parametrize("field", ["default_import_action", "default_merge_mode", "duplicates", "review"])
def test_every_known_word_of_an_entity_is_carried_out(db: None, field: str) -> None:
    for value, _ in Entity._meta.get_field(field).choices:
        assert definition_errors(Entity(code="thing", name="Thing", **{field: value}), []) == {}
    errors = definition_errors(Entity(code="thing", name="Thing", **{field: 99}), [])
    assert list(errors) == [field]


@pytest.mark.parametrize("field", ["merge_mode", "on_error"])
def test_every_known_word_of_an_attribute_is_carried_out(db: None, field: str) -> None:
    entity = Entity(code="thing", name="Thing")
    for value, _ in Attribute._meta.get_field(field).choices:
        assert definition_errors(entity, [Attribute(name="x", data_type="text", **{field: value})]) == {}
    errors = definition_errors(entity, [Attribute(name="x", data_type="text", **{field: "perhaps"})])
    assert list(errors) == [f"attributes.0.{field}"]
