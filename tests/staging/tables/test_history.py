"""The history table comes with the wish to keep history, follows the attributes, and never loses what it holds."""

import pytest

from staging.errors import WouldLoseData
from staging.models import Attribute, Entity
from staging.tables.alter import count_rows, drop_column, drop_tables, sync_tables
from staging.tables.columns import real_columns, table_exists, table_problems
from tests.staging.batches.bench import define, execute, fetch, text

pytestmark = pytest.mark.django_db


@pytest.fixture
def part() -> Entity:
    return define("part", text("kind"), keep_history=True)


def test_it_is_made_when_history_is_switched_on_and_stays_when_it_is_switched_off() -> None:
    entity = define("part", text("kind"))
    assert not table_exists("hst_part")
    entity.keep_history = True
    sync_tables(entity)
    assert table_exists("hst_part")
    entity.keep_history = False
    sync_tables(entity)
    assert table_exists("hst_part")


def test_a_new_attribute_gets_its_column_of_its_own_type(part: Entity) -> None:
    Attribute.objects.create(entity=part, name="size", data_type="integer")
    Attribute.objects.create(entity=part, name="member_id", data_type="text")
    sync_tables(part)
    kept, typed = real_columns("hst_part"), real_columns("mdm_part")
    assert kept["was_size"].type == typed["size"].type
    assert kept["was_member_id"].type == typed["member_id"].type


def test_what_a_dropped_column_was_stays_under_another_name(part: Entity) -> None:
    _keep(part, "was_kind", "x")
    drop_column(part, "kind")
    assert fetch("SELECT old_kind_1 FROM hst_part") == [("x",)]
    sync_tables(part)
    _keep(part, "was_kind", "y")
    drop_column(part, "kind")
    assert fetch("SELECT old_kind_1, old_kind_2 FROM hst_part ORDER BY id") == [("x", None), (None, "y")]


def test_a_column_of_another_type_is_set_aside(part: Entity) -> None:
    _keep(part, "was_kind", "x")
    part.attributes.update(data_type="integer")
    sync_tables(part)
    assert fetch("SELECT old_kind_1, was_kind FROM hst_part") == [("x", None)]
    assert table_problems(part) == []


def test_an_entity_with_history_is_not_deleted(part: Entity) -> None:
    _keep(part, "was_kind", "x")
    assert count_rows(part) == 1
    with pytest.raises(WouldLoseData):
        drop_tables(part)
    execute("DELETE FROM hst_part")
    drop_tables(part)
    assert not table_exists("hst_part")


def test_a_missing_table_is_a_problem_only_while_history_is_kept(part: Entity) -> None:
    execute("DROP TABLE hst_part")
    assert table_problems(part) == ["Table hst_part is missing."]
    part.keep_history = False
    assert table_problems(part) == []


def _keep(entity: Entity, column: str, value: str) -> None:
    execute(
        f"INSERT INTO hst_{entity.code} (member_id, action, batch_id, changed_at, changed_by, {column})"
        f" VALUES (1, 'updated', 1, '2026-03-01 12:00:00+00', 'anna', '{value}')"
    )
