"""A plan after others with real processes: it starts by itself, once for each time, whatever dies in between."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.acceptance.crash.matrix import struck_at
from tests.acceptance.crash.site import Site
from tests.acceptance.installation import Installation
from tests.acceptance.installation import embedded as installed_on_sqlite
from tests.acceptance.installation import production as installed_for_production
from tests.acceptance.test_one_minute import CELERY, CYCLE_WORKER, MANAGE, WORKER, deposit_region

PLANS = """
version: 1
entities:
  - {code: till, name: Till, attributes: []}
plans:
  - {name: Morning, steps: [{entity: branch}], after_entities: [region]}
  - {name: Report, steps: [{entity: till}], after_plans: [Morning], after_entities: [region]}
"""
ENDING = (  # between the completion of what is waited for, and the start of what waits
    "runs.advance.end_run",
    "lifecycle.tasks.release_of_run",
)
STARTING = (
    "dispatch.cycle.evaluate",
    "kinds.awaited_by",
    "runs.start.lock_open",
    "runs.start.create_runs",
    "lifecycle.guard._use_completions",
    "runs.start.take_guards",
)


@pytest.fixture
def embedded(tmp_path: Path) -> Iterator[Installation]:
    """An embedded installation: SQLite, no broker."""
    with installed_on_sqlite(tmp_path, {}) as installation:
        installation.load(PLANS)
        yield installation


@pytest.fixture
def production(tmp_path: Path) -> Iterator[Installation]:
    """A production installation: a PostgreSQL database and a Redis key prefix of its own."""
    with installed_for_production(tmp_path, {}) as installation:
        installation.load(PLANS)
        yield installation


def runs(installation: Installation) -> list[tuple[str, str]]:
    """Return the runs of plans and how they ended, in their order."""
    return installation.sql("SELECT title, status FROM scheduling_run WHERE kind = 'plan' ORDER BY id")


def ran(installation: Installation, times: int) -> bool:
    """Return whether both plans ran so often, to their end."""
    return (
        sorted(runs(installation)) == [("Plan Morning", "completed")] * times + [("Plan Report", "completed")] * times
    )


@pytest.mark.embedded
def test_plans_follow_each_other_without_a_broker_and_at_once(embedded: Installation) -> None:
    embedded.environment["DISPATCH_INTERVAL_SECONDS"] = "5"
    embedded.start(MANAGE, "run_local")
    deposit_region(embedded)
    embedded.wait_until(lambda: ran(embedded, 1), "both plans ran")
    keys = embedded.sql("SELECT fire_key FROM scheduling_run WHERE kind = 'plan' ORDER BY id")
    assert [key.split(":")[2:] for (key,) in keys] == [["fire", "1"], ["fire", "1"]]


@pytest.mark.services
def test_with_celery_and_beat_they_follow_each_other_once_whatever_is_killed(production: Installation) -> None:
    production.start(*CELERY, "beat", "--schedule", str(production.folder / "beat"), "--loglevel", "INFO")
    cycle, worker = production.start(*CYCLE_WORKER), production.start(*WORKER)
    deposit_region(production)
    production.wait_until(lambda: ran(production, 1), "both plans ran")
    production.kill(worker)
    production.sql("INSERT INTO stg_region (code, name) VALUES ('south', 'South')")
    waits = "SELECT count(*) FROM scheduling_run WHERE kind = 'batch' AND status = 'pending'"
    production.wait_until(lambda: production.number(waits) == 1, "the batch waits for a worker")
    production.kill(cycle)
    production.start(*WORKER)
    production.start(*CYCLE_WORKER)
    production.wait_until(lambda: ran(production, 2), "both plans ran again")
    sources = production.sql("SELECT DISTINCT trigger_source FROM scheduling_run WHERE title = 'Plan Report'")
    assert sources == [("After plan Morning, entity region",)]


def assert_it_ran_once(site: Site) -> None:
    """Assert that the plan before completed, and the one after it ran once for it."""
    assert site.audit() == [], site.log()
    found = site.sql("SELECT title, status FROM scheduling_run WHERE kind = 'plan' ORDER BY id")
    assert found == [("Plan Nightly", "completed"), ("Plan Report", "completed")], site.log()
    assert site.number("SELECT count(*) FROM mdm_audit_effect WHERE label = 'report'") == 1


@struck_at(*ENDING, package="scheduling")
def test_struck_while_what_it_waits_for_ends_it_runs_once(site: Site, point: str, fault: str) -> None:
    site.strike(point, fault, 0, "after")
    site.pass_time(0)
    site.minute(120)
    assert_it_ran_once(site)


@struck_at(*STARTING, package="scheduling")
def test_struck_between_the_completion_and_its_start_it_runs_once(site: Site, point: str, fault: str) -> None:
    site.minute(0, "after")
    site.strike(point, fault, 1)
    site.pass_time(1)
    site.minute(120)
    assert_it_ran_once(site)
