"""Two who look for late references at once, and a steward who mends meanwhile: every row is set pending once."""

from collections.abc import Iterator
from threading import Barrier, Thread

import pytest
from django.db import connection

from staging.batches.late import bring_home
from staging.models import Batch, Entity
from staging.tables.rows import edit_row
from tests.staging.batches.bench import define, execute, reference, run_batch, stage, staged

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgresql]


@pytest.fixture
def entities() -> Iterator[tuple[Entity, Entity]]:
    region = define("region")
    branch = define("branch", reference("region", "region"))
    yield region, branch
    for code in ("branch", "region"):
        execute(f"DROP TABLE stg_{code}")
        execute(f"DROP TABLE mdm_{code}")


def test_each_row_comes_home_once_and_what_a_steward_wrote_stays(entities: tuple[Entity, Entity]) -> None:
    for round_ in range(5):
        _race(*entities, f"R{round_}")


def _race(region: Entity, branch: Entity, code: str) -> None:
    execute("DELETE FROM stg_branch")
    stage(branch, *({"code": f"B{n}", "region": code} for n in range(50)))
    run_batch(branch)
    _look()
    stage(region, {"code": code})
    batch = run_batch(region)
    row_id = staged(branch)[25]["id"]
    counts, edited, start = list[int](), list[bool](), Barrier(3)
    _together(
        lambda: counts.append(_after(start, _look)),
        lambda: counts.append(_after(start, _look)),
        lambda: edited.append(_after(start, lambda: edit_row(branch, row_id, {"region": "other"}))),
    )
    rows = staged(branch)
    assert {row["import_status"] for row in rows} == {0}
    assert sum(counts) == 50 - edited[0] == Batch.objects.get(pk=batch.pk).came_home
    assert [row["region"] for row in rows].count("other") == edited[0]


def _look() -> int:
    return bring_home(lambda came: None)[0]


def _after(start: Barrier, act):
    start.wait(timeout=10)
    return act()


def _together(*acts) -> None:
    """Run each in a thread, and so on a connection, of its own."""

    def apart(act) -> None:
        try:
            act()
        finally:
            connection.close()

    threads = [Thread(target=apart, args=(act,)) for act in acts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=30)
