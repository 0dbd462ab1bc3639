"""An undo that is stopped anywhere goes on where it was, or a new one does; the end is the state before the batch."""

import pytest

from staging.batches.context import NoFence
from staging.batches.pipeline import process
from staging.batches.record import fail_batch, open_batch
from staging.models import Batch, Entity
from tests.staging.batches.bench import LATER, NOW, define, execute, reference, run_batch, stage, text
from tests.staging.batches.test_crash import StopAt, Stopped
from tests.staging.batches.undo.test_undo import state, undo

pytestmark = pytest.mark.django_db(transaction=True)

BEFORE = ({"code": "a", "kind": "1", "mail": "x"}, {"code": "b", "parent": "a"}, {"code": "same"}, {"code": "c"})
CHANGED = (
    {"code": "a", "kind": "2", "mail": "y"},
    {"code": "b", "parent": "n1"},
    {"code": "same"},
    {"code": "n1"},
    {"code": "n2", "mail": "z"},
    {"code": "c", "name": "C"},
)
CIRCLE = ({"code": "r1", "parent": "r2"}, {"code": "r2", "parent": "r1"})


@pytest.fixture
def gear():
    entity = define("gear", text("kind"), text("mail", unique=True), reference("parent", "gear"), keep_history=True)
    yield entity
    for prefix in ("stg", "hst", "mdm"):
        execute(f"DROP TABLE {prefix}_gear")


def _begin(entity: Entity, rows: tuple[dict[str, str], ...]) -> tuple[dict, Batch]:
    execute("UPDATE mdm_gear SET parent = NULL")
    for prefix in ("stg", "hst", "mdm"):
        execute(f"DELETE FROM {prefix}_gear")
    stage(entity, *BEFORE)
    run_batch(entity, now=NOW)
    before = state(entity)
    stage(entity, *rows)
    return before, run_batch(entity, now=NOW)


@pytest.mark.parametrize(
    ("rows", "size", "again"),
    [(CHANGED, 1, "the same"), (CHANGED, 2, "another"), ((*CHANGED, *CIRCLE), 2, "the same")],
    ids=["goes on", "another one does it", "all at once"],
)
def test_stopped_at_any_check_it_ends_with_the_state_before(gear, rows, size, again, settings) -> None:
    settings.MERGE_CHUNK_ROWS = size
    for passes in range(100):
        before, batch = _begin(gear, rows)
        own = open_batch(gear, undoes_id=batch.pk, now=LATER)
        fence = StopAt(passes)
        try:
            process(own, fence=fence, now=LATER)
        except Stopped:
            if again == "the same":
                done = process(own, fence=NoFence(), now=LATER)
            else:
                fail_batch(own.pk, "The worker died.", LATER)
                done = undo(batch)
            assert (done.status, done.error) == ("completed", "")
            assert state(gear) == before, passes
            continue
        assert state(gear) == before
        assert passes > 3
        return
    pytest.fail("The undo never came to its end.")
