"""Killed while a batch is held, or while approved rows are merged: each row is held or settled, once, and findable."""

import os
import signal
import subprocess
import sys
from datetime import UTC, datetime, timedelta

import pytest

from tests.acceptance.installation import ROOT, Installation
from tests.acceptance.test_crash_points import installation, prepared  # noqa: F401 (fixtures)

ROWS = 200

# One minute in one process, after an approval if one is asked for; the named function kills at its n-th call.
MINUTE = """
import django, os, pkgutil, signal, sys
from datetime import datetime
django.setup()
at, point, nth, held = sys.argv[1:]
if point:
    module, name = point.rsplit(".", 1)
    original, calls = getattr(pkgutil.resolve_name(module), name), []
    def deadly(*args, **kwargs):
        calls.append(1)
        if len(calls) == int(nth):
            os.kill(os.getpid(), signal.SIGKILL)
        return original(*args, **kwargs)
    setattr(pkgutil.resolve_name(module), name, deadly)
from scheduling import clock
from scheduling.dispatch.cycle import run_cycle
from scheduling.queues.claim import claim_next
from scheduling.runs.approve import approve
from scheduling.runs.execute import run_attempt
from staging.models import Batch
time = clock.starting_at(datetime.fromisoformat(at))
run_cycle(time())
if held:
    for batch in Batch.objects.filter(status="held"):
        approve(batch, by="ben", now=time())
        while attempt := claim_next(worker="test", now=time()):
            run_attempt(attempt, time=time)
while attempt := claim_next(worker="test", now=time()):
    run_attempt(attempt, time=time)
"""


def _minute(somewhere: Installation, at: datetime, point: str = "", nth: int = 1, approving: bool = False) -> int:
    """Run one minute in a process of its own; return its exit code."""
    done = subprocess.run(
        [sys.executable, "-c", MINUTE, at.isoformat(), point, str(nth), "yes" if approving else ""],
        cwd=ROOT,
        env={**os.environ, **somewhere.environment},
        capture_output=True,
        text=True,
    )
    assert done.returncode in (0, -signal.SIGKILL), done.stderr
    return done.returncode


@pytest.fixture
def reviewed(installation: Installation) -> Installation:  # noqa: F811
    """An installation whose branches wait for approval, with 200 of them delivered; 50 rows are a chunk."""
    with_review = "UPDATE staging_entity SET review = 'hold' WHERE code = 'branch'"
    installation.sql(with_review)
    installation.deposit_branches(ROWS)
    return installation


def _statuses(somewhere: Installation) -> dict[int, int]:
    return dict(somewhere.sql("SELECT import_status, count(*) FROM stg_branch GROUP BY 1"))


def _nothing_is_stuck(somewhere: Installation) -> None:
    number = somewhere.number
    assert number("SELECT count(*) FROM scheduling_schedulerconfiguration WHERE is_running") == 0
    assert number("SELECT count(*) FROM scheduling_task WHERE finished_at IS NULL") == 0
    assert number("SELECT count(*) FROM staging_batch WHERE status IN ('pending', 'running')") == 0
    strays = (
        "SELECT count(*) FROM stg_branch s WHERE s.import_status = 3"
        " AND NOT EXISTS (SELECT 1 FROM staging_batch b WHERE b.id = s.batch_id AND b.status = 'held')"
    )
    assert number(strays) == 0


@pytest.mark.parametrize(
    ("point", "nth"),
    [
        ("staging.batches.hold._hold_chunk", 3),
        ("staging.batches.hold.record.begin_hold", 1),
        ("staging.batches.pipeline.record.complete_batch", 1),
    ],
)
def test_killed_while_rows_are_being_held_all_of_them_end_held(reviewed: Installation, point: str, nth: int) -> None:
    start = datetime.now(UTC) + timedelta(minutes=3)
    assert _minute(reviewed, start, point, nth) == -signal.SIGKILL, "the point was not reached"
    assert set(_statuses(reviewed)) <= {0, 3}

    for minutes in (1, 40, 80):
        assert _minute(reviewed, start + timedelta(minutes=minutes)) == 0

    assert _statuses(reviewed) == {3: ROWS}
    assert reviewed.number("SELECT count(*) FROM mdm_branch") == 0
    _nothing_is_stuck(reviewed)


@pytest.mark.parametrize(
    ("point", "nth"),
    [
        ("scheduling.runs.approve.record_approval", 1),
        ("staging.batches.merge.insert", 3),
        ("staging.batches.pipeline.record.close_review", 1),
    ],
)
def test_killed_while_approved_rows_are_merged_the_rest_can_be_approved_again(
    reviewed: Installation, point: str, nth: int
) -> None:
    start = datetime.now(UTC) + timedelta(minutes=3)
    assert _minute(reviewed, start) == 0
    assert _statuses(reviewed) == {3: ROWS}

    assert _minute(reviewed, start + timedelta(minutes=1), point, nth, approving=True) == -signal.SIGKILL
    assert set(_statuses(reviewed)) <= {1, 2, 3}
    assert _minute(reviewed, start + timedelta(minutes=40)) == 0
    assert _minute(reviewed, start + timedelta(minutes=41), approving=True) == 0

    bad = ROWS // 100
    assert _statuses(reviewed) == {1: ROWS - bad, 2: bad}
    assert reviewed.number("SELECT count(*) FROM mdm_branch") == ROWS - bad
    assert reviewed.number("SELECT count(*) FROM staging_batch WHERE status = 'held'") == 0
    _nothing_is_stuck(reviewed)
