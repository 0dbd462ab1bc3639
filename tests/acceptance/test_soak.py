"""Two dispatchers and four workers under about one fault a second: nothing is lost, doubled or stuck.

SOAK_SECONDS and SOAK_SEEDS (separated by commas) make it longer; `make soak` runs it alone.
"""

import logging
import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.acceptance.auditor import questions, watch
from tests.acceptance.installation import Installation, production
from tests.acceptance.soak.faults import Faults, Fleet, start_work

logger = logging.getLogger(__name__)

SECONDS = int(os.environ.get("SOAK_SECONDS", "60"))
SEEDS = os.environ.get("SOAK_SEEDS", "1").split(",")
ENVIRONMENT = {
    "DJANGO_SETTINGS_MODULE": "tests.acceptance.soak.settings",
    "HEARTBEAT_SECONDS": "0.4",
    "ZOMBIE_TIMEOUT_MINUTES": "0.035",
    "MERGE_CHUNK_ROWS": "100",
    "CANCEL_GRACE_SECONDS": "3",
}
MODEL = """
version: 1
queues:
  - {name: default, max_running: 3}
  - {name: narrow, max_running: 1}
scripts:
  - name: effect
    sql: "INSERT INTO mdm_audit_effect (label) SELECT %(label)s FROM pg_sleep(0.4)"
    parameters: {label: text}
"""
ROWS_AT_ONCE, UNFENCED_SECONDS = 500, 30
CYCLE_WITHIN_SECONDS = (
    15  # with one each second, on a busy machine, and three seconds until a frozen one is passed over
)

pytestmark = pytest.mark.services


@pytest.fixture
def installation(tmp_path: Path) -> Iterator[Installation]:
    """A production installation with the auditor's triggers."""
    with production(tmp_path, ENVIRONMENT) as made:
        watch.prepare(made)
        model = tmp_path / "soak.yaml"
        model.write_text(MODEL)
        made.manage("load_model", str(model))
        yield made


def soak(installation: Installation, seed: str, seconds: float, *, only_freeze: bool = False) -> list[str]:
    """Let it rain for some seconds, wait until all has come to its end, and return what the auditor found."""
    fleet = Fleet(installation)
    installation.sql("INSERT INTO stg_region (code, name) VALUES ('north', 'North')")
    merged = lambda: installation.number("SELECT count(*) FROM mdm_region") == 1  # noqa: E731
    installation.wait_until(merged, "the fleet is at work", 180)
    faults, rows = Faults(installation, fleet, seed, only_freeze=only_freeze), 0
    work = start_work(installation, seed, seconds)
    installation.sql("INSERT INTO stg_poison (code, name) VALUES ('x', 'X')")
    since, until = time.time(), time.monotonic() + seconds
    while time.monotonic() < until:
        if len(faults.done) % 3 == 0:
            installation.deposit_branches(ROWS_AT_ONCE, first=rows)
            rows += ROWS_AT_ONCE
        faults.one()
        fleet.mend()
        time.sleep(1)
        fleet.thaw()
    fleet.thaw(everything=True)
    installation.sql("DELETE FROM stg_poison")
    for healthy in fleet.health.windows(since, time.time(), CYCLE_WITHIN_SECONDS):
        installation.sql("INSERT INTO audit_minute (since, until) VALUES (%s, %s)", healthy)
    logger.info("seed %s: %d faults, %d rows: %s", seed, len(faults.done), rows, ", ".join(faults.done))
    drained = lambda: work.poll() is not None and not questions.stuck(installation)  # noqa: E731
    try:
        installation.wait_until(drained, "all comes to its end", 180)
    except AssertionError:
        return ["stuck", *questions.stuck(installation), *questions.violations(installation, much_work=True)]
    assert work.returncode == 0, installation.logs()
    return questions.violations(installation, much_work=True)


@pytest.mark.parametrize("seed", SEEDS)
def test_nothing_is_lost_doubled_or_stuck(installation: Installation, seed: str) -> None:
    found = soak(installation, seed, SECONDS)
    assert found == [], installation.logs()
    done = installation.number("SELECT count(*) FROM scheduling_task WHERE status = 'completed'")
    lost = installation.number("SELECT count(*) FROM scheduling_attempt WHERE outcome = 'lost'")
    minutes = installation.number("SELECT count(*) FROM audit_minute")
    poisoned = installation.number("SELECT count(*) FROM scheduling_attempt WHERE message LIKE '%poison%'")
    counts = "%d tasks completed, %d attempts lost, %d poisoned, %d times with a healthy dispatcher"
    logger.info(counts, done, lost, poisoned, minutes)
    assert done > SECONDS / 2 and lost > 0 and poisoned > 0, "the soak did not put the engine under stress"


def test_without_the_fence_the_auditor_finds_what_is_wrong(installation: Installation) -> None:
    """The proof that the auditor sees: the same with the fence taken away."""
    installation.environment["SOAK_UNFENCED"] = "1"
    found = soak(installation, "unfenced", UNFENCED_SECONDS, only_freeze=True)
    assert any("was final and changed again" in what or "effect" in what for what in found), found
