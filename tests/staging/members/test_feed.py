"""The feed tells every change, deletions and renames included; who follows it has what production has."""

import pytest

from staging.batches.context import NoFence
from staging.batches.pipeline import process
from staging.batches.record import open_batch
from staging.batches.shown.explain import explain_batch
from staging.entities.operations import change_attribute
from staging.members.as_of import HistoryOff
from staging.members.cursor import BadCursor, FeedRestarted
from staging.members.feed import changes_after
from staging.models import Attribute, Batch, ChangeFeed, ChangeSet, Entity
from staging.tables.alter import sync_tables
from staging.tables.history import delete_history
from tests.staging.batches.bench import (
    LATER,
    NOW,
    define,
    execute,
    fetch,
    members,
    reference,
    run_batch,
    stage,
    text,
)
from tests.staging.members.following import Follower

pytestmark = pytest.mark.django_db


@pytest.fixture
def part() -> Entity:
    return define("part", text("kind"), reference("parent", "part"), keep_history=True)


@pytest.fixture(params=[1, 2, 1000], ids=lambda limit: f"pages of {limit}")
def follower(part: Entity, request: pytest.FixtureRequest) -> Follower:
    return Follower(part, request.param)


@pytest.fixture(params=[1, 1000], ids=lambda rows: f"{rows} rows a chunk")
def chunks(request: pytest.FixtureRequest, settings) -> int:
    settings.MERGE_CHUNK_ROWS = request.param
    return int(request.param)


def test_each_change_is_told_in_its_words(part: Entity, follower: Follower, chunks: int) -> None:
    stage(part, {"code": "a", "kind": "x"}, {"code": "b"})
    run_batch(part)
    stage(part, {"code": "a", "kind": "y"}, {"code": "b", "import_action": 3})
    run_batch(part)
    stage(part, {"code": "b", "import_action": 4}, {"code": "c", "parent": "a"})
    batch = run_batch(part, now=LATER)
    follower.catch_up().assert_holds_production()
    expected = ["inserted a", "inserted b", "updated a", "deactivated b", "deleted b", "inserted c"]
    assert sorted(" ".join(each) for each in follower.told) == sorted(expected)
    assert follower.told.index(("inserted", "b")) < follower.told.index(("deactivated", "b"))
    assert follower.told.index(("deactivated", "b")) < follower.told.index(("deleted", "b"))
    assert str(follower.held["c"]["parent"]) == "a"
    last = changes_after(part, "", 1000).changes[-1]
    assert (last.batch, last.at) == (batch.pk, LATER)


def test_a_deletion_carries_the_last_values_and_an_empty_page_a_cursor(part: Entity) -> None:
    empty = changes_after(part, "", 10)
    assert empty.changes == [] and str(empty.next)
    stage(part, {"code": "a", "name": "A", "kind": "x"})
    run_batch(part)
    stage(part, {"code": "a", "import_action": 4})
    run_batch(part)
    *_, last = changes_after(part, str(empty.next), 10).changes
    assert (last.change, last.code, last.values["kind"], last.values["name"]) == ("deleted", "a", "x", "A")
    assert last.values["id"]


def test_a_rename_is_told_under_both_codes(part: Entity, follower: Follower, chunks: int) -> None:
    stage(part, {"code": "a", "kind": "x"})
    run_batch(part)
    follower.catch_up()
    stage(part, {"code": "a", "new_code": "z"})
    run_batch(part)
    follower.told.clear()
    follower.catch_up().assert_holds_production()
    assert follower.told == [("deleted", "a"), ("inserted", "z")]


def test_codes_that_change_places_end_where_they_are(part: Entity, follower: Follower) -> None:
    stage(part, *({"code": code, "kind": code} for code in "abcd"))
    run_batch(part)
    stage(
        part,
        {"code": "a", "new_code": "b"},
        {"code": "b", "new_code": "c"},
        {"code": "c", "new_code": "a"},
        {"code": "d", "import_action": 4},
    )
    run_batch(part)
    follower.catch_up().assert_holds_production()
    assert {code: row["kind"] for code, row in follower.held.items()} == {"a": "c", "b": "a", "c": "b"}


def test_an_undo_is_followed_and_so_is_its_undo(part: Entity, follower: Follower, chunks: int) -> None:
    stage(part, {"code": "a", "kind": "x"}, {"code": "b", "parent": "a"}, {"code": "c"})
    run_batch(part)
    stage(
        part,
        {"code": "b", "import_action": 4},
        {"code": "a", "new_code": "b"},
        {"code": "c", "new_code": "a", "kind": "was c"},
        {"code": "new"},
    )
    done: list[Batch] = [run_batch(part)]
    for _ in range(2):
        follower.catch_up().assert_holds_production()
        undo = open_batch(part, undoes_id=done[-1].pk, now=LATER)
        done.append(process(undo, fence=NoFence(), now=LATER))
        assert done[-1].status == "completed", done[-1].error
    follower.catch_up().assert_holds_production()


