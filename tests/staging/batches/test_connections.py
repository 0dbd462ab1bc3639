"""A large batch works with several connections at once and comes to the same end as with one."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from threading import Barrier, Event, get_ident

import pytest
from django.db import OperationalError, connection

from staging.batches import worktable
from staging.batches.context import NoFence, connections_for, make_context, side_by_side
from staging.batches.judging import judge as judging
from staging.batches.judging.judge import judge
from staging.batches.merging import merge
from staging.batches.merging.decisions import keep_work_table
from staging.batches.pipeline import process
from staging.batches.record import open_batch
from staging.batches.shown.preview import preview_batch
from staging.models import Entity
from staging.sql.compose import sql
from staging.sql.dialect import dialect
from staging.sql.other_process import run_in_other_process
from staging.states import BatchStatus
from staging.tables.create import create_tables
from tests.staging.batches.bench import LATER, NOW, counts, execute, fetch, members, stage, staged

pytestmark = pytest.mark.django_db(transaction=True)
sqlite_only = pytest.mark.skipif(connection.vendor != "sqlite", reason="only SQLite reads in another process")

ROWS = [
    {"code": f"m{n}", "kind": "long" if n % 7 == 3 else str(n % 3), "parent": f"m{(n * 5) % 40}" if n % 4 else None}
    for n in range(40)
] + [{"code": "m1", "kind": "1"}, {"code": "old", "kind": "2"}, {"code": "old", "kind": "2"}]


@pytest.fixture
def part(monkeypatch: pytest.MonkeyPatch) -> Iterator[Entity]:
    """Return an entity; two rows are many, and chunks are small."""
    monkeypatch.setattr(type(dialect()), "worth_connections", 2)
    monkeypatch.setattr("django.conf.settings.MERGE_CHUNK_ROWS", 4)
    entity = Entity.objects.create(code="part", name="Part")
    entity.attributes.create(name="parent", data_type="reference", reference=entity)
    entity.attributes.create(name="kind", data_type="text", max_length=3)
    create_tables(entity)
    yield entity
    execute("DROP TABLE stg_part")
    execute("DROP TABLE mdm_part")


def _outcome(part: Entity, monkeypatch: pytest.MonkeyPatch, connections: int) -> tuple[object, ...]:
    monkeypatch.setattr("django.conf.settings.BATCH_LANES", connections)
    execute("DELETE FROM stg_part")
    execute("UPDATE mdm_part SET parent = NULL")
    execute("DELETE FROM mdm_part")
    stage(part, {"code": "old", "kind": "1"})
    process(open_batch(part, now=NOW), fence=NoFence(), now=NOW)
    stage(part, *ROWS)
    batch = process(open_batch(part, now=LATER), fence=NoFence(), now=LATER)
    assert batch.status == BatchStatus.COMPLETED
    rows = [(row["code"], row["import_status"], row["error_message"], row["import_outcome"]) for row in staged(part)]
    return counts(batch), rows, {code: row["kind"] for code, row in members(part).items()}


@pytest.mark.parametrize("connections", [2, 3, 7])
def test_the_end_is_the_same_with_any_number_of_connections(
    part: Entity, monkeypatch: pytest.MonkeyPatch, connections: int
) -> None:
    assert _outcome(part, monkeypatch, connections) == _outcome(part, monkeypatch, 1)


@pytest.mark.postgresql
@pytest.mark.parametrize("chunk_rows", [4, 8, 100], ids=["two chunks", "one chunk", "less than a chunk"])
def test_chunks_beside_one_another_wait_for_no_row_of_each_other_until_they_end(
    part: Entity, monkeypatch: pytest.MonkeyPatch, chunk_rows: int
) -> None:
    monkeypatch.setattr("django.conf.settings.MERGE_CHUNK_ROWS", chunk_rows)
    both, insert = Barrier(2, timeout=10), merge.insert_members

    def insert_beside(*given: object) -> None:
        insert(*given)  # type: ignore[arg-type]
        both.wait()

    monkeypatch.setattr("django.conf.settings.BATCH_LANES", 2)
    monkeypatch.setattr(merge, "insert_members", insert_beside)
    stage(part, *({"code": f"m{n}", "kind": str(n)} for n in range(8)))

    assert process(open_batch(part, now=NOW), fence=NoFence(), now=NOW).inserted == 8


@pytest.mark.postgresql
@pytest.mark.parametrize("connections", [1, 2])
def test_decisions_that_are_kept_are_written_once(
    part: Entity, monkeypatch: pytest.MonkeyPatch, connections: int
) -> None:
    monkeypatch.setattr("django.conf.settings.BATCH_LANES", connections)
    stage(part, *ROWS)
    plan = make_context(open_batch(part, now=NOW), NOW)
    judge(plan)
    stored = "SELECT relpersistence, pg_relation_filenode(oid) FROM pg_class WHERE relname = '{}'"
    before = fetch(stored.format(plan.work_name))

    kept = keep_work_table(plan)

    assert fetch(stored.format(kept.kept)) == before
    assert before[0][0] == "p"  # logged: it outlives a crash of the server
    worktable.drop_kept(kept.kept)


@pytest.mark.postgresql
def test_what_is_only_looked_at_is_not_written_to_the_log(part: Entity) -> None:
    stage(part, *ROWS)
    with preview_batch(part, now=NOW) as shown:
        stored = f"SELECT relpersistence FROM pg_class WHERE relname = '{shown.context.work_name}'"
        assert fetch(stored) == [("u",)]


def test_chunks_that_could_wait_for_each_other_are_merged_one_after_the_other(
    part: Entity, monkeypatch: pytest.MonkeyPatch
) -> None:
    part.attributes.filter(name="kind").update(unique=True)
    monkeypatch.setattr("django.conf.settings.BATCH_LANES", 2)
    monkeypatch.setattr(merge, "side_by_side", lambda chunks: pytest.fail(f"{len(chunks)} at once"))
    stage(part, *({"code": f"m{n}", "kind": str(n)} for n in range(30)))

    assert process(open_batch(part, now=NOW), fence=NoFence(), now=NOW).inserted == 30


class Released(NoFence):
    """A fence that is lost while chunks are being written side by side."""

    def __init__(self, holds: int):
        self.holds = holds

    def hold(self) -> None:
        """Let so many chunks pass."""
        self.holds -= 1
        if self.holds < 0:
            raise RuntimeError("released")


@pytest.mark.postgresql
@pytest.mark.parametrize("holds", range(8))
def test_an_attempt_released_between_chunks_writes_no_more_and_the_next_ends_it(part: Entity, holds: int) -> None:
    stage(part, *({"code": f"m{n}", "kind": str(n)} for n in range(30)))
    batch = open_batch(part, now=NOW)

    with pytest.raises(RuntimeError, match="released"):
        process(batch, fence=Released(holds), now=NOW)

    batch.refresh_from_db()
    done = [row["code"] for row in staged(part) if row["import_status"] == 1]
    assert sorted(done) == sorted(members(part)) and len(done) == batch.inserted < 30
    process(batch, fence=NoFence(), now=LATER)
    batch.refresh_from_db()
    assert (batch.status, batch.inserted, len(members(part))) == (BatchStatus.COMPLETED, 30, 30)


def test_inside_a_transaction_and_for_few_rows_one_connection_does_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    from django.db import transaction

    monkeypatch.setattr("django.conf.settings.BATCH_LANES", 4)
    assert (connections_for(dialect().worth_connections), connections_for(dialect().worth_connections - 1)) == (4, 1)
    with transaction.atomic():
        assert connections_for(dialect().worth_connections) == 1


def test_pieces_run_at_the_same_time_the_first_of_them_here() -> None:
    there, here = Event(), Event()

    def first() -> int:
        here.set()
        assert there.wait(10)
        return get_ident()

    def second() -> int:
        there.set()
        assert here.wait(10)
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        return get_ident()

    idents = side_by_side([first, second])
    assert idents[0] == get_ident() != idents[1]


def test_one_piece_that_fails_lets_the_others_end_and_is_told() -> None:
    ended = Event()

    def broken() -> None:
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        side_by_side([broken, ended.set])
    assert ended.is_set()


@sqlite_only
def test_an_error_of_the_other_process_is_told_and_leaves_the_rows_waiting(
    part: Entity, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("django.conf.settings.BATCH_LANES", 2)
    monkeypatch.setattr(judging, "classification", lambda plan, rows: sql("SELECT * FROM nowhere"))
    stage(part, {"code": "a"}, {"code": "b"}, {"code": "c"})
    batch = open_batch(part, now=NOW)

    with pytest.raises(OperationalError, match="no such table: nowhere"):
        process(batch, fence=NoFence(), now=NOW)

    assert [row["import_status"] for row in staged(part)] == [0, 0, 0]
    monkeypatch.undo()
    assert process(batch, fence=NoFence(), now=LATER).inserted == 3


@sqlite_only
def test_the_other_process_binds_values_of_every_kind_and_keeps_percent_signs(tmp_path: Path) -> None:
    file = tmp_path / "found"
    made = [
        sql("CREATE TABLE there.found (a, b, c, d, e)"),
        sql(
            "INSERT INTO there.found SELECT {a}, {b}, {c}, {d}, {e} WHERE 'a%%b' LIKE 'a%%'",
            a="Zoë's %s", b=7, c=1.5, d=None, e=True,
        ),
    ]  # fmt: skip
    assert run_in_other_process("there", file, made) == 1
    with closing(sqlite3.connect(file)) as found:
        assert found.execute("SELECT * FROM found").fetchall() == [("Zoë's %s", 7, 1.5, None, 1)]
