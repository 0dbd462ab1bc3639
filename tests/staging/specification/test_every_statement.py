"""A batch that dies before any of its statements ends like one that never died, whoever takes it up again.

The same batch goes on, or another one begins after the first was given up, or cancelled by a person.
"""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import suppress
from time import sleep
from typing import Any

import pytest
from django.db import OperationalError, connection

from staging.batches.context import NoFence
from staging.batches.pipeline import process
from staging.batches.record import cancel_batch, fail_batch, open_batch
from staging.models import Batch, Entity
from staging.sql.dialect import dialect
from staging.tables.alter import drop_tables
from tests.depth import some
from tests.staging.batches.bench import LATER, NOW, fetch
from tests.staging.specification.random_worlds import kinds, part_rules
from tests.staging.specification.stand import assert_agreement, build, empty, fill, stage
from tests.staging.specification.world import Kind, Member, World

pytestmark = pytest.mark.django_db(transaction=True)

PART = Kind("part", part_rules(n={"skips": True}, sort={"mode": "fill_when_empty"}))
ROWS: list[dict[str, Any]] = [
    {"code": "old", "sort": "new", "mail": "m9", "spare": "same"},
    {"code": "same", "sort": "k"},
    {"code": "asleep", "n": "5"},
    {"code": "x", "parent": "y", "spare": "x"},
    {"code": "y", "parent": "z", "twin": "x"},
    {"code": "z", "parent": "x", "place": "here"},
    {"code": "bad", "sort": "long"},
    {"code": "child", "parent": "bad"},
    {"code": "grandchild", "spare": "child"},
    {"code": "copy", "n": "1"},
    {"code": "copy", "n": " 01"},
    {"code": "rival", "mail": "m1"},
    {"code": "unlike", "n": "1"},
    {"code": "unlike", "n": "2"},
    {"code": "below", "parent": "old", "place": "there"},
    {"code": None, "n": "x"},
    {"code": "warned", "n": "x"},
    # Each of these could look different when the batch is taken up after half of it is done.
    {"code": "needed", "import_action": 4},
    {"code": "goes", "import_action": 4},
    {"code": "shut", "import_action": 3},
    {"code": "freed", "import_action": 6},
    {"code": "moot", "import_action": 5},
    {"code": "heir", "mail": "m3"},
    {"code": "orphan", "parent": "goes"},
    {"code": "left", "new_code": "right", "n": "7"},
    {"code": "right", "new_code": "left", "parent": "left"},
    {"code": "one", "new_code": "two"},
    {"code": "two", "new_code": "three", "spare": "one"},
    {"code": "late", "new_code": "goes"},
    {"code": "reader", "parent": "right", "spare": "three", "twin": "left"},
    {"code": "once", "import_action": 1},
    {"code": "old news", "import_action": 2},
]


# What becomes of a batch that died, by turns: nothing, so that it goes on itself, or its end, so that another begins.
ENDS: tuple[Callable[[Batch], object] | None, ...] = (
    None,
    lambda batch: fail_batch(batch.pk, "The worker died.", NOW),
    lambda batch: cancel_batch(batch.pk, NOW),
)


class Died(BaseException):
    """What a killed process does not get to see."""


class Stop:
    """Lets a number of statements pass. Then every one fails, as in a process that is dead, or only the next."""

    def __init__(self, passes: int, error: BaseException, *, once: bool = False):
        self.left, self.error, self.once = passes, error, once

    def __call__(self, execute: Any, *statement: Any) -> Any:
        """Run or refuse a statement."""
        self.left -= 1
        if self.left == -1 or (self.left < 0 and not self.once):
            raise self.error
        return execute(*statement)


@pytest.fixture
def tables() -> Iterator[None]:
    """Create the tables of the parts and what belongs to them; drop them afterwards."""
    build(World(kinds(PART), {}))
    yield
    empty(World(kinds(), {}))
    for code in ("use", "part", "place"):
        drop_tables(Entity.objects.get(code=code))


def test_stopped_before_any_statement_the_next_attempt_does_the_rest(tables: None, settings: Any) -> None:
    """By turns the process is dead, or the database gives up this one statement."""
    settings.MERGE_CHUNK_ROWS = 1000
    for passes in some(range(len(_statements())), one_in=8):
        _stop_and_finish(passes, OperationalError("connection lost") if passes % 2 else Died())


def test_stopped_before_or_in_any_transaction_the_next_attempt_does_the_rest(tables: None, settings: Any) -> None:
    """What a dead process leaves behind depends on its last commit only."""
    settings.MERGE_CHUNK_ROWS = 4
    inside = _statements()
    edges = [n for n in range(1, len(inside)) if inside[n] != inside[n - 1]]
    assert len(edges) > 30
    for passes in some(edges, one_in=4):
        _stop_and_finish(passes, Died())