def test_references_that_are_cleared_in_other_entities_are_told_there(follower: Follower) -> None:
    region = define("region", keep_history=True)
    branch = define("branch", reference("region", "region"), keep_history=True)
    stage(region, {"code": "NL"}, {"code": "BE"})
    run_batch(region)
    stage(branch, {"code": "b1", "region": "NL"}, {"code": "b2", "region": "BE"})
    run_batch(branch)
    mine = Follower(branch).catch_up()
    stage(region, {"code": "NL", "import_action": 6})
    batch = run_batch(region)
    mine.told.clear()
    mine.catch_up().assert_holds_production()
    assert mine.told == [("updated", "b1")]
    assert mine.held["b1"]["updated_batch_id"] == batch.pk
    Follower(region).catch_up().assert_holds_production()


def test_members_from_before_the_history_come_first(follower: Follower) -> None:
    old = define("old", text("kind"))
    stage(old, *({"code": code, "kind": "x"} for code in "abc"))
    run_batch(old)
    Entity.objects.filter(pk=old.pk).update(keep_history=True)
    old.refresh_from_db()
    sync_tables(old)
    stage(old, {"code": "d"}, {"code": "a", "kind": "y"})
    run_batch(old)
    mine = Follower(old, follower.limit).catch_up()
    mine.assert_holds_production()
    assert set(mine.told) >= {("inserted", code) for code in "abcd"}


def test_a_time_without_history_restarts_the_feed(part: Entity, follower: Follower) -> None:
    stage(part, {"code": "a", "kind": "x"})
    run_batch(part)
    follower.catch_up()
    _keep(part, False)
    with pytest.raises(HistoryOff):
        follower.catch_up()
    stage(part, {"code": "a", "kind": "unseen"})
    run_batch(part)
    _keep(part, True)
    with pytest.raises(FeedRestarted, match="Start again"):
        follower.catch_up()
    Follower(part, follower.limit).catch_up().assert_holds_production()


def test_changes_that_retention_took_restart_only_who_missed_them(part: Entity, settings) -> None:
    settings.MERGE_CHUNK_ROWS = 1
    stage(part, {"code": "a"}, {"code": "b"})
    run_batch(part)
    early = Follower(part, 1)
    early.cursor = str(changes_after(part, "", 1).next)
    up_to_date = Follower(part).catch_up()
    assert delete_history(part, LATER, 100) == 2
    with pytest.raises(FeedRestarted):
        early.catch_up()
    stage(part, {"code": "c"}, {"code": "a", "import_action": 4})
    run_batch(part, now=LATER)
    up_to_date.catch_up().assert_holds_production()
    assert up_to_date.told[-2:] in ([("inserted", "c"), ("deleted", "a")], [("deleted", "a"), ("inserted", "c")])
    Follower(part).catch_up().assert_holds_production()
    assert not ChangeSet.objects.filter(entity=part, last_row__lte=2).exists()


def test_an_attribute_that_is_renamed_restarts_the_feed_and_a_new_one_does_not(part: Entity) -> None:
    stage(part, {"code": "a", "kind": "x"})
    run_batch(part)
    mine = Follower(part).catch_up()
    Attribute.objects.create(entity=part, name="size", data_type="integer", position=9)
    sync_tables(part)
    stage(part, {"code": "b", "size": "3"})
    run_batch(part)
    mine.catch_up()
    assert mine.held["b"]["size"] == 3
    kind = part.attributes.get(name="kind")
    kind.name = "sort"
    change_attribute(kind)
    with pytest.raises(FeedRestarted, match="renamed"):
        mine.catch_up()
    again = Follower(part).catch_up()
    again.assert_holds_production()
    assert again.held["a"]["sort"] == "x"


def test_a_cursor_of_others_is_none_of_ours(part: Entity) -> None:
    other = define("other", keep_history=True)
    for text_ in ("x", "é", "[]", "e30", str(changes_after(other, "", 1).next), "A" * 5000, "W1tbW10"):
        with pytest.raises(BadCursor):
            changes_after(part, text_, 1)


def test_without_history_there_is_no_feed() -> None:
    with pytest.raises(HistoryOff, match="keeps no history"):
        changes_after(define("plain"), "", 1)


def test_every_change_set_is_numbered_without_holes(part: Entity, chunks: int) -> None:
    for round_ in range(3):
        stage(part, *({"code": f"{code}{round_}", "new_code": f"n{code}{round_}"} for code in "abc"))
        stage(part, {"code": "same", "kind": str(round_)})
        run_batch(part)
    numbers = list(ChangeSet.objects.filter(entity=part).order_by("id").values_list("number", flat=True))
    assert numbers == list(range(1, len(numbers) + 1))
    assert ChangeFeed.objects.get(entity=part).last_number == len(numbers)
    assert fetch("SELECT count(*) FROM hst_part WHERE change_set_id IS NULL") == [(0,)]


def test_a_rolled_back_transaction_is_in_no_feed(part: Entity) -> None:
    stage(part, {"code": "a"})
    explain_batch(part, analyze=True, now=NOW)
    assert not ChangeSet.objects.exists() and changes_after(part, "", 9).changes == []
    assert members(part) == {}
    execute("DELETE FROM stg_part")


def _keep(part: Entity, is_kept: bool) -> None:
    part.keep_history = is_kept
    part.save()
    sync_tables(part)
