"""Two dispatchers and four workers under about one fault a second: nothing is lost, doubled or stuck.

SOAK_SECONDS and SOAK_SEEDS (separated by commas) make it longer; `make soak` runs it alone.
"""

import logging
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.acceptance.installation import Installation
from tests.acceptance.soak.rain import LOST, POISON_FELT, THOROUGH_SECONDS, Soak, Weather, soaked

logger = logging.getLogger(__name__)

SECONDS = int(os.environ.get("SOAK_SECONDS", "60"))
SEEDS = os.environ.get("SOAK_SEEDS", "1").split(",")
UNFENCED_SECONDS = 240  # at most: it ends as soon as the auditor sees it
COUNTS = {
    "tasks completed": "SELECT count(*) FROM scheduling_task WHERE status = 'completed'",
    "attempts lost": LOST,
    "attempts interrupted": "SELECT count(*) FROM scheduling_attempt WHERE outcome = 'interrupted'",
    "poisoned": POISON_FELT,
    "batches cancelled": "SELECT count(*) FROM staging_batch WHERE status = 'cancelled'",
    "batches by the clock": "SELECT count(*) FROM scheduling_run WHERE scheduled_for IS NOT NULL AND kind = 'batch'",
    "runs cancelled by people": "SELECT count(*) FROM audit_cancel",
    "rows come home": "SELECT coalesce(sum(came_home), 0) FROM staging_batch",
    "jobs completed": "SELECT count(*) FROM scheduling_task WHERE status = 'completed' AND workload = 'job'",
    "healthy times": "SELECT count(*) FROM audit_minute",
}
# A long soak without these has not put the engine under every kind of stress; a short one has what chance gives it.
NEVER_ZERO = ("attempts lost", "poisoned", "runs cancelled by people", "batches by the clock", "rows come home")

pytestmark = pytest.mark.services


@pytest.fixture
def installation(tmp_path: Path) -> Iterator[Installation]:
    """A production installation with the auditor's triggers."""
    with soaked(tmp_path) as made:
        yield made


@pytest.mark.parametrize("seed", SEEDS)
def test_nothing_is_lost_doubled_or_stuck(installation: Installation, seed: str) -> None:
    found = Soak(installation, seed, Weather()).rain(SECONDS)
    counts = {what: installation.number(statement) for what, statement in COUNTS.items()}
    logger.info("%s", counts)
    assert found == [], f"{found}\n{installation.logs()}"
    assert counts["tasks completed"] and counts["attempts lost"], counts
    if SECONDS >= THOROUGH_SECONDS:
        assert counts["tasks completed"] > SECONDS / 2 and all(counts[what] for what in NEVER_ZERO), counts


def test_without_the_fence_the_auditor_finds_what_is_wrong(installation: Installation) -> None:
    """The proof that the auditor sees: the same with the fence taken away."""
    installation.environment["SOAK_UNFENCED"] = "1"
    weather = Weather(faults=("freeze",), ask_for="was final and changed again")
    found = Soak(installation, "unfenced", weather).rain(UNFENCED_SECONDS)
    assert any(weather.ask_for in what for what in found), found
