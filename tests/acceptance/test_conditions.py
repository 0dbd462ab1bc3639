"""What a job on one worker returned decides whether the step behind it runs, in real processes on both profiles."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.acceptance.installation import Installation, own_app
from tests.acceptance.installation import embedded as installed_on_sqlite
from tests.acceptance.installation import production as installed_for_production
from tests.acceptance.test_one_minute import MANAGE, WORKER

JOBS = """
from scheduling.jobs.declare import job

@job("Load")
def load(context, rows): return {"rows": {"new": rows}}

@job("Report")
def report(context): return "reported"
"""
PLAN = """
version: 1
plans:
  - name: {name}
    steps:
      - {{job: Load, arguments: {{rows: {rows}}}}}
      - {{entity: region, step_index: 2}}
      - {{job: Report, step_index: 3, only_when: ["job Load (rows={rows}): rows.new > 0", "region: changed = 0"]}}
"""


@pytest.fixture(
    params=[
        pytest.param("embedded", marks=pytest.mark.embedded),
        pytest.param("production", marks=pytest.mark.services),
    ]
)
def at_work(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Installation]:
    """Yield an installation with jobs of its own and workers."""
    own = own_app(tmp_path, "asking", JOBS)
    is_embedded = request.param == "embedded"
    with (installed_on_sqlite if is_embedded else installed_for_production)(tmp_path, own) as installation:
        installation.manage("sync_jobs")
        for name, rows in (("Full", 7), ("Empty", 0)):
            installation.load(PLAN.format(name=name, rows=rows))
        installation.start(*((MANAGE, "run_local") if is_embedded else WORKER))
        yield installation


def ended(installation: Installation, plan: str) -> list[tuple[str, str, str]]:
    """Run a plan to its end; return its steps."""
    run = installation.command("run_plan", plan)["run"]
    over = lambda: installation.command("show_run", str(run))["status"] == "completed"  # noqa: E731
    installation.wait_until(over, f"{plan} has ended")
    return installation.sql(f"SELECT key, status, message FROM scheduling_task WHERE run_id = {run} ORDER BY id")


def test_a_report_runs_when_something_was_loaded_and_else_says_what_it_saw(at_work: Installation) -> None:
    assert ended(at_work, "Full")[-1] == ("job Report", "completed", "reported")
    skipped = "Skipped: rows.new of job Load (rows=0) was 0, not more than 0."
    assert ended(at_work, "Empty")[-1] == ("job Report", "skipped", skipped)
