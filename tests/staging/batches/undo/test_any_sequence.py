"""Whatever batches did: the undo of the last gives the state before it, the undo of the undo the state after it."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from staging.batches.undo.undo import foresee
from staging.models import Batch, Entity
from tests.depth import examples
from tests.staging.batches.bench import NOW, define, execute, reference, run_batch, stage, text
from tests.staging.batches.undo.test_undo import state, undo

pytestmark = pytest.mark.django_db

CODES = ("a", "b", "c", "d")
ROW = st.fixed_dictionaries(
    {"code": st.sampled_from(CODES)},
    optional={
        "name": st.sampled_from(["N", "M", "~NULL~"]),
        "kind": st.sampled_from(["x", "y", "~NULL~"]),
        "mail": st.sampled_from(["1", "2", "3", "~NULL~"]),
        "parent": st.sampled_from([*CODES, "~NULL~"]),
        "new_code": st.sampled_from([*CODES, "e"]),
        "import_action": st.sampled_from([0, 0, 0, 1, 2, 3, 4, 5, 6]),
    },
)
ROWS = st.one_of(
    st.lists(ROW, min_size=2, max_size=4, unique_by=lambda row: row["code"]), st.lists(ROW, min_size=1, max_size=5)
)
# Mostly there are members already, so that batches pass unique values on and take away who is referred to.
MEMBERS = ("item", [{"code": "a", "mail": "1"}, {"code": "b", "mail": "2", "parent": "a"}, {"code": "c", "mail": "3"}])
BATCHES = st.builds(
    lambda first, others: [*first, *others],
    st.sampled_from([[MEMBERS], [MEMBERS], []]),
    st.lists(st.tuples(st.sampled_from(["item", "owner"]), ROWS), min_size=1, max_size=5),
)


@pytest.fixture
def entities() -> dict[str, Entity]:
    item = define("item", text("kind"), text("mail", unique=True), reference("parent", "item"), keep_history=True)
    own = [text("kind"), text("mail"), reference("parent", "item")]
    return {"item": item, "owner": define("owner", *own, keep_history=True)}


@given(batches=BATCHES, size=st.sampled_from([1, 2, 100]))
@settings(max_examples=examples(16), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_undo_gives_the_state_before_and_its_undo_the_state_after(
    batches: list[tuple[str, list[dict[str, Any]]]], size: int, entities: dict[str, Entity], settings: Any
) -> None:
    settings.MERGE_CHUNK_ROWS = size
    _start_anew(entities)
    ran: list[tuple[dict[str, Any], Batch]] = []
    for code, rows in batches:
        before = _state(entities)
        stage(entities[code], *rows)
        ran.append((before, run_batch(entities[code], now=NOW)))
        assert ran[-1][1].status == "completed", ran[-1][1].error
    for before, batch in reversed(ran):
        after = _state(entities)
        assert foresee(batch, NOW).conflicts == []
        undone = _undo(batch)
        assert _state(entities) == before
        redone = _undo(undone)
        assert _state(entities) == after
        _undo(redone)
        assert _state(entities) == before


def _undo(batch: Batch) -> Batch:
    done = undo(batch)
    assert done.status == "completed", done.error
    return done


def _state(entities: dict[str, Entity]) -> dict[str, Any]:
    return {code: state(entity) for code, entity in entities.items()}


def _start_anew(entities: dict[str, Entity]) -> None:
    execute("UPDATE mdm_item SET parent = NULL")
    for code in ("owner", "item"):
        for prefix in ("stg", "mdm", "hst"):
            execute(f"DELETE FROM {prefix}_{code}")
