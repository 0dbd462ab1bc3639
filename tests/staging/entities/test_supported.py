"""Promises of what this release refuses: known words it does not carry out are never silently ignored."""

import pytest

from staging.entities.definition import definition_errors
from staging.entities.supported import SUPPORTED, unsupported
from staging.models import Attribute, Entity


def _known_values(field: str) -> list[object]:
    model = Entity if hasattr(Entity, field) else Attribute
    choices = model._meta.get_field(field).choices
    return [value for value, _ in choices] if choices else [0.5 if field == "max_error_rate" else True]


@pytest.mark.django_db
@pytest.mark.parametrize("field", sorted(SUPPORTED))
def test_each_known_value_is_carried_out_or_refused(field: str):
    for value in _known_values(field):
        on_entity = hasattr(Entity, field)
        entity = Entity(code="thing", name="Thing", **({field: value} if on_entity else {}))
        attribute = Attribute(name="x", data_type="text", **({} if on_entity else {field: value}))
        errors = definition_errors(entity, [attribute])
        path = field if on_entity else f"attributes.0.{field}"
        if value in SUPPORTED[field]:
            assert errors == {}
        else:
            assert "not supported yet" in errors[path][0]


def test_the_sentence_names_what_is_supported():
    assert unsupported("default_import_action", 3) == "3 is not supported yet; use 0."
    assert unsupported("max_error_rate", 0.2) == "0.2 is not supported yet; leave it out."
    assert unsupported("name", "anything") == ""
