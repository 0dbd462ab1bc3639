"""Struck between two chunks of a delivery in which every code comes twice: the copies are judged together."""

import pytest

from tests.acceptance.crash.matrix import struck_at
from tests.acceptance.crash.site import Site


@struck_at(*[("staging.batches.merging.merge._mark", nth) for nth in (2, 3, 4)])
@pytest.mark.parametrize(("policy", "merged"), [("reject_all", 0), ("first_wins", 99)])
def test_copies_on_both_sides_of_the_strike_are_judged_together(
    site: Site, policy: str, merged: int, point: str, nth: int, fault: str
) -> None:
    site.sql("INSERT INTO stg_region (code, name) VALUES ('north', 'North')")
    site.sql(f"UPDATE staging_entity SET duplicates = '{policy}' WHERE code = 'branch'")
    site.minute(0)
    site.installation.deposit_branches(100)
    site.sql("INSERT INTO stg_branch (code, name, region, staff) SELECT code, 'Copy', region, staff FROM stg_branch")

    site.strike(point, fault, 3, nth=nth)
    site.pass_time(3)

    assert site.audit(besides="processed rows and members differ") == [], site.log()
    assert site.number("SELECT count(*) FROM mdm_branch WHERE name LIKE 'Branch%'") == merged
    assert site.number("SELECT count(*) FROM mdm_branch") == merged
    assert site.number("SELECT count(*) FROM stg_branch WHERE import_status = 0") == 0
