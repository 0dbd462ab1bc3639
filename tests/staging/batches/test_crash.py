"""A batch that is stopped anywhere leaves every row pending, processed or rejected; the next attempt does the rest."""

from collections.abc import Iterator

import pytest
from django.db import IntegrityError, OperationalError, connection

from staging.batches.context import NoFence
from staging.batches.pipeline import process
from staging.batches.record import cancel_batch, fail_batch, open_batch
from staging.batches.worktable import drop_leftovers
from staging.models import Batch, Entity
from staging.states import BatchStatus
from staging.tables.create import create_tables
from tests.staging.batches.bench import LATER, NOW, counts, define, execute, fetch, members, stage, staged, text

pytestmark = pytest.mark.django_db(transaction=True)

ROWS = (
    {"code": "a", "parent": "b", "kind": "1"},
    {"code": "b", "parent": "c", "kind": "1"},
    {"code": "c", "parent": "a", "kind": "1"},
    {"code": "old", "kind": "2"},
    {"code": "same", "kind": "1"},
    {"code": "bad", "kind": "long"},
    {"code": "child", "parent": "bad"},
    {"code": "twin", "kind": "1"},
    {"code": "twin", "kind": "1"},
    {"code": "self", "parent": "self", "kind": "1"},
    {"code": "below", "parent": "old", "kind": "1"},
)
EXPECTED = {"inserted": 6, "updated": 1, "unchanged": 1, "rejected": 2, "superseded": 1}


class Stopped(Exception):
    """Raised by a fence, as when the attempt was released or cancelled."""


class StopAt(NoFence):
    """A fence that lets a number of checks pass and stops at the next."""

    def __init__(self, passes: int):
        self.passes = passes
        self.seen: list[tuple[int, int | None]] = []

    def check(self, rows_done: int, rows_total: int | None) -> None:
        """Note what was asked; stop when the passes are used up."""
        if len(self.seen) == self.passes:
            raise Stopped
        self.seen.append((rows_done, rows_total))


class Meddle(NoFence):
    """A fence by which others change staged rows just after they were classified."""

    def __init__(self, statement: str):
        self.statement, self.checks = statement, 0

    def check(self, rows_done: int, rows_total: int | None) -> None:
        """The second check comes between classification and the first chunk."""
        self.checks += 1
        if self.checks == 2:
            execute(self.statement)


@pytest.fixture
def part() -> Iterator[Entity]:
    """Return an entity of which two members are stored; its tables are dropped afterwards."""
    entity = Entity.objects.create(code="part", name="Part")
    entity.attributes.create(name="parent", data_type="reference", reference=entity)
    entity.attributes.create(name="kind", data_type="text", max_length=3)
    create_tables(entity)
    stage(entity, {"code": "old", "kind": "1"}, {"code": "same", "kind": "1"})
    process(open_batch(entity, now=NOW), fence=NoFence(), now=NOW)
    execute("DELETE FROM stg_part")
    yield entity
    execute("DROP TABLE stg_part")
    execute("DROP TABLE mdm_part")


@pytest.mark.parametrize("rows", [1, 2, 4, 100])
def test_stopped_at_any_check_the_next_attempt_ends_with_the_right_totals(part: Entity, rows: int, settings) -> None:
    settings.MERGE_CHUNK_ROWS = rows
    for passes in range(100):
        execute("DELETE FROM stg_part")
        execute("UPDATE mdm_part SET parent = NULL")
        execute("DELETE FROM mdm_part WHERE code NOT IN ('old', 'same')")
        execute("UPDATE mdm_part SET kind = '1'")
        stage(part, *ROWS)
        batch = open_batch(part, now=NOW)
        fence = StopAt(passes)
        try:
            process(batch, fence=fence, now=NOW)
        except Stopped:
            _is_consistent(batch)
        else:
            assert passes > 2
            break
        _is_consistent(process(batch, fence=NoFence(), now=LATER))
        batch.refresh_from_db()
        assert (batch.status, counts(batch), batch.rows_total) == (BatchStatus.COMPLETED, EXPECTED, len(ROWS)), passes
        assert {code: row["parent"] for code, row in members(part).items() if row["parent"]} == {
            "a": "b",
            "b": "c",
            "c": "a",
            "self": "self",
            "below": "old",
        }
        assert all(row["is_active"] for row in members(part).values())


def test_progress_is_told_at_each_check(part: Entity, settings) -> None:
    settings.MERGE_CHUNK_ROWS = 3
    stage(part, *({"code": f"m{n}"} for n in range(7)))
    fence = StopAt(100)

    process(open_batch(part, now=NOW), fence=fence, now=NOW)

    assert fence.seen == [(0, None), (0, None), (0, 7), (3, 7), (6, 7), (7, 7)]


