"""Rejected rows are counted for many entities at once, and a broken table spoils only its own count."""

from collections.abc import Iterator

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from staging.entities.save import save_entity
from staging.models import Entity
from staging.sql import kept_plans
from staging.sql.dialect import dialect
from staging.tables.landed import rejected_counts
from tests.staging.tables.conftest import Sql

on_postgresql = pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite plans in no time")


def test_only_rejected_rows_count(branch: Entity, region: Entity, sql: Sql) -> None:
    for status in (0, 1, 2, 2, 3):
        sql("INSERT INTO stg_branch (code, import_status) VALUES (%s, %s)", "B", status)
    assert rejected_counts([branch, region]) == {branch.pk: 2, region.pk: 0}


def test_nothing_is_asked_for_no_entities(db: None) -> None:
    with CaptureQueriesContext(connection) as statements:
        assert rejected_counts([]) == {}
    assert len(statements) == 0


def test_one_message_serves_more_entities_than_a_statement_asks(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    entities = [Entity(code=f"e{number}", name="E") for number in range(7)]
    for entity in entities:
        save_entity(entity, [])
    monkeypatch.setattr(type(dialect()), "tables_at_once", 2)
    first = rejected_counts(entities)  # PostgreSQL plans them
    with CaptureQueriesContext(connection) as statements:
        assert rejected_counts(reversed(entities)) == first == dict.fromkeys([entity.pk for entity in entities], 0)
    assert sum("SAVEPOINT" not in statement["sql"] for statement in statements) == 1


def test_a_broken_table_spoils_only_its_own_count(branch: Entity, region: Entity, sql: Sql) -> None:
    sql("INSERT INTO stg_region (code, import_status) VALUES ('R', 2)")
    sql("ALTER TABLE stg_branch RENAME TO elsewhere")
    assert rejected_counts([branch, region]) == {branch.pk: None, region.pk: 1}


@pytest.fixture(autouse=True)
def _nothing_is_kept(db: None) -> Iterator[None]:
    """Begin as on a new connection, whatever a test before did to this one, and leave it so."""
    forget_plans()
    yield
    forget_plans()


def forget_plans() -> None:
    """Let nothing be kept with this connection."""
    kept_plans._kept.clear()
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("DEALLOCATE ALL")
    kept_plans._asked.clear()


@on_postgresql
def test_a_table_that_changed_is_planned_anew(branch: Entity, sql: Sql) -> None:
    assert rejected_counts([branch]) == rejected_counts([branch]) == {branch.pk: 0}
    sql("INSERT INTO stg_branch (code, import_status) VALUES ('B', 2)")
    sql("ALTER TABLE stg_branch RENAME TO elsewhere")
    assert rejected_counts([branch]) == {branch.pk: None}
    sql("ALTER TABLE elsewhere RENAME TO stg_branch")
    assert rejected_counts([branch]) == {branch.pk: 1}


@on_postgresql
def test_where_a_pooler_hands_sessions_around_they_are_counted_too(branch: Entity, region: Entity, sql: Sql) -> None:
    sql("INSERT INTO stg_region (code, import_status) VALUES ('R', 2)")
    for after in ("DEALLOCATE ALL", "SELECT 1", "DEALLOCATE ALL"):
        assert rejected_counts([branch, region]) == {branch.pk: 0, region.pk: 1}
        sql(after)


@on_postgresql
def test_no_more_is_kept_than_a_connection_has_room_for(
    branch: Entity, region: Entity, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_plans, "_MOST_KEPT", 1)
    for entity in (branch, region, branch):
        assert rejected_counts([entity]) == {entity.pk: 0}
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_prepared_statements WHERE name LIKE 'kept_%'")
        assert cursor.fetchone() == (1,)
    assert rejected_counts([branch, region]) == {branch.pk: 0, region.pk: 0}
