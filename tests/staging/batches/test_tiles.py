"""Chunks of a large batch take their rows in tiles: few staged rows apart, and within a tile from member to member."""

from collections.abc import Iterator

import pytest

from staging.batches import worktable
from staging.batches.context import NoFence, make_context
from staging.batches.judging.judge import judge
from staging.batches.pipeline import process
from staging.batches.record import open_batch
from staging.batches.shown.preview import preview_batch
from staging.models import Entity
from staging.sql.compose import fetch, sql
from staging.tables.create import create_tables
from tests.staging.batches.bench import LATER, NOW, execute, members, stage

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgresql]

TILE = 4  # of 16 rows in chunks of one: the root of both


@pytest.fixture
def part(monkeypatch: pytest.MonkeyPatch) -> Iterator[Entity]:
    """Return an entity with eight members, m0 to m7."""
    monkeypatch.setattr("django.conf.settings.MERGE_CHUNK_ROWS", 1)
    monkeypatch.setattr("django.conf.settings.BATCH_LANES", 1)
    entity = Entity.objects.create(code="part", name="Part")
    create_tables(entity)
    stage(entity, *({"code": f"m{n}"} for n in range(8)))
    process(open_batch(entity, now=NOW), fence=NoFence(), now=NOW)
    execute("DELETE FROM stg_part")
    yield entity
    execute("DROP TABLE stg_part")
    execute("DROP TABLE mdm_part")


def _deliver_backwards(part: Entity) -> list[str]:
    """Stage the last members first, after each a new code; return the codes."""
    codes = [code for n in reversed(range(8)) for code in (f"m{n}", f"new{n}")]
    execute(
        "INSERT INTO stg_part (id, code, name) VALUES "
        + ", ".join(f"({TILE * 10 + at}, '{code}', 'changed')" for at, code in enumerate(codes))
    )
    return codes


def _numbered(part: Entity) -> list[str]:
    """Return the codes in the order in which a batch would merge them."""
    plan = make_context(open_batch(part, now=LATER), LATER)
    plan.sql.start()
    judge(plan)
    codes = [code for (code,) in fetch(sql("SELECT code FROM {work} w ORDER BY seq", work=plan.work))]
    worktable.drop(plan)
    return codes


def test_a_tile_goes_from_member_to_member_and_from_new_code_to_new_code(part: Entity) -> None:
    codes = _deliver_backwards(part)
    numbered = _numbered(part)
    assert numbered[:TILE] == ["m6", "m7", "new6", "new7"]
    assert [set(numbered[at : at + TILE]) for at in range(0, 16, TILE)] == [
        set(codes[at : at + TILE]) for at in range(0, 16, TILE)
    ], "a tile is a stretch of the delivery"


def test_chunks_in_tiles_merge_every_row(part: Entity) -> None:
    codes = _deliver_backwards(part)
    batch = process(open_batch(part, now=LATER), fence=NoFence(), now=LATER)
    assert (batch.updated, batch.inserted, batch.rows_total) == (8, 8, 16)
    assert {code: member["name"] for code, member in members(part).items()} == dict.fromkeys(codes, "changed")


def test_a_preview_keeps_the_order_of_delivery(part: Entity) -> None:
    codes = _deliver_backwards(part)
    with preview_batch(part, now=LATER) as found:
        assert [change.code for change in found.changes.read()] == codes


def test_few_rows_are_taken_as_they_come(part: Entity) -> None:
    execute("INSERT INTO stg_part (code, name) VALUES ('m7', 'changed'), ('m6', 'changed'), ('m5', 'changed')")
    assert _numbered(part) == ["m7", "m6", "m5"]