def test_a_chunk_that_cannot_be_written_fails_the_batch_and_earlier_chunks_stay(part: Entity, settings) -> None:
    settings.MERGE_CHUNK_ROWS = 2
    execute("CREATE UNIQUE INDEX theirs ON mdm_part (name)")
    stage(part, *({"code": f"m{n}", "name": "twice" if n in (3, 5) else None} for n in range(8)))
    batch = open_batch(part, now=NOW)

    with pytest.raises(IntegrityError):
        process(batch, fence=NoFence(), now=NOW)

    batch.refresh_from_db()
    assert (batch.status, counts(batch)) == (BatchStatus.FAILED, {"inserted": 4})
    assert batch.error
    assert [row["import_status"] for row in staged(part)] == [1] * 4 + [0] * 4
    assert all(table.startswith(batch.decisions) for table in _work_tables())
    assert not batch.decided_by  # the next batch judges the rest afresh, beside what is settled


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("DELETE FROM stg_part WHERE code = 'b'", {"inserted": 2}),
        ("UPDATE stg_part SET import_status = 2 WHERE code = 'b'", {"inserted": 2}),
        ("INSERT INTO stg_part (code) VALUES ('late')", {"inserted": 3}),
    ],
)
def test_rows_that_others_take_away_or_add_meanwhile_do_no_harm(
    part: Entity, statement: str, expected: dict[str, int], settings
) -> None:
    settings.MERGE_CHUNK_ROWS = 2
    stage(part, {"code": "a"}, {"code": "b"}, {"code": "c"})

    batch = process(open_batch(part, now=NOW), fence=Meddle(statement), now=NOW)

    assert (batch.status, counts(batch)) == (BatchStatus.COMPLETED, expected)
    assert "late" not in members(part)


def test_a_connection_lost_while_starting_afresh_leaves_the_batch_to_the_next_attempt(
    part: Entity, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage(part, {"code": "a"}, {"code": "b"})
    batch = open_batch(part, now=NOW)

    def lose(plan: object) -> None:
        raise OperationalError("connection lost")

    with monkeypatch.context() as patch, pytest.raises(OperationalError):
        patch.setattr("staging.batches.worktable.start_afresh", lose)
        process(batch, fence=Meddle("DELETE FROM stg_part WHERE code = 'b'"), now=NOW)

    batch = process(Batch.objects.get(pk=batch.pk), fence=NoFence(), now=LATER)
    assert (batch.status, counts(batch)) == (BatchStatus.COMPLETED, {"inserted": 1})
    assert _work_tables() == []


@pytest.mark.postgresql
def test_a_value_that_others_change_meanwhile_is_what_is_merged(part: Entity) -> None:
    stage(part, {"code": "a", "kind": "1"})

    process(open_batch(part, now=NOW), fence=Meddle("UPDATE stg_part SET kind = '2'"), now=NOW)

    assert members(part)["a"]["kind"] == "2"


def test_a_batch_that_has_ended_is_left_as_it_is(part: Entity) -> None:
    stage(part, {"code": "a"})
    for end, status in ((cancel_batch, "cancelled"), (lambda pk, now: fail_batch(pk, "gone", now), "failed")):
        batch = open_batch(part, now=NOW)
        assert end(batch.pk, NOW)
        assert process(batch, fence=NoFence(), now=NOW).status == status
        assert not end(batch.pk, NOW)
    assert staged(part)[0]["import_status"] == 0


@pytest.mark.postgresql
def test_work_tables_of_dead_batches_are_dropped_and_those_of_live_ones_stay(part: Entity) -> None:
    dead, live, own = (open_batch(part, now=NOW) for _ in range(3))
    fail_batch(dead.pk, "gone", NOW)
    for batch in (dead, live, own):
        execute(f"CREATE UNLOGGED TABLE work_batch_{batch.pk}_abc (x int)")

    drop_leftovers(own)

    assert _work_tables() == [f"work_batch_{live.pk}_abc"]
    execute(f"DROP TABLE work_batch_{live.pk}_abc")


def test_values_that_look_like_sql_are_only_values(part: Entity) -> None:
    entity = define("evil", text("x", choices=["a'b", "50%s", '"; DROP TABLE mdm_evil; --']))
    try:
        stage(
            entity, *({"code": f"{n}%s", "x": x} for n, x in enumerate(("a'b", "50%s", '"; DROP TABLE mdm_evil; --')))
        )
        assert counts(process(open_batch(entity, now=NOW), fence=NoFence(), now=NOW)) == {"inserted": 3}
    finally:
        execute("DROP TABLE stg_evil")
        execute("DROP TABLE mdm_evil")


def _is_consistent(batch: Batch) -> None:
    """Every row has a status, the counters agree with the marks, and what is marked processed is in production."""
    batch.refresh_from_db()
    rows = staged(batch.entity)
    marked = [row for row in rows if row["import_status"] != 0]
    assert batch.rows_done == len(marked)
    assert batch.rejected == sum(row["import_status"] == 2 for row in rows)
    found = members(batch.entity)
    for row in marked:
        if row["import_status"] == 1:
            member = found[row["code"]]
            assert (member["kind"], member["parent"]) == (row["kind"] or member["kind"], row["parent"])
            assert member["is_active"]


def _work_tables() -> list[str]:
    if connection.vendor == "sqlite":
        return [row[0] for row in fetch("SELECT name FROM sqlite_temp_master WHERE name LIKE 'work_batch%'")]
    return [row[0] for row in fetch("SELECT relname FROM pg_class WHERE relkind = 'r' AND relname LIKE 'work_batch%'")]
