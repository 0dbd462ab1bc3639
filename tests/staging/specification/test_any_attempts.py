"""The end state of a delivery does not depend on where attempts ended, how many there were, or the size of a chunk."""

from collections.abc import Callable
from datetime import datetime

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from staging.batches.context import NoFence
from staging.batches.pipeline import process
from staging.batches.record import cancel_batch, fail_batch, open_batch
from staging.models import Batch, Entity
from tests.depth import DEEP, examples
from tests.staging.batches.bench import LATER, NOW, execute
from tests.staging.batches.test_crash import StopAt, Stopped
from tests.staging.specification.pinned import a_rejected_row_names_a_member_that_goes
from tests.staging.specification.random_worlds import Scene, kinds, rows, rules, scenes
from tests.staging.specification.stand import assert_agreement, build, define, empty, fill, stage
from tests.staging.specification.test_whole_batches import ACTIONS, often
from tests.staging.specification.world import World

# As in test_whole_batches.py.
pytestmark = pytest.mark.django_db(transaction=DEEP)

# What follows an attempt that stopped: the same batch goes on, or another one begins after a person or a crash.
ENDS: dict[str, Callable[[Batch, datetime], object] | None] = {
    "goes on": None,
    "cancelled": lambda batch, now: cancel_batch(batch.pk, now),
    "lost": lambda batch, now: fail_batch(batch.pk, "The worker died.", now),
}
STOPS = st.lists(st.tuples(st.integers(2, 9), st.sampled_from(sorted(ENDS))), min_size=1, max_size=3)


@pytest.fixture
def tables() -> None:
    """Create the tables once; each example brings its own definitions and rows."""
    build(World(kinds(), {}))


@settings(often, max_examples=examples(15))
@given(scenes(rules(), rows(ACTIONS, renames=True)), st.integers(1, 7), STOPS)
@example(a_rejected_row_names_a_member_that_goes(), 6, [(9, "cancelled"), (8, "lost")])
def test_the_outcome_of_any_delivery_does_not_depend_on_its_attempts(
    tables: None, scene: Scene, chunk: int, stops: list[tuple[int, str]]
) -> None:
    world = scene.world
    empty(world)
    for kind in world.kinds.values():
        define(kind)
    fill(world)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("django.conf.settings.MERGE_CHUNK_ROWS", chunk)
        for delivery in scene.deliveries:
            execute("DELETE FROM stg_part")
            stage(world.kinds["part"], delivery)
            before, batch = _attempts(stops)
            assert_agreement(world, "part", delivery, batch, before)


def _attempts(stops: list[tuple[int, str]]) -> tuple[list[Batch], Batch]:
    """Process in attempts that stop; return the batches that ended too soon, and the one that came to its end."""
    before: list[Batch] = []
    batch = _opened()
    for passes, end in stops:
        try:
            return before, process(batch, fence=StopAt(passes), now=NOW)
        except Stopped:
            if finish := ENDS[end]:
                finish(batch, NOW)
                before.append(Batch.objects.get(pk=batch.pk))
                batch = _opened()
    return before, process(Batch.objects.get(pk=batch.pk), fence=NoFence(), now=LATER)


def _opened() -> Batch:
    return open_batch(Entity.objects.get(code="part"), now=NOW)
