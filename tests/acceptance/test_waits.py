"""Steps that wait, with real workers: rows land and the run goes on, also when a worker died while it looked."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from subprocess import Popen

import pytest

from tests.acceptance.installation import Installation
from tests.acceptance.installation import embedded as installed_on_sqlite
from tests.acceptance.installation import production as installed_for_production
from tests.acceptance.test_one_minute import CELERY, CYCLE_WORKER, MANAGE, WORKER

# A query that takes a second or more on either database, so that its worker can be killed while it looks.
MODEL = """
version: 1
scripts:
  - name: Landed
    sql: >-
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000000)
      SELECT (SELECT count(*) FROM n) > 0 AND EXISTS (SELECT 1 FROM stg_region)
plans:
  - name: Waiting
    steps:
      - {entity: region, wait_rows: 1, step_index: 1, timeout_seconds: 600}
      - {script: Landed, wait_query: true, step_index: 1}
      - {entity: region, step_index: 2}
"""
# Only lateness is watched; and the run is one that began a quarter of an hour ago.
_WATCH = """
import django; django.setup()
from scheduling.models import AlertRule
AlertRule.objects.all().delete()
AlertRule.objects.create(name="Late", condition="past_deadline")
"""
_BEGAN_EARLIER = """
import django, sys; django.setup()
from datetime import timedelta
from django.db.models import F
from scheduling.models import Run
Run.objects.filter(pk=sys.argv[1]).update(started_at=F("started_at") - timedelta(minutes=15))
"""
ROWS, QUERY = "wait for rows of region", "wait for script Landed"


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


def awaiting(installation: Installation) -> set[str]:
    """Return the steps that wait without a worker and without an attempt."""
    found = installation.sql(
        "SELECT key FROM scheduling_task t WHERE status = 'queued' AND waits_since IS NOT NULL AND attempts_made = 0 "
        "AND NOT EXISTS (SELECT 1 FROM scheduling_attempt a WHERE a.task_id = t.id)"
    )
    return {key for (key,) in found}


def look_now(installation: Installation, run: int, step: str) -> None:
    """Wait for no full minute; on a busy machine that came first, and the step refuses to look again."""
    with suppress(AssertionError):
        installation.manage("retry_task", f"{run}/{step}")


def kill_while_it_looks(installation: Installation, worker: Popen[bytes], command: tuple[str, ...], run: int) -> None:
    """Kill the worker while it asks the query; a worker that was faster is followed by another.

    Not at any look: at a full minute the other step looks for a moment, too.
    """
    looks = (
        "SELECT count(*) FROM scheduling_attempt a JOIN scheduling_task t ON t.id = a.task_id "
        f"WHERE t.key = '{QUERY}' AND a.outcome "
    )
    while True:
        look_now(installation, run, QUERY)
        installation.wait_until(lambda: installation.number(looks + "= 'running'") == 1, "it looks")
        installation.kill(worker)
        # On a busy machine it may have been given up before it is asked for here.
        if installation.number(looks + "IN ('running', 'lost')") == 1:
            return
        worker = installation.start(*command)


def test_rows_land_and_a_worker_was_killed_while_it_looked(place: tuple[Installation, tuple[str, ...]]) -> None:
    installation, command = place
    worker = installation.start(*command)
    run = installation.command("run_plan", "Waiting")["run"]
    installation.wait_until(lambda: awaiting(installation) == {ROWS, QUERY}, "both have looked, and hold no worker")
    told = {task["task"]: task for task in installation.command("show_run", str(run))["tasks"]}
    assert "looks_again_at" in told[ROWS] and told["region"]["status"] == "waiting"

    kill_while_it_looks(installation, worker, command, run)
    installation.sql("INSERT INTO stg_region (code, name) VALUES ('north', 'North')")
    installation.start(*command)
    lost = "SELECT count(*) FROM scheduling_attempt WHERE outcome = 'lost'"
    installation.wait_until(lambda: installation.number(lost) == 1, "the look was given up")
    for step in (QUERY, ROWS):
        look_now(installation, run, step)
    done = lambda: installation.command("show_run", str(run))["status"] == "completed"  # noqa: E731
    installation.wait_until(done, "the run has ended")

    attempts = installation.sql(
        "SELECT t.key, a.outcome FROM scheduling_attempt a JOIN scheduling_task t ON t.id = a.task_id ORDER BY 1, a.id"
    )
    assert attempts == [
        ("region", "completed"), (ROWS, "completed"), (QUERY, "lost"), (QUERY, "completed"),
    ]  # fmt: skip
    assert installation.number("SELECT count(*) FROM mdm_region") == 1
    assert installation.number("SELECT count(*) FROM staging_batch") == 1


def test_a_run_that_becomes_late_is_told_until_it_ends(place: tuple[Installation, tuple[str, ...]]) -> None:
    installation, command = place
    installation.load(MODEL.replace("- name: Waiting", "- name: Waiting\n    expected_minutes: 10"))
    installation.python(_WATCH)
    installation.start(*command)
    run = installation.command("run_plan", "Waiting")["run"]
    installation.wait_until(lambda: awaiting(installation) == {ROWS, QUERY}, "both have looked, and hold no worker")
    told = "SELECT count(*) FROM scheduling_alert WHERE ended_at IS NULL"
    assert installation.number(told) == 0

    installation.python(_BEGAN_EARLIER, str(run))
    installation.wait_until(lambda: installation.number(told) == 1, "it is late, and that is told")
    installation.sql("INSERT INTO stg_region (code, name) VALUES ('north', 'North')")
    for step in (QUERY, ROWS):
        look_now(installation, run, step)
    installation.wait_until(lambda: installation.number(told) == 0, "it has ended, and the alert is over")
    assert installation.command("show_run", str(run))["status"] == "completed"
    assert installation.number("SELECT count(*) FROM scheduling_alert") == 1


def test_a_cancel_and_a_time_out_end_what_waits(place: tuple[Installation, tuple[str, ...]]) -> None:
    installation, command = place
    installation.load(MODEL.replace("timeout_seconds: 600", "timeout_seconds: 3, continue_on_failure: true"))
    installation.start(*command)
    run = installation.command("run_plan", "Waiting")["run"]

    def states() -> dict[str, str]:
        return {task["task"]: task["status"] for task in installation.command("show_run", str(run))["tasks"]}

    installation.wait_until(lambda: states()[ROWS] == "failed", "its time is up")
    assert states()["region"] == "waiting"
    installation.manage("cancel_run", str(run))
    installation.wait_until(lambda: set(states().values()) == {"failed", "cancelled"}, "the rest was cancelled")
