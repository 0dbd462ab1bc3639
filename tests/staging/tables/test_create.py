"""Promises of freshly created tables: whoever inserts, the database fills in the rest."""

import sqlite3
from datetime import UTC, datetime, timedelta

import pytest
from django.db import IntegrityError, connection, transaction

from staging.entities.save import save_entity
from staging.models import Attribute, Entity
from staging.sql.dialect import from_database
from staging.tables.columns import table_problems
from staging.tables.create import create_tables, index_name
from tests.staging.tables.conftest import Sql

RESERVED = ["select", "order", "table", "group", "user", "from", "where", "null", "index", "values", "default"]


def test_an_insert_that_names_one_column_gets_every_default_from_the_database(branch: Entity, sql: Sql):
    sql("INSERT INTO stg_branch (code) VALUES ('a')")
    row = sql("SELECT id, code, import_action, import_status, error_code, batch_id, staff FROM stg_branch")
    assert row == [(1, "a", None, 0, 0, None, None)]
    created_at = from_database(sql("SELECT created_at FROM stg_branch")[0][0])
    assert created_at and abs(datetime.now(UTC) - created_at) < timedelta(seconds=30)


def test_staging_takes_any_text_and_numbers_as_text(branch: Entity, sql: Sql):
    sql("INSERT INTO stg_branch (code, staff, area, opened_on) VALUES ('a', 'many', '1.50', 'yesterday')")
    assert sql("SELECT staff, area, opened_on FROM stg_branch") == [("many", "1.50", "yesterday")]


def test_production_defaults_and_types(branch: Entity, sql: Sql):
    sql("INSERT INTO mdm_branch (code, area) VALUES ('a', '12345678901234567.123456789')")
    area, active, created = sql("SELECT area, is_active, created_at FROM mdm_branch")[0]
    assert str(area) == "12345678901234567.123456789"
    assert active in (True, 1)
    assert from_database(created)


def test_a_code_is_unique_and_present_in_production(branch: Entity, sql: Sql):
    sql("INSERT INTO mdm_branch (code) VALUES ('a')")
    for values in ("('a')", "(NULL)"):
        with pytest.raises(IntegrityError), transaction.atomic():
            sql(f"INSERT INTO mdm_branch (code) VALUES {values}")


@pytest.mark.parametrize("change", ["INSERT INTO mdm_branch (code, region) VALUES ('b', 99)", "DELETE FROM mdm_region"])
def test_a_reference_is_a_foreign_key(branch: Entity, sql: Sql, change: str):
    sql("INSERT INTO mdm_region (code) VALUES ('north')")
    sql("INSERT INTO mdm_branch (code, region) SELECT 'a', id FROM mdm_region")
    with pytest.raises(IntegrityError), transaction.atomic():
        sql(change)


def test_entities_may_refer_forward_in_circles_and_to_themselves(db: None):
    one, two = Entity.objects.create(code="one", name="One"), Entity.objects.create(code="two", name="Two")
    Attribute.objects.create(entity=one, name="other", data_type="reference", reference=two)
    Attribute.objects.create(entity=one, name="parent", data_type="reference", reference=one)
    Attribute.objects.create(entity=two, name="other", data_type="reference", reference=one)
    create_tables(one)
    create_tables(two)
    assert table_problems(one) + table_problems(two) == []


def test_creating_twice_changes_nothing(branch: Entity, sql: Sql):
    sql("INSERT INTO stg_branch (code) VALUES ('a')")
    create_tables(branch)
    assert sql("SELECT count(*) FROM stg_branch") == [(1,)]


@pytest.mark.parametrize("word", RESERVED)
def test_reserved_words_name_entities_and_attributes(db: None, sql: Sql, word: str):
    entity = Entity(code=word, name="Reserved")
    save_entity(entity, [Attribute(name=w, data_type="text", unique=w == word) for w in RESERVED])
    sql(f'INSERT INTO stg_{word} (code, "{word}") VALUES (%s, %s)', "a", "b")
    assert sql(f'SELECT "{word}", import_status FROM stg_{word}') == [("b", 0)]


@pytest.mark.parametrize("other", ["x_pkey", "x_id_seq", "x_pending", "x_code_key", "x_id"])
def test_no_name_made_for_one_entity_takes_the_table_of_another(db: None, other: str):
    for code in ("x", other):
        entity = Entity(code=code, name=code)
        save_entity(entity, [Attribute(name="a", data_type="text", unique=True)])
        assert table_problems(entity) == []


