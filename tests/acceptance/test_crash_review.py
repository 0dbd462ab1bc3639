"""Struck while a batch is held, or while approved rows are merged: each row is held or settled, once, and findable."""

import pytest

from tests.acceptance.crash.matrix import struck_at
from tests.acceptance.crash.site import Site

ROWS = 200


@pytest.fixture
def reviewed(site: Site) -> Site:
    """A site whose branches wait for approval, with 200 of them delivered; 50 rows are a chunk."""
    site.sql("INSERT INTO stg_region (code, name) VALUES ('north', 'North')")
    site.minute(0)
    site.sql("UPDATE staging_entity SET review = 'hold' WHERE code = 'branch'")
    site.installation.deposit_branches(ROWS)
    return site


def _statuses(site: Site) -> dict[int, int]:
    return dict(site.sql("SELECT import_status, count(*) FROM stg_branch GROUP BY 1"))


def _strays(site: Site) -> int:
    """Return how many rows are held by no batch that a person could find."""
    return site.number(
        "SELECT count(*) FROM stg_branch s WHERE s.import_status = 3"
        " AND NOT EXISTS (SELECT 1 FROM staging_batch b WHERE b.id = s.batch_id AND b.status = 'held')"
    )


@struck_at(
    ("staging.batches.pipeline._hold_rows", 1),
    ("staging.batches.pipeline.record.begin_hold", 1),
    ("staging.batches.pipeline.record.complete_batch", 1),
)
def test_struck_while_rows_are_being_held_all_of_them_end_held(
    reviewed: Site, point: str, nth: int, fault: str
) -> None:
    reviewed.strike(point, fault, 3, nth=nth)
    assert set(_statuses(reviewed)) <= {0, 3}
    reviewed.pass_time(3)
    assert _statuses(reviewed) == {3: ROWS}
    assert reviewed.number("SELECT count(*) FROM mdm_branch") == 0
    assert _strays(reviewed) == 0
    assert reviewed.audit(besides="a row is neither processed nor rejected") == [], reviewed.log()


@struck_at(
    ("scheduling.runs.by_hand.record_approval", 1),
    ("staging.batches.merging.merge.insert_members", 3),
    ("staging.batches.pipeline.record.close_review", 1),
)
def test_struck_while_approved_rows_are_merged_the_rest_can_be_approved_again(
    reviewed: Site, point: str, nth: int, fault: str
) -> None:
    reviewed.minute(3)
    assert _statuses(reviewed) == {3: ROWS}
    reviewed.strike(point, fault, 4, "approve", nth=nth)
    assert set(_statuses(reviewed)) <= {1, 2, 3}
    reviewed.pass_time(4, "approve")
    bad = ROWS // 100
    assert _statuses(reviewed) == {1: ROWS - bad, 2: bad}
    assert reviewed.number("SELECT count(*) FROM mdm_branch") == ROWS - bad
    assert reviewed.number("SELECT count(*) FROM staging_batch WHERE status = 'held'") == 0
    assert _strays(reviewed) == 0
    assert reviewed.audit() == [], reviewed.log()
