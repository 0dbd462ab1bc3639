"""A step that runs for each item, with real workers: one of them is killed meanwhile, and each item is done once."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.acceptance.installation import Installation
from tests.acceptance.installation import embedded as installed_on_sqlite
from tests.acceptance.installation import production as installed_for_production
from tests.acceptance.test_one_minute import CELERY, CYCLE_WORKER, MANAGE, WORKER

# Each item takes a moment, so that a worker can be killed while it has one; on a busy machine that may come as late as
# the step behind them.
MODEL = """
version: 1
scripts:
  - name: Codes
    sql: "SELECT 'r1' AS code UNION ALL SELECT 'r2' UNION ALL SELECT 'r3' UNION ALL SELECT 'r4' ORDER BY 1"
  - name: Put
    parameters: {code: text}
    sql: >-
      INSERT INTO stg_region (code, name)
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000000)
      SELECT %(code)s, 'at ' || (SELECT count(*) FROM n)
plans:
  - name: Spread
    steps:
      - {script: Put, for_each_query: Codes, side_by_side: 2, arguments: {code: "{{item}}"}, attempts: 3,
         retry_interval_seconds: 1}
      - {entity: region, step_index: 2, attempts: 3, retry_interval_seconds: 1}
"""
STEP = "script Put (code={{item}})"


@pytest.fixture(
    params=[
        pytest.param("embedded", marks=pytest.mark.embedded),
        pytest.param("production", marks=pytest.mark.services),
    ]
)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Installation, tuple[str, ...]]]:
    """Yield an installation with the plan, and the command of its worker."""
    installed = installed_for_production if request.param == "production" else installed_on_sqlite
    with installed(tmp_path, {}) as installation:
        installation.load(MODEL)
        installation.sql("UPDATE scheduling_schedulerconfiguration SET processing_mode = 'manual'")
        if request.param == "production":
            installation.start(*CYCLE_WORKER)
            installation.start(*CELERY, "beat", "--schedule", str(installation.folder / "beat"))
        yield installation, WORKER if request.param == "production" else (MANAGE, "run_local")


def test_each_item_is_done_once_though_a_worker_was_killed(place: tuple[Installation, tuple[str, ...]]) -> None:
    installation, command = place
    worker = installation.start(*command)
    run = installation.command("run_plan", "Spread")["run"]
    items = "FROM scheduling_task WHERE mapped_by_id IS NOT NULL"
    began = f"SELECT count(*) {items} AND started_at IS NOT NULL"
    installation.wait_until(lambda: installation.number(began) > 0, "an item began")
    installation.kill(worker)
    assert installation.number(f"SELECT count(*) {items}") == 4
    installation.start(*command)
    done = lambda: installation.command("show_run", str(run))["status"] == "completed"  # noqa: E731
    installation.wait_until(done, "the run has ended")

    told = {task["task"]: task for task in installation.command("show_run", str(run))["tasks"]}
    assert told[STEP]["items"] == {"total": 4, "completed": 4}
    assert sorted(installation.sql("SELECT code FROM stg_region")) == [("r1",), ("r2",), ("r3",), ("r4",)]
    assert installation.number("SELECT count(*) FROM mdm_region") == 4
