"""Whoever follows the feed has what production has, whatever commits beside each other and in which order."""

import random
from collections.abc import Callable, Iterator
from threading import Event, Thread
from time import sleep

import pytest
from django.db import OperationalError, connection, transaction

from staging.batches.context import change_set, kept_history, note_new_codes, number_change_sets
from staging.batches.merging.members import note_change
from staging.batches.record import open_batch
from staging.models import Batch, Entity
from staging.sql.compose import Sql, sql
from staging.sql.postgresql import PostgreSQL
from staging.states import HistoryAction
from tests.depth import some
from tests.staging.batches.bench import NOW, define, execute, fetch, reference, run_batch, stage, text
from tests.staging.members.following import Follower

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgresql]


@pytest.fixture
def region() -> Iterator[Entity]:
    region = define("region", text("kind"), keep_history=True)
    yield region
    for code in ("branch", "region"):
        for kind in ("hst", "stg", "mdm"):
            execute(f"DROP TABLE IF EXISTS {kind}_{code}")


def test_a_transaction_that_began_first_and_commits_last_is_not_skipped(region: Entity) -> None:
    stage(region, {"code": "slow", "kind": "0"}, {"code": "fast", "kind": "0"})
    run_batch(region)
    noted, go_on = Event(), Event()
    mine = Follower(region).catch_up()
    thread = Thread(target=_apart(lambda: _change(region, "slow", "1", noted, go_on)))
    thread.start()
    assert noted.wait(10)
    _change(region, "fast", "1")
    assert mine.catch_up().told[2:] == [("updated", "fast")]
    go_on.set()
    thread.join(10)
    assert mine.catch_up().told[3:] == [("updated", "slow")]
    mine.assert_holds_production()
    rows = fetch("SELECT h.was_code, c.number FROM hst_region h JOIN staging_changeset c ON c.id = h.change_set_id")
    places = dict(rows[-2:])
    assert places["fast"] < places["slow"]  # the later commit has the higher number, though its rows came first
    assert Follower(region).catch_up().told[-2:] == [("updated", "fast"), ("updated", "slow")]


@pytest.mark.parametrize("seed", some(range(12), one_in=4))
def test_any_transactions_beside_each_other(region: Entity, seed: int) -> None:
    stage(region, *({"code": f"m{number}", "kind": "0"} for number in range(12)))
    batch = run_batch(region)
    followers = [Follower(region, limit) for limit in (1, 3, 1000)]
    for round_ in range(3):
        chance = [random.Random(f"{seed} {round_} {number}") for number in range(4)]
        threads = [Thread(target=_apart(lambda own=own: _changes(region, batch, own))) for own in chance]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            followers[1].catch_up()
        for thread in threads:
            thread.join()
        for follower in followers:
            follower.catch_up().assert_holds_production()


def test_batches_beside_those_of_another_entity(region: Entity, settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PostgreSQL, "worth_connections", 1)
    settings.MERGE_CHUNK_ROWS, settings.BATCH_LANES = 7, 3
    branch = define("branch", text("kind"), reference("region", "region"), keep_history=True)
    stage(region, *({"code": f"r{number}"} for number in range(20)))
    run_batch(region)
    mine, theirs = Follower(branch, 5), Follower(region, 5)
    regions = Thread(target=_apart(lambda: _batches_of_regions(region)))
    branches = Thread(target=_apart(lambda: _batches_of_branches(branch)))
    for thread in (regions, branches):
        thread.start()
    while regions.is_alive() or branches.is_alive():
        mine.catch_up()
        theirs.catch_up()
    for follower in (mine, theirs, Follower(branch), Follower(region, 2)):
        follower.catch_up().assert_holds_production()
    assert {"inserted", "updated", "deleted"} <= {word for word, _ in mine.told}


def _batches_of_regions(region: Entity) -> None:
    """Take regions away with the references to them, and bring them again."""
    for round_ in range(8):
        stage(region, *({"code": f"r{n}", "import_action": 6 if round_ % 2 == 0 else 0} for n in range(0, 20, 2)))
        run_batch(region)


