"""What engine tests share: an entity with real tables, rows deposited as an ETL tool would, one minute of work."""

import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from types import ModuleType
from typing import Any

import pytest
from django.db import connection

from scheduling.models import SchedulerConfiguration
from scheduling.queues import claim_next
from scheduling.runs.execute import run_attempt
from staging.entities.save import save_entity
from staging.identifiers import history_table, production_table, quote, staging_table
from staging.models import Attribute, Entity
from staging.states import DataType
from tests.scheduling.jobs.declaring import Shop

NOW = datetime(2026, 3, 2, 6, 0, tzinfo=UTC)


@pytest.fixture
def now() -> datetime:
    """A quiet Monday morning."""
    return NOW


@pytest.fixture
def make_entity(db: None) -> Iterator[Callable[..., SchedulerConfiguration]]:
    """Return a factory: an entity `code` with one whole number, its tables, and its configuration with `fields`."""
    made: list[Entity] = []

    def make(code: str = "branch", **fields: Any) -> SchedulerConfiguration:
        entity = Entity(code=code, name=code.capitalize())
        save_entity(entity, [Attribute(name="staff", data_type=DataType.INTEGER)])
        made.append(entity)
        configuration = SchedulerConfiguration.objects.select_related("entity").get(entity=entity)
        for name, value in fields.items():
            setattr(configuration, name, value)
        configuration.save()
        return configuration

    yield make
    if connection.in_atomic_block and connection.needs_rollback:
        return
    with connection.cursor() as cursor:
        for entity in reversed(made):
            for table in (staging_table(entity.code), production_table(entity.code), history_table(entity.code)):
                cursor.execute(f"DROP TABLE IF EXISTS {quote(table)}")


@pytest.fixture
def make_job(db: None, monkeypatch: pytest.MonkeyPatch) -> Shop:
    """Return a factory: a stored job with these decorators whose worker calls `body(context)`."""
    for name in ("shop", "shop.jobs"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    return Shop(NOW)


@pytest.fixture
def deposit() -> Callable[..., None]:
    """Return a function that inserts staged rows by plain SQL."""

    def insert(
        code: str = "branch",
        rows: int = 1,
        at: datetime = NOW - timedelta(minutes=1),
        staff: str = "5",
        prefix: str = "b",
    ) -> None:
        with connection.cursor() as cursor:
            for number in range(rows):
                cursor.execute(
                    f"INSERT INTO {quote(staging_table(code))} (code, name, staff, created_at) VALUES (%s, %s, %s, %s)",
                    [f"{prefix}{number}", f"Branch {number}", staff, connection.ops.adapt_datetimefield_value(at)],
                )

    return insert


@pytest.fixture
def staged() -> Callable[[str], dict[int, int]]:
    """Return a function that counts staged rows by import status."""

    def count(code: str = "branch") -> dict[int, int]:
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT import_status, count(*) FROM {quote(staging_table(code))} GROUP BY 1")
            return dict(cursor.fetchall())

    return count


def work_off(now: datetime, worker: str = "test") -> int:
    """Claim and execute every queued task in this thread; return how many."""
    done = 0
    while attempt := claim_next(worker=worker, now=now):
        run_attempt(attempt, time=lambda: now)
        done += 1
    return done
