"""An undo finds what a member was, even where an attribute got another name or type since."""

import pytest

from staging.entities.operations import change_attribute
from staging.models import Attribute, Entity
from tests.staging.batches.bench import define, text
from tests.staging.batches.undo.test_undo import change, state, undo

pytestmark = pytest.mark.django_db


@pytest.fixture
def part() -> Entity:
    return define("part", text("size"), text("kind"), keep_history=True)


def _change(part: Entity, attribute_name: str, **values: object) -> None:
    attribute = Attribute.objects.get(entity=part, name=attribute_name)
    for field, value in values.items():
        setattr(attribute, field, value)
    change_attribute(attribute)


def test_a_batch_from_before_a_rename_is_undone(part: Entity) -> None:
    change(part, {"code": "a", "size": "5"})
    batch = change(part, {"code": "a", "size": "6"})
    _change(part, "size", name="width")
    assert undo(batch).status == "completed"
    assert state(part)["a"]["width"] == "5"


def test_a_batch_from_before_another_type_is_undone_with_the_value_converted(part: Entity) -> None:
    change(part, {"code": "a", "size": "5", "kind": "x"})
    batch = change(part, {"code": "a", "size": "6"})
    _change(part, "size", data_type="integer")
    assert state(part)["a"]["size"] == 6
    assert undo(batch).status == "completed"
    assert (state(part)["a"]["size"], state(part)["a"]["kind"]) == (5, "x")


def test_a_batch_after_another_type_takes_the_new_one(part: Entity) -> None:
    change(part, {"code": "a", "size": "5"})
    _change(part, "size", data_type="decimal", name="width")
    batch = change(part, {"code": "a", "width": "7"})
    assert batch.updated == 1
    assert undo(batch).status == "completed"
    assert str(state(part)["a"]["width"]) == "5"
