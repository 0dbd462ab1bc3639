"""Each staged row says what became of it."""

import pytest

from staging.tables.rows import retry_rows
from tests.staging.batches.bench import define, run_batch, stage, staged, text

pytestmark = pytest.mark.django_db


def test_every_row_has_its_outcome_and_a_row_sent_back_has_none() -> None:
    entity = define("thing", text("x", max_length=3))
    stage(entity, {"code": "a", "x": "1"}, {"code": "b", "x": "1"})
    run_batch(entity)
    stage(entity, {"code": "a", "x": "2"}, {"code": "b"}, {"code": "c"}, {"code": "c"}, {"code": "d", "x": "long"})
    run_batch(entity)

    outcomes = [row["import_outcome"] for row in staged(entity)]
    assert outcomes == ["inserted", "inserted", "updated", "unchanged", "inserted", "superseded", "rejected"]

    assert retry_rows(entity) == 1
    assert staged(entity)[6]["import_outcome"] is None