def test_index_names_stay_apart_and_short():
    long = "a" * 40
    names = {index_name("ref", "mdm_a", "b_c"), index_name("ref", "mdm_a_b", "c"), index_name("uq", "mdm_a", "b_c")}
    assert len(names) == 3
    assert len(index_name("ref", f"mdm_{long}", long)) <= 63
    assert index_name("ref", f"mdm_{long}", long) != index_name("ref", f"mdm_{long}", f"{long[:-1]}b")


def test_names_of_forty_characters_fit(db: None):
    entity = Entity(code="e" * 40, name="Long")
    names = ["a" * 39 + letter for letter in "xy"]
    save_entity(entity, [Attribute(name=name, data_type="text", unique=True) for name in names])
    save_entity(entity, [Attribute(name="r" * 40, data_type="reference", reference=entity)])
    assert table_problems(entity) == []


def _plan(sql: Sql, query: str) -> str:
    if connection.vendor == "postgresql":
        sql("SET LOCAL enable_seqscan = off")
        return str(sql(f"EXPLAIN {query}"))
    return str(sql(f"EXPLAIN QUERY PLAN {query}"))


@pytest.mark.parametrize(
    ("kind", "query"),
    [
        ("pending", "SELECT count(*), min(created_at) FROM stg_branch WHERE import_status = 0"),
        ("rejected", "SELECT id FROM stg_branch WHERE import_status = 2 ORDER BY id DESC LIMIT 5"),
    ],
)
def test_what_is_asked_often_has_a_partial_index(branch: Entity, sql: Sql, kind: str, query: str):
    assert f"{kind}_stg_branch" in _plan(sql, query)


@pytest.mark.skipif(connection.vendor != "postgresql", reason="PostgreSQL only")
def test_retention_finds_old_rows_by_their_pages(branch: Entity, sql: Sql):
    plan = _plan(sql, "SELECT id FROM stg_branch WHERE import_status = 1 AND created_at < '2026-01-01' LIMIT 5")
    assert "landed_stg_branch" in plan


def test_references_are_indexed(branch: Entity, sql: Sql):
    assert "ref_mdm_branch_region" in _plan(sql, "SELECT id FROM mdm_branch WHERE region = 1")


@pytest.mark.skipif(connection.vendor != "postgresql", reason="PostgreSQL only")
def test_tables_leave_room_on_their_pages(branch: Entity, sql: Sql):
    options = dict(sql("SELECT relname, reloptions FROM pg_class WHERE relname IN ('stg_branch', 'mdm_branch')"))
    assert options == {"stg_branch": ["fillfactor=45"], "mdm_branch": ["fillfactor=70"]}


@pytest.mark.skipif(connection.vendor != "postgresql", reason="PostgreSQL only")
def test_copy_fills_staging(branch: Entity, sql: Sql):
    with connection.cursor() as cursor, cursor.copy("COPY stg_branch (code, staff) FROM STDIN") as copy:
        copy.write("a\t1\nb\t\\N\n")
    assert sql("SELECT id, code, staff, import_status FROM stg_branch ORDER BY id") == [
        (1, "a", "1", 0),
        (2, "b", None, 0),
    ]


@pytest.mark.skipif(connection.vendor != "sqlite", reason="SQLite only")
@pytest.mark.django_db(transaction=True)
def test_a_plain_sqlite_client_fills_staging():
    entity = Entity(code="plain", name="Plain")
    save_entity(entity, [Attribute(name="staff", data_type="integer")])
    try:
        client = sqlite3.connect(connection.settings_dict["NAME"])
        client.execute("INSERT INTO stg_plain (code, staff) VALUES (?, ?)", ("a", 5))
        client.commit()
        row = client.execute("SELECT staff, import_status, created_at FROM stg_plain").fetchone()
        client.close()
        assert row[:2] == ("5", 0)
        assert len(row[2]) == len("2026-01-01 00:00:00.000000")
        assert from_database(row[2])
    finally:
        with connection.cursor() as cursor:
            cursor.execute("DROP TABLE stg_plain")
            cursor.execute("DROP TABLE mdm_plain")


def test_an_id_never_comes_back(branch: Entity, sql: Sql):
    sql("INSERT INTO stg_branch (code) VALUES ('a'), ('b')")
    sql("DELETE FROM stg_branch WHERE id = 2")
    sql("INSERT INTO stg_branch (code) VALUES ('c')")
    assert sql("SELECT max(id) FROM stg_branch") == [(3,)]
