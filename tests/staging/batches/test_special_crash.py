"""Removals, renames and unique values when a batch is stopped anywhere: the end is the one of a batch that was not."""

from collections.abc import Iterator
from typing import Any

import pytest

from staging.batches.context import NoFence
from staging.batches.pipeline import process
from staging.batches.record import open_batch
from staging.models import Batch, Entity
from staging.states import BatchStatus
from staging.tables.create import create_tables
from tests.depth import some
from tests.staging.batches.bench import LATER, NOW, counts, define, execute, members, reference, stage, staged

pytestmark = pytest.mark.django_db(transaction=True)

STORED = (
    {"code": "gone", "mail": "free"},
    {"code": "away", "parent": "gone"},
    {"code": "kept", "mail": "k"},
    {"code": "user", "parent": "kept"},
    {"code": "cleared", "parent": "gone", "kind": "1"},
    {"code": "a", "mail": "ma"},
    {"code": "b", "mail": "mb"},
    {"code": "c", "mail": "mc"},
    {"code": "off"},
)
ROWS = (
    {"code": "gone", "import_action": 6},
    {"code": "away", "import_action": 3},
    {"code": "kept", "import_action": 4},
    {"code": "new", "mail": "free", "parent": "z", "spare": "born"},
    {"code": "born", "parent": "new", "mail": "born"},
    {"code": "lost", "parent": "gone"},
    {"code": "late", "mail": "ma"},
    {"code": "a", "new_code": "b", "mail": "new", "spare": "born"},
    {"code": "b", "new_code": "z"},
    {"code": "c", "mail": "mc2"},
    {"code": "thief", "mail": "mc"},
    {"code": "x", "new_code": "y"},
    {"code": "below", "parent": "a", "spare": "b"},
    {"code": "cleared", "kind": "2"},
    {"code": "off", "import_action": 2, "new_code": "gone"},
    {"code": "kind", "kind": "long"},
)


class Stopped(Exception):
    """Raised by a fence, as when the attempt was released."""


class StopAt(NoFence):
    """A fence that lets a number of checks pass and stops at the next."""

    def __init__(self, passes: int):
        self.passes = passes

    def check(self, rows_done: int, rows_total: int | None) -> None:
        """Stop when the passes are used up."""
        if not self.passes:
            raise Stopped
        self.passes -= 1


class Meddle(NoFence):
    """A fence by which others change something just after its rows were classified."""

    def __init__(self, *statements: str):
        self.statements, self.checks = statements, 0

    def check(self, rows_done: int, rows_total: int | None) -> None:
        """The second check comes between classification and the first chunk."""
        self.checks += 1
        if self.checks == 2:
            for statement in self.statements:
                execute(statement)


@pytest.fixture
def part() -> Iterator[Entity]:
    """Return an entity with what crashes could spoil; its tables are dropped afterwards."""
    entity = Entity.objects.create(code="part", name="Part")
    entity.attributes.create(name="parent", data_type="reference", reference=entity, merge_mode="fill_when_empty")
    entity.attributes.create(name="spare", data_type="reference", reference=entity)
    entity.attributes.create(name="kind", data_type="text", max_length=3)
    entity.attributes.create(name="mail", data_type="text", unique=True)
    create_tables(entity)
    yield entity
    for table in ("stg_thing", "mdm_thing", "stg_part", "mdm_part"):
        execute(f"DROP TABLE IF EXISTS {table}")


def _begin(part: Entity) -> Batch:
    execute("UPDATE mdm_part SET parent = NULL, spare = NULL")
    execute("DELETE FROM mdm_part")
    execute("DELETE FROM stg_part")
    stage(part, *STORED)
    process(open_batch(part, now=NOW), fence=NoFence(), now=NOW)
    execute("UPDATE mdm_part SET is_active = %s WHERE code = 'off'", [False])
    execute("DELETE FROM stg_part")
    stage(part, *ROWS)
    return open_batch(part, now=LATER)


def _end(batch: Batch) -> tuple[Any, ...]:
    batch.refresh_from_db()
    assert batch.status == BatchStatus.COMPLETED
    marks = [(r["code"], r["import_outcome"], r["error_code"], r["error_message"]) for r in staged(batch.entity)]
    values = ("parent", "spare", "kind", "mail", "is_active")
    found = {code: tuple(row[v] for v in values) for code, row in members(batch.entity).items()}
    written = {code for code, row in members(batch.entity).items() if row["updated_batch_id"] == batch.pk}
    return counts(batch), batch.rows_total, marks, found, written


@pytest.mark.parametrize("rows", [1, 3, 100])
def test_stopped_at_any_check_the_end_is_the_same(part: Entity, rows: int, settings: Any) -> None:
    settings.MERGE_CHUNK_ROWS = rows
    uncrashed = _end(process(_begin(part), fence=NoFence(), now=LATER))
    assert uncrashed[0] == {"deactivated": 1, "deleted": 1, "inserted": 5, "updated": 4, "rejected": 5}
    for passes in some(range(100), one_in=2):
        batch = _begin(part)
        try:
            process(batch, fence=StopAt(passes), now=LATER)
        except Stopped:
            assert _end(process(batch, fence=NoFence(), now=LATER)) == uncrashed, passes
        else:
            assert passes > (5 if rows < 100 else 2)
            break


def test_a_reference_that_others_make_meanwhile_keeps_the_member(part: Entity) -> None:
    thing = define("thing", reference("part", "part"))
    stage(part, {"code": "p"})
    process(open_batch(part, now=NOW), fence=NoFence(), now=NOW)
    execute("DELETE FROM stg_part")
    stage(part, {"code": "p", "import_action": 4})
    fence = Meddle("INSERT INTO mdm_thing (code, part) SELECT 't', id FROM mdm_part")

    batch = process(open_batch(part, now=LATER), fence=fence, now=LATER)

    assert (batch.status, counts(batch)) == (BatchStatus.COMPLETED, {"rejected": 1})
    assert members(thing)["t"]["part"] == "p"


def test_a_member_that_others_delete_meanwhile_is_not_found(part: Entity) -> None:
    thing = define("thing", reference("part", "part"))
    stage(part, {"code": "p"})
    process(open_batch(part, now=NOW), fence=NoFence(), now=NOW)
    stage(thing, {"code": "t", "part": "p"}, {"code": "u"})

    batch = process(open_batch(thing, now=LATER), fence=Meddle("DELETE FROM mdm_part"), now=LATER)

    assert (batch.status, counts(batch)) == (BatchStatus.COMPLETED, {"inserted": 1, "rejected": 1})
    assert staged(thing)[0]["error_code"] == 32
