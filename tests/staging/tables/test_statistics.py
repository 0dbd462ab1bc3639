"""Promises of the statistics of pending rows."""

from datetime import UTC, datetime

from django.db import connection
from django.test.utils import CaptureQueriesContext

from staging.entities.save import save_entity
from staging.models import Entity
from staging.tables.columns import PendingRows, pending_statistics
from tests.staging.tables.conftest import Sql


def _deposit(sql: Sql, table: str, created_at: str, status: int = 0, tag: str | None = None) -> None:
    sql(f"INSERT INTO {table} (created_at, import_status, batch_tag) VALUES (%s, %s, %s)", created_at, status, tag)


def test_only_pending_rows_count_with_their_oldest_and_newest(branch: Entity, region: Entity, sql: Sql):
    _deposit(sql, "stg_branch", "2026-01-01 00:00:00.000000", status=1)
    _deposit(sql, "stg_branch", "2026-01-02 10:00:00.500000")
    _deposit(sql, "stg_branch", "2026-01-03 10:00:00.000000")
    _deposit(sql, "stg_branch", "2026-01-04 00:00:00.000000", status=2)
    found = pending_statistics([branch, region])
    oldest, newest = datetime(2026, 1, 2, 10, 0, 0, 500000, UTC), datetime(2026, 1, 3, 10, tzinfo=UTC)
    assert found == {branch.pk: PendingRows(2, oldest, newest), region.pk: PendingRows()}


def test_a_tag_counts_its_own_rows_only(branch: Entity, sql: Sql):
    for tag in ("it's; --", "b", None):
        _deposit(sql, "stg_branch", "2026-01-02 10:00:00.000000", tag=tag)
    assert pending_statistics([branch], tag="it's; --")[branch.pk].count == 1
    assert pending_statistics([branch])[branch.pk].count == 3


def test_no_entity_asks_nothing():
    assert pending_statistics([]) == {}


def test_many_entities_take_one_statement(db: None, sql: Sql):
    entities = [Entity(code=f"e{number}", name="E") for number in range(12)]
    for entity in entities:
        save_entity(entity, [])
    with CaptureQueriesContext(
        connection,
    ) as queries:
        found = pending_statistics(entities)
    statements = [query for query in queries if "SAVEPOINT" not in query["sql"]]
    assert (len(found), len(statements)) == (12, 1)


def test_a_broken_entity_alone_carries_an_error(branch: Entity, region: Entity, sql: Sql):
    missing = Entity.objects.create(code="missing", name="Missing")
    _deposit(sql, "stg_region", "2026-01-02 10:00:00.000000")
    sql("DROP INDEX pending_stg_branch")
    sql("DROP INDEX IF EXISTS landed_stg_branch")
    sql("ALTER TABLE stg_branch DROP COLUMN created_at")
    found = pending_statistics([branch, region, missing])
    assert found[branch.pk] == PendingRows(error="Column stg_branch.created_at is missing.")
    assert found[missing.pk] == PendingRows(error="Table stg_missing is missing. Table mdm_missing is missing.")
    assert (found[region.pk].count, found[region.pk].error) == (1, "")
    assert Entity.objects.count() == 3, "the surrounding transaction still works"


def test_a_code_that_came_around_the_rules_never_reaches_sql(region: Entity, sql: Sql):
    hostile = Entity.objects.create(code='x" WHERE 1=1; --', name="Hostile")
    found = pending_statistics([hostile, region])
    assert "use lower-case letters" in found[hostile.pk].error
    assert found[region.pk] == PendingRows()


def test_processed_rows_are_not_even_looked_at(branch: Entity, sql: Sql):
    """The statement finds pending rows by their partial index, however many processed ones lie beside them."""
    numbers = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)"
    sql(f"{numbers} INSERT INTO stg_branch (code, import_status) SELECT 'c' || i, 1 FROM n")
    _deposit(sql, "stg_branch", "2026-01-02 10:00:00.000000")
    for analyzed in (False, True):
        if analyzed:
            sql("ANALYZE stg_branch")
        with CaptureQueriesContext(connection) as queries:
            assert pending_statistics([branch])[branch.pk].count == 1
        (statement,) = (query["sql"] for query in queries if "SAVEPOINT" not in query["sql"])
        explain = "EXPLAIN QUERY PLAN" if connection.vendor == "sqlite" else "EXPLAIN"
        plan = "\n".join(str(row) for row in sql(f"{explain} {statement}"))
        assert "pending_stg_branch" in plan, plan
