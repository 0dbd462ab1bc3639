"""What a batch says of itself when it has ended."""

import time
from datetime import timedelta

import pytest

from staging.batches.context import NoFence
from staging.states import BatchStatus
from tests.staging.batches.bench import NOW, define, run_batch, stage, text

pytestmark = pytest.mark.django_db


class SlowFence(NoFence):
    """Takes 30 ms each time it is asked."""

    def check(self, rows_done: int, rows_total: int | None) -> None:
        """Let the batch go on, after a while."""
        time.sleep(0.03)


def test_a_batch_knows_how_long_it_took() -> None:
    entity = define("thing", text("x"))
    stage(entity, {"code": "a", "x": "1"})

    batch = run_batch(entity, fence=SlowFence())

    assert batch.status == BatchStatus.COMPLETED
    assert batch.duration_ms >= 60
    assert batch.started_at == NOW and batch.finished_at >= NOW + timedelta(milliseconds=60)
