"""What tests of faults share: a second connection of somebody else, and limits that are short."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection

from scheduling.dispatch.cycle import run_cycle
from scheduling.models import SchedulerConfiguration
from staging.models import Batch
from tests.scheduling.conftest import NOW, work_off
from tests.staging.api.conftest import api, person

__all__ = ["api", "person"]

TRIGGERED = {"processing_mode": "triggered", "trigger_row_threshold": 1}


@contextmanager
def somebody_else() -> Iterator[Any]:
    """Yield a cursor over a connection of somebody else."""
    other = connection.copy()
    try:
        with other.cursor() as cursor:
            yield cursor
    finally:
        other.close()


def sql(statement: str, *parameters: Any) -> Any:
    """Return the rows of a statement."""
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters or None)
        return cursor.fetchall() if cursor.description else []


def works(code: str) -> bool:
    """Return whether a cycle fires this entity and its batch is completed."""
    fired = run_cycle(NOW + timedelta(minutes=1)).fired
    work_off(NOW + timedelta(minutes=1))
    return code in fired and Batch.objects.filter(entity__code=code, status="completed").exists()


@pytest.fixture
def two(make_entity: Callable[..., SchedulerConfiguration], deposit: Callable[..., None]) -> None:
    """Two entities with a row each: `branch` is the one that something befalls, `other` its neighbour."""
    for code in ("branch", "other"):
        make_entity(code, **TRIGGERED)
        deposit(code)


@pytest.fixture
def impatient() -> Iterator[None]:
    """Let this connection wait for no lock longer than a fifth of a second."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SET lock_timeout = '200ms'")
        else:
            cursor.execute("PRAGMA busy_timeout = 200")
    yield
    connection.close()