def _batches_of_branches(branch: Entity) -> None:
    """Change branches, rename some, take some away."""
    chance = random.Random(7)
    for round_ in range(8):
        rows = [{"code": f"b{n}", "kind": f"{round_}", "region": f"r{chance.randrange(20)}"} for n in range(40)]
        if round_ % 2:
            rows = [{"code": f"b{n}", "new_code": f"b{(n + 1) % 40}"} for n in range(40)]
            rows[chance.randrange(40)] = {"code": "b0", "import_action": 4}  # its copy is rejected with it
        stage(branch, *rows)
        run_batch(branch)
        execute("DELETE FROM stg_branch")
    stage(branch, {"code": "b3", "import_action": 4}, {"code": "b4", "import_action": 4})
    run_batch(branch)


def _change(region: Entity, code: str, kind: str, noted: Event | None = None, go_on: Event | None = None) -> None:
    """Change one member as a batch does; wait before the end where that is asked."""
    batch = open_batch(region, now=NOW)
    with transaction.atomic():
        _update(region, batch, sql(" WHERE p.code = {code}", code=code), "kind = %s", [kind], code)
        if noted and go_on:
            noted.set()
            assert go_on.wait(10)
        number_change_sets()


def _update(region: Entity, batch: Batch, members: Sql, change: str, params: list, code: str) -> None:
    history = kept_history(region)
    assert history
    note_change(history, batch, NOW, HistoryAction.UPDATED, members)
    execute(f"UPDATE mdm_region SET {change}, updated_batch_id = %s WHERE code = %s", [*params, batch.pk, code])


def _changes(region: Entity, batch: Batch, chance: random.Random) -> None:
    """Make some transactions of random changes, one or two members each; members are locked first, as batches do."""
    history = kept_history(region)
    assert history
    for _ in range(8):
        try:
            with transaction.atomic():
                execute("SET LOCAL lock_timeout = '300ms'")
                _change_set(region)  # before any savepoint
                for _ in range(chance.randint(1, 2)):
                    _one(region, batch, chance)
                    sleep(chance.random() / 100)
                note_new_codes(region, history.table, history.production)
                number_change_sets()
                if chance.random() < 0.2:
                    transaction.set_rollback(True)
        except OperationalError:  # a deadlock of two of these, or a lock that took too long: it is rolled back
            continue


def _one(region: Entity, batch: Batch, chance: random.Random) -> None:
    history = kept_history(region)
    assert history
    code, new = (f"m{chance.randrange(12)}" for _ in range(2))
    locked = sql(" WHERE p.code = {code} FOR UPDATE OF p", code=code)
    kind = chance.choice(["insert", "rename", "update", "delete", "update"])
    if kind == "insert" or not fetch_one(code):
        execute(
            "WITH new AS (INSERT INTO mdm_region (code, kind) VALUES (%s, 'new') ON CONFLICT DO NOTHING RETURNING id)"
            " INSERT INTO hst_region (member_id, action, batch_id, changed_at, changed_by, change_set_id)"
            " SELECT id, 'inserted', %s, now(), 'x', %s FROM new",
            [code, batch.pk, _change_set(region)],
        )
    elif kind == "rename":
        if code != new and not fetch_one(new):
            try:
                with transaction.atomic():
                    _update(region, batch, locked, "code = %s", [new], code)
            except Exception as error:
                if "uq_mdm_region" not in str(error):  # somebody else took the code in this moment
                    raise
    elif kind == "update":
        _update(region, batch, locked, "kind = %s", [str(chance.random())], code)
    else:
        note_change(history, batch, NOW, HistoryAction.DELETED, locked)
        execute("DELETE FROM mdm_region WHERE code = %s", [code])


def fetch_one(code: str) -> bool:
    """Return whether there is a member with this code, as this transaction sees it."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM mdm_region WHERE code = %s", [code])
        return cursor.fetchone() is not None


def _change_set(region: Entity) -> int:
    history = kept_history(region)
    assert history
    return change_set(region, history.table)


def _apart(act: Callable[[], object]) -> Callable[[], None]:
    """Return what does something on a connection of its own."""

    def done() -> None:
        try:
            act()
        finally:
            connection.close()

    return done
