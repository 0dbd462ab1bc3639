"""Random whole batches: rows of one batch that need, refuse, rename, remove and repeat one another."""

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.depth import DEEP, examples
from tests.staging.batches.bench import execute
from tests.staging.specification.pinned import PINNED
from tests.staging.specification.random_worlds import Scene, kinds, rows, rules, scenes
from tests.staging.specification.stand import build, compare, define, empty, fill
from tests.staging.specification.world import World

# Each batch makes tables, and PostgreSQL keeps a lock for each until a transaction ends: a deep check would run out.
pytestmark = pytest.mark.django_db(transaction=DEEP)

# Scenes are shown as they are: making one smaller takes minutes.
often = settings(
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
    report_multiple_bugs=False,
    max_examples=examples(20),
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
CHUNKS = st.sampled_from([1, 3, 1000])
ACTIONS = st.sampled_from([None, None, None, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7])


@pytest.fixture
def tables() -> None:
    """Create the tables once; each example brings its own definitions and rows."""
    build(World(kinds(), {}))


PLAIN = st.just(kinds()["part"])


@often
@given(scenes(PLAIN, rows(st.none(), renames=False)), CHUNKS)
def test_deliveries_that_only_insert_and_update(tables: None, scene: Scene, chunk: int) -> None:
    _play(scene, chunk)


@often
@given(scenes(rules(), rows(st.sampled_from([None, 0, 0, 1, 2]), renames=False)), CHUNKS)
def test_any_modes_and_fields_that_are_skipped(tables: None, scene: Scene, chunk: int) -> None:
    _play(scene, chunk)


@often
@given(scenes(PLAIN, rows(st.sampled_from([0, 0, 3, 4, 5, 6]), renames=False)), CHUNKS)
def test_members_that_are_taken_away(tables: None, scene: Scene, chunk: int) -> None:
    _play(scene, chunk)


@often
@given(scenes(PLAIN, rows(st.sampled_from([0, 0, 2]), renames=True)), CHUNKS)
def test_members_that_get_new_codes(tables: None, scene: Scene, chunk: int) -> None:
    _play(scene, chunk)


@often
@given(scenes(rules(), rows(ACTIONS, renames=True)), CHUNKS)
def test_everything_together(tables: None, scene: Scene, chunk: int) -> None:
    _play(scene, chunk)


@pytest.mark.parametrize("chunk", [1, 3, 1000])
@pytest.mark.parametrize("about", PINNED)
def test_scenes_that_once_told_them_apart(tables: None, about: str, chunk: int) -> None:
    _play(PINNED[about](), chunk)


def _play(scene: Scene, chunk: int) -> None:
    world = scene.world
    empty(world)
    for kind in world.kinds.values():
        define(kind)
    fill(world)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("django.conf.settings.MERGE_CHUNK_ROWS", chunk)
        for delivery in scene.deliveries:
            execute("DELETE FROM stg_part")
            compare(world, "part", delivery)