@pytest.mark.parametrize("part", some(range(6), one_in=2))
def test_dead_beside_another_connection_that_goes_on_the_next_attempt_does_the_rest(
    tables: None, settings: Any, monkeypatch: pytest.MonkeyPatch, part: int
) -> None:
    settings.MERGE_CHUNK_ROWS, settings.BATCH_LANES = 4, 2
    monkeypatch.setattr(type(dialect()), "worth_connections", 2)

    _stop_and_finish(len(_statements()) * (2 * part + 1) // 12, Died())


def _stop_and_finish(passes: int, error: BaseException) -> None:
    batch = _staged_batch()
    # A work table that cannot be dropped is a leftover for later, so an error there is none of the batch.
    once = not isinstance(error, Died)
    with suppress(type(error)), connection.execute_wrapper(Stop(passes, error, once=once)):
        process(batch, fence=NoFence(), now=NOW)
    _finish_and_compare(batch, passes)


@pytest.mark.parametrize("part", some(range(8), one_in=4))
def test_killed_in_earnest_the_next_attempt_does_the_rest(tables: None, settings: Any, part: int) -> None:
    settings.MERGE_CHUNK_ROWS = 4
    passes = len(_statements()) * (2 * part + 1) // 16
    batch = _staged_batch()
    connection.close()
    if child := os.fork():
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
    else:
        _process_until_killed(batch, passes)
    _wait_until_the_server_knows()
    _finish_and_compare(batch, passes)


def _wait_until_the_server_knows() -> None:
    """Wait until the server has rolled back what the killed process left open; it does so some time after."""
    others = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    for _ in range(3000):
        if connection.vendor == "sqlite" or not fetch(f"{others} AND xact_start IS NOT NULL"):
            return
        sleep(0.01)
    raise AssertionError("a killed process still holds a transaction")


def _process_until_killed(batch: Batch, passes: int) -> None:
    """Process in a child, which is killed before a statement; it never returns."""

    def kill(*_: Any) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    try:
        with connection.execute_wrapper(_Calls(passes, kill)):
            process(batch, fence=NoFence(), now=NOW)
    finally:
        os._exit(1)


class _Calls(Stop):
    def __init__(self, passes: int, act: Any):
        super().__init__(passes, Died())
        self.act = act

    def __call__(self, execute: Any, *statement: Any) -> Any:
        if self.left == 0:
            self.act()
        return super().__call__(execute, *statement)


def _statements() -> list[bool]:
    """Return for each statement of the whole batch whether it runs in a transaction; the batch does what it should."""
    batch, inside = _staged_batch(), []

    def note(execute: Any, *statement: Any) -> Any:
        inside.append(connection.in_atomic_block and not _begins())
        return execute(*statement)

    with connection.execute_wrapper(note):
        process(batch, fence=NoFence(), now=NOW)
    _finish_and_compare(batch, -1)
    return inside


def _begins() -> bool:
    """Return whether the statement that comes opens a transaction; SQLite says BEGIN, PostgreSQL's driver by itself."""
    return connection.vendor == "postgresql" and connection.connection.info.transaction_status == 0


def _finish_and_compare(batch: Batch, passes: int) -> None:
    connection.close()
    was_over = Batch.objects.get(pk=batch.pk).status == "completed"
    before: list[Batch] = []
    if not was_over and (end := ENDS[passes % len(ENDS)]) is not None:
        assert end(batch)
        before.append(Batch.objects.get(pk=batch.pk))
        batch = open_batch(batch.entity, now=NOW)
    batch = process(Batch.objects.get(pk=batch.pk), fence=NoFence(), now=LATER)
    try:
        assert_agreement(_world(), "part", ROWS, batch, before)
    except AssertionError as error:
        error.add_note(f"stopped after {passes} statements")
        raise
    # When only its cleaning up failed, the next batch does it.
    assert was_over or _work_tables() == []


def _staged_batch() -> Batch:
    world = _world()
    empty(world)
    fill(world)
    stage(world.kinds["part"], ROWS)
    return open_batch(Entity.objects.get(code="part"), now=NOW)


def _world() -> World:
    """Return the members there are before."""
    here, there, closed = Member("here"), Member("there"), Member("closed", False)
    named = ("same", "needed", "goes", "shut", "freed", "moot", "left", "right", "one", "two", "late")
    parts = {code: Member(code) for code in named}
    parts["old"] = Member("old", True, {"sort": "k", "mail": "m1", "spare": parts["needed"], "place": here})
    parts["asleep"] = Member("asleep", False, {"mail": "m2", "spare": parts["same"], "place": closed})
    parts["same"].values = {"sort": "k", "parent": parts["freed"]}
    parts["goes"].values = {"mail": "m3", "parent": parts["goes"]}
    parts["two"].values = {"place": there, "twin": parts["two"]}
    uses = [
        Member("u1", True, {"part": parts["freed"], "main": parts["same"]}),
        Member("u2", True, {"part": parts["moot"]}),
    ]
    members = {"place": [here, there, closed], "part": list(parts.values()), "use": uses}
    return World(kinds(PART), members)


def _work_tables() -> list[str]:
    if connection.vendor == "sqlite":
        return [row[0] for row in fetch("SELECT name FROM sqlite_temp_master WHERE name LIKE 'work_batch%'")]
    return [row[0] for row in fetch("SELECT relname FROM pg_class WHERE relkind = 'r' AND relname LIKE 'work_batch%'")]
