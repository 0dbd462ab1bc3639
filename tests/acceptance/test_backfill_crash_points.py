"""A backfill struck at any point: each slot runs once, in its order, and the backfill comes to its end."""

import pytest

from tests.acceptance.crash.matrix import struck_at
from tests.acceptance.crash.site import Site

BEGIN = ["runs.backfill._store", "runs.backfill.move_on", "runs.backfill.start", "runs.start.wake_lines_after_commit"]
GO_ON = ["runs.backfill.lock_backfill", "runs.backfill._take", "runs.backfill.take_slot", "runs.advance.end_run"]
END = ["runs.backfill.end_backfill", "lifecycle.backfills.both"]
CANCEL = ["runs.cancel.lock_backfill", "runs.cancel.end_backfill"]


@pytest.fixture(autouse=True)
def by_hand(site: Site) -> None:
    """Let nothing else run."""
    site.sql("UPDATE scheduling_schedulerconfiguration SET processing_mode = 'manual', next_scheduled_run = NULL")


def _slots(site: Site) -> list[str]:
    """Return the slots that took effect, in their order, when the auditor has nothing to say."""
    assert site.audit() == [], site.log()
    return [slot for (slot,) in site.sql("SELECT label FROM mdm_audit_effect ORDER BY id")]


def _wait_for_its_end(site: Site, minute: float, wish: str = "") -> None:
    """Let minutes pass until the backfill has ended."""
    for later in range(100, 108):
        if site.number("SELECT count(*) FROM scheduling_backfill WHERE finished_at IS NOT NULL"):
            return
        site.minute(minute + later, wish)


def _is_whole(site: Site, wish: str) -> None:
    _wait_for_its_end(site, 1, wish)
    slots = _slots(site)
    assert len(slots) == len(set(slots)) == 3 and slots == sorted(slots)
    assert site.sql("SELECT status FROM scheduling_backfill") == [("completed",)]
    assert site.sql("SELECT count(*), count(DISTINCT run_id) FROM scheduling_backfillslot") == [(3, 3)]


@struck_at(*BEGIN, package="scheduling")
def test_while_it_begins(site: Site, point: str, fault: str) -> None:
    site.strike(point, fault, 1, "backfill")
    site.pass_time(1, "backfill")
    _is_whole(site, "backfill")


@struck_at(*GO_ON, package="scheduling")
def test_while_it_goes_on(site: Site, point: str, fault: str) -> None:
    site.minute(1, "backfill")
    site.strike(point, fault, 2)
    site.pass_time(2)
    _is_whole(site, "")


@struck_at(*END, package="scheduling")
def test_while_it_ends(site: Site, point: str, fault: str) -> None:
    for minute in (1, 2, 3):
        site.minute(minute, "backfill side by side")
        if site.number("SELECT count(*) FROM scheduling_run WHERE status = 'completed'") == 3:
            break
    site.strike(point, fault, 5)
    site.pass_time(5)
    _is_whole(site, "")


@struck_at(*CANCEL, package="scheduling")
def test_while_it_is_cancelled(site: Site, point: str, fault: str) -> None:
    site.minute(1, "backfill")
    site.strike(point, fault, 2, "cancel the backfill")
    site.pass_time(2, "cancel the backfill")
    slots = _slots(site)
    assert slots == sorted(set(slots))
    assert site.sql("SELECT status FROM scheduling_backfill") == [("cancelled",)]
