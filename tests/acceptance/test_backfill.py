"""A backfill with real workers: the end of each run starts the next one at once, and each slot runs once."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.acceptance.installation import Installation
from tests.acceptance.installation import embedded as installed_on_sqlite
from tests.acceptance.installation import production as installed_for_production
from tests.acceptance.test_one_minute import CYCLE_WORKER, MANAGE, WORKER

PLANS = """
version: 1
plans:
  - name: Nightly
    schedule: {schedule_type: daily, run_times: ["02:30"], timezone: Europe/Amsterdam}
    steps: [{entity: region}]
"""
RANGE = ("--from", "2026-03-27T00:00:00+00:00", "--until", "2026-03-31T00:00:00+00:00")  # a change of the clocks


@pytest.fixture(
    params=[
        pytest.param("embedded", marks=pytest.mark.embedded),
        pytest.param("production", marks=pytest.mark.services),
    ]
)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Installation]:
    """Yield an installation with the plan and its workers, which nobody runs cycles for within a minute."""
    installed = installed_for_production if request.param == "production" else installed_on_sqlite
    with installed(tmp_path, {}) as installation:
        installation.load(PLANS)
        for command in (CYCLE_WORKER, WORKER) if request.param == "production" else ((MANAGE, "run_local"),):
            installation.start(*command)
        yield installation


def test_in_order_and_side_by_side_each_slot_runs_once(place: Installation) -> None:
    for how in (["--in-order"], ["--side-by-side", "3", "--again"]):
        begun = place.command("backfill", "plan Nightly", *RANGE, *how)
        assert begun["slots_total"] == 4
        ended = "SELECT count(*) FROM scheduling_backfill WHERE status = 'completed' AND id = {}"
        place.wait_until(lambda: place.number(ended.format(begun["backfill"])) == 1, "the backfill ended")  # noqa: B023
    # A full minute may come meanwhile, and the schedule of the entity with it.
    found = place.sql("SELECT CAST(scheduled_for AS text) FROM scheduling_run WHERE kind = 'plan' ORDER BY id")
    slots = [slot[:13] for (slot,) in found]
    hours = ["2026-03-27 01", "2026-03-28 01", "2026-03-29 01", "2026-03-30 00"]
    assert slots == hours * 2
    done = "SELECT count(DISTINCT fire_key) FROM scheduling_run WHERE kind = 'plan' AND status = 'completed'"
    assert place.number(done) == 8
