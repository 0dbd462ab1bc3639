"""Every change of a member is kept as it was before, with who changed it and in which batch, while history is on."""

from typing import Any

import pytest

from staging.batches.record import open_batch
from staging.models import Batch, Entity
from staging.tables.alter import sync_tables
from tests.staging.batches.bench import LATER, NOW, define, execute, fetch, members, reference, run_batch, stage, text

pytestmark = pytest.mark.django_db


@pytest.fixture
def part() -> Entity:
    return define("part", text("kind"), reference("parent", "part"), keep_history=True)


def history(entity: Entity, *columns: str) -> list[tuple[Any, ...]]:
    """Return the kept changes in their order."""
    named = ", ".join(columns)
    return fetch(f"SELECT {named} FROM hst_{entity.code} ORDER BY id")


def test_new_members_are_kept_as_new_and_nothing_before(part: Entity, chunks: int) -> None:
    stage(part, {"code": "a", "kind": "x"}, {"code": "b", "parent": "a"}, {"code": "c", "parent": "c"})
    batch = run_batch(part)

    found = members(part)
    assert sorted(history(part, "member_id", "action", "batch_id", "was_code", "was_kind")) == sorted(
        (found[code]["id"], "inserted", batch.pk, None, None) for code in "abc"
    )


def test_an_update_keeps_what_was_there(part: Entity, chunks: int) -> None:
    stage(part, {"code": "a", "name": "A", "kind": "x"}, {"code": "b"}, {"code": "same", "kind": "s"})
    first = run_batch(part)
    execute("DELETE FROM hst_part")
    stage(part, {"code": "a", "kind": "y"}, {"code": "b", "parent": "a"}, {"code": "same", "kind": "s"})
    second = run_batch(part, now=LATER)

    assert sorted(
        history(part, "was_code", "was_name", "was_kind", "was_parent", "was_updated_batch_id", "batch_id")
    ) == [("a", "A", "x", None, first.pk, second.pk), ("b", None, None, None, first.pk, second.pk)]
    assert {row[0] for row in history(part, "action")} == {"updated"}


def test_a_member_that_becomes_active_again_was_not(part: Entity) -> None:
    stage(part, {"code": "a"})
    run_batch(part)
    execute("UPDATE mdm_part SET is_active = (1 = 0)")
    stage(part, {"code": "a"})
    run_batch(part)
    assert [bool(row[0]) for row in history(part, "was_is_active")] == [False, False]


def test_it_is_told_who_and_because_of_what(part: Entity) -> None:
    from staging.batches.context import NoFence
    from staging.batches.pipeline import process

    stage(part, {"code": "a"})
    batch = open_batch(part, trigger_source="Manual", started_by="anna", now=NOW)
    process(batch, fence=NoFence(), now=NOW)
    assert history(part, "changed_by") == [("anna (Manual)",)]


def test_nothing_is_kept_while_history_is_off(part: Entity) -> None:
    Entity.objects.filter(pk=part.pk).update(keep_history=False)
    part.refresh_from_db()
    stage(part, {"code": "a"})
    run_batch(part)
    assert history(part, "id") == []
    assert not define("plain", text("kind")).keep_history
    with pytest.raises(Exception, match="hst_plain"):
        fetch("SELECT 1 FROM hst_plain")


def test_a_cancelled_attribute_is_kept_on(part: Entity) -> None:
    stage(part, {"code": "a", "kind": "x"})
    run_batch(part)
    part.attributes.filter(name="kind").update(is_cancelled=True)
    sync_tables(part)
    stage(part, {"code": "a", "name": "A"})
    run_batch(part)
    assert history(part, "was_kind")[-1] == ("x",)


def test_a_history_table_altered_by_others_is_named(part: Entity) -> None:
    execute("ALTER TABLE hst_part DROP COLUMN was_kind")
    stage(part, {"code": "a"})
    batch = run_batch(part)
    assert (batch.status, batch.error) == ("failed", "Column hst_part.was_kind is missing.")
    assert Batch.objects.count() == 1
