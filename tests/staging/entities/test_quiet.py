"""A batch and a change of attributes never meet: whoever is second waits, or is told."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from threading import Event

import pytest
from django.db import connection, transaction

from staging.batches.record import open_batch
from staging.entities.quiet import quiet
from staging.errors import TablesInUse
from staging.models import Batch, Entity

NOW = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.fixture
def thing(transactional_db: None) -> Iterator[Entity]:
    """An entity without tables."""
    yield Entity.objects.create(code="thing", name="Thing")


@pytest.mark.postgresql
def test_a_batch_is_opened_only_after_the_change_is_stored(thing: Entity):
    is_quiet, order = Event(), list[str]()

    def opens() -> None:
        is_quiet.wait(5)
        try:
            open_batch(thing, now=NOW)
            order.append("batch")
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            quiet(thing)
            waiting = pool.submit(opens)
            is_quiet.set()
            assert not _ends_within(waiting, 0.5)
            order.append("change")
        waiting.result(5)
    assert order == ["change", "batch"]


def _ends_within(future, seconds: float) -> bool:
    try:
        future.result(seconds)
    except TimeoutError:
        return False
    return True


@pytest.mark.parametrize(("status", "refused"), [("pending", True), ("running", True), ("held", False)])
def test_a_batch_under_way_refuses_the_change_and_a_held_one_does_not(thing: Entity, status: str, refused: bool):
    Batch.objects.create(entity=thing, status=status, created_at=NOW)
    with transaction.atomic():
        if refused:
            with pytest.raises(TablesInUse, match="under way"):
                quiet(thing)
        else:
            quiet(thing)
