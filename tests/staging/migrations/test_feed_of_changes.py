"""Histories made by an earlier version get the columns of the feed, and their feed begins with who is there."""

from importlib import import_module
from types import SimpleNamespace

import pytest
from django.apps import apps
from django.db import connection

from staging.models import ChangeFeed, Entity
from staging.tables.alter import sync_tables
from staging.tables.columns import table_problems
from tests.staging.batches.bench import define, execute, fetch, run_batch, stage, text
from tests.staging.members.following import Follower

pytestmark = pytest.mark.django_db


@pytest.fixture
def old() -> Entity:
    """An entity as an earlier version left it: a filled history without the columns, no feed."""
    entity = define("old", text("kind"), keep_history=True)
    stage(entity, {"code": "a", "kind": "x"}, {"code": "b"})
    run_batch(entity)
    stage(entity, {"code": "a", "kind": "y"}, {"code": "b", "import_action": 4})
    run_batch(entity)
    for column in ("change_set_id", "new_code"):
        execute(f"ALTER TABLE hst_old DROP COLUMN {column}")
    entity.change_sets.all().delete()
    ChangeFeed.objects.all().delete()
    return entity


def _migrate() -> None:
    editor = SimpleNamespace(connection=connection)
    import_module("staging.migrations.0011_feed_of_changes").feed_from_existing_histories(apps, editor)


def test_a_filled_history_gets_its_columns_and_its_feed(old: Entity) -> None:
    stopped = define("stopped", keep_history=True)
    Entity.objects.filter(pk=stopped.pk).update(keep_history=False)
    ChangeFeed.objects.all().delete()
    define("plain")
    for _ in range(2):
        _migrate()
    assert table_problems(old) == []
    assert fetch("SELECT count(*), count(change_set_id) FROM hst_old") == [(4, 0)]
    feeds = {feed.entity.code: (feed.is_kept, feed.is_whole, feed.since is None) for feed in ChangeFeed.objects.all()}
    assert feeds == {"old": (True, False, False), "stopped": (False, True, True)}


def test_who_follows_from_the_start_has_what_is_there_and_what_comes(old: Entity) -> None:
    _migrate()
    mine = Follower(old, 1).catch_up()
    mine.assert_holds_production()
    stage(old, {"code": "a", "import_action": 4}, {"code": "c"})
    run_batch(old)
    mine.catch_up().assert_holds_production()
    assert mine.told == [("inserted", "a"), ("deleted", "a"), ("inserted", "c")]
    Follower(old).catch_up().assert_holds_production()


def test_a_history_that_is_switched_on_again_has_a_feed_from_then_on(old: Entity) -> None:
    Entity.objects.filter(pk=old.pk).update(keep_history=False)
    _migrate()
    old.keep_history = True
    old.save()
    sync_tables(old)
    Follower(old).catch_up().assert_holds_production()
