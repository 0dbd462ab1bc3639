"""Rejected rows are counted for many entities at once, and a broken table spoils only its own count."""

from math import ceil

from django.db import connection
from django.test.utils import CaptureQueriesContext

from staging.entities.save import save_entity
from staging.models import Entity
from staging.sql.dialect import dialect
from staging.tables.landed import rejected_counts
from tests.staging.tables.conftest import Sql


def test_only_rejected_rows_count(branch: Entity, region: Entity, sql: Sql) -> None:
    for status in (0, 1, 2, 2, 3):
        sql("INSERT INTO stg_branch (code, import_status) VALUES (%s, %s)", "B", status)
    assert rejected_counts([branch, region]) == {branch.pk: 2, region.pk: 0}


def test_nothing_is_asked_for_no_entities(db: None) -> None:
    with CaptureQueriesContext(connection) as statements:
        assert rejected_counts([]) == {}
    assert len(statements) == 0


def test_few_statements_serve_many_entities(db: None) -> None:
    entities = [Entity(code=f"e{number}", name="E") for number in range(30)]
    for entity in entities:
        save_entity(entity, [])
    with CaptureQueriesContext(connection) as statements:
        rejected_counts(entities)
    sent = sum("count(*)" in statement["sql"] for statement in statements)
    assert sent == ceil(len(entities) / dialect().tables_at_once)


def test_a_broken_table_spoils_only_its_own_count(branch: Entity, region: Entity, sql: Sql) -> None:
    sql("INSERT INTO stg_region (code, import_status) VALUES ('R', 2)")
    sql("ALTER TABLE stg_branch RENAME TO elsewhere")
    assert rejected_counts([branch, region]) == {branch.pk: None, region.pk: 1}
