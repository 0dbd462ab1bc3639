"""Promise: however many rows wait for a code, they come home when it does, not after minutes of loops within loops."""

from typing import Any

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from staging.batches.late import bring_home
from tests.staging.batches.bench import define, reference, run_batch, stage

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]


def test_a_look_at_many_rows_that_were_just_rejected_reads_each_a_few_times() -> None:
    """The planner knows nothing of them yet and expects one: loops within loops took minutes for 20,000 rows."""
    region, rows = define("region"), 1_000
    shop = define("shop", reference("region", "region"))
    stage(shop, *({"code": f"s{n}", "region": "EU"} for n in range(rows)))
    run_batch(shop)
    assert bring_home(lambda came: None) == (0, [])
    stage(region, {"code": "EU"})
    run_batch(region)
    read: list[float] = []

    def explained(execute, statement, params, many, context):
        if statement.startswith("UPDATE") and "RECURSIVE" in statement:
            with transaction.atomic():
                context["cursor"].execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {statement}", params)
                read.append(rows_read(context["cursor"].fetchone()[0][0]["Plan"]))
                transaction.set_rollback(True)
        return execute(statement, params, many, context)

    with connection.execute_wrapper(explained):
        assert bring_home(lambda came: None) == (rows, [])
    assert 0 < read[0] < 30 * rows


@pytest.mark.parametrize("rows", [3, 400])
def test_only_a_look_at_many_rows_reads_all_members_and_what_follows_in_its_transaction_does_not(rows: int) -> None:
    """A hash of millions of members takes seconds, for each look at the few rows that mostly wait."""
    region = define("region")
    shop = define("shop", reference("region", "region"))
    stage(shop, *({"code": f"s{n}", "region": "EU"} for n in range(rows)))
    run_batch(shop)
    bring_home(lambda came: None)
    stage(region, {"code": "EU"})
    run_batch(region)
    after: list[str] = []
    with CaptureQueriesContext(connection) as captured:
        assert bring_home(lambda came: after.append(_loops())) == (rows, [])
    assert after == ["on"]
    assert any("enable_nestloop = off" in query["sql"] for query in captured) is (rows > 300)


def _loops() -> str:
    """Return whether the transaction may loop within loops."""
    with connection.cursor() as cursor:
        cursor.execute("SHOW enable_nestloop")
        return str(cursor.fetchone()[0])


def rows_read(plan: dict[str, Any]) -> float:
    """Return how many rows all nodes of a plan handed on or threw away, counted in each loop."""
    own = plan["Actual Rows"] + plan.get("Rows Removed by Join Filter", 0) + plan.get("Rows Removed by Filter", 0)
    return own * plan["Actual Loops"] + sum(map(rows_read, plan.get("Plans", [])))
