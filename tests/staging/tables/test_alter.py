"""Promises of altering: nothing stored is ever lost, and what is refused says why."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager

import psycopg
import pytest
from django.db import connection

from staging.entities.save import save_entity, sync
from staging.errors import TableMismatch, TablesInUse, WouldLoseData
from staging.models import Attribute, Entity
from staging.states import DataType
from staging.tables.alter import count_rows, drop_column, drop_tables, sync_tables
from staging.tables.columns import real_columns, table_problems
from tests.staging.tables.conftest import Sql


def test_a_new_attribute_is_added_to_both_tables_and_rows_stay(branch: Entity, sql: Sql):
    sql("INSERT INTO stg_branch (code) VALUES ('a')")
    sql("INSERT INTO mdm_branch (code) VALUES ('a')")
    save_entity(branch, [Attribute(name="email", data_type="text")])
    assert sql("SELECT code, email FROM stg_branch") == [("a", None)]
    assert sql("SELECT code, email FROM mdm_branch") == [("a", None)]


def test_syncing_twice_changes_nothing(branch: Entity):
    before = real_columns("mdm_branch"), real_columns("stg_branch")
    sync_tables(branch)
    assert (real_columns("mdm_branch"), real_columns("stg_branch")) == before


@pytest.mark.parametrize("old", DataType.values)
@pytest.mark.parametrize("new", DataType.values)
def test_an_empty_column_changes_to_every_type(region: Entity, old: str, new: str):
    entity = Entity(code="thing", name="Thing")
    for data_type in (old, new):
        target = region if data_type == "reference" else None
        unique = data_type == old
        save_entity(entity, [Attribute(name="x", data_type=data_type, reference=target, unique=unique)])
    assert table_problems(entity) == []


def test_a_column_whose_values_do_not_all_convert_keeps_its_type_and_the_reason_counts_them(branch: Entity, sql: Sql):
    sql("INSERT INTO mdm_branch (code, staff) VALUES ('a', 1), ('b', 2), ('c', NULL)")
    Attribute.objects.filter(entity=branch, name="staff").update(data_type="boolean")
    with pytest.raises(WouldLoseData, match="the 2 values stored in 'staff', 1 cannot be read as yes or no: '2'"):
        sync(branch)
    assert sql("SELECT sum(staff) FROM mdm_branch") == [(3,)]


def test_a_changed_target_of_an_empty_reference_is_followed(branch: Entity, sql: Sql):
    Attribute.objects.filter(entity=branch, name="region").update(reference=branch)
    sync(branch)
    assert real_columns("mdm_branch")["region"].target == "mdm_branch"


def test_unique_comes_and_goes(branch: Entity, sql: Sql):
    sql("INSERT INTO mdm_branch (code, label) VALUES ('a', 'x'), ('b', 'x'), ('c', NULL), ('d', NULL)")
    Attribute.objects.filter(entity=branch, name="label").update(unique=True)
    with pytest.raises(TableMismatch, match="more than one row has 'x'"):
        sync(branch)
    sql("UPDATE mdm_branch SET label = 'y' WHERE code = 'b'")
    sync(branch)
    assert _unique_indexes(sql) == 1
    Attribute.objects.filter(entity=branch, name="label").update(unique=False)
    sync(branch)
    assert _unique_indexes(sql) == 0


def _unique_indexes(sql: Sql) -> int:
    if connection.vendor == "postgresql":
        return sql("SELECT count(*) FROM pg_class WHERE relkind = 'i' AND relname LIKE 'uq_mdm_branch_label%'")[0][0]
    return sql("SELECT count(*) FROM sqlite_master WHERE name LIKE 'uq_mdm_branch_label%'")[0][0]


def test_a_cancelled_attribute_keeps_its_column(branch: Entity, sql: Sql):
    sql("INSERT INTO mdm_branch (code, staff) VALUES ('a', 1)")
    Attribute.objects.filter(entity=branch, name="staff").update(is_cancelled=True)
    sync(branch)
    assert sql("SELECT staff FROM mdm_branch") == [(1,)]


@pytest.mark.parametrize("table", ["stg_branch", "mdm_branch"])
def test_a_column_with_values_is_not_dropped(branch: Entity, sql: Sql, table: str):
    sql(f"INSERT INTO {table} (code, staff) VALUES ('a', '1')")
    with pytest.raises(WouldLoseData, match="holds 1 value,"):
        drop_column(branch, "staff")


@pytest.mark.parametrize("name", ["label", "region"])
def test_an_empty_column_is_dropped_from_both_tables(branch: Entity, name: str):
    drop_column(branch, name)
    assert name not in real_columns("stg_branch")
    assert name not in real_columns("mdm_branch")


@pytest.mark.parametrize("table", ["stg_branch", "mdm_branch"])
def test_tables_with_rows_are_not_dropped(branch: Entity, sql: Sql, table: str):
    sql(f"INSERT INTO {table} (code) VALUES ('a')")
    with pytest.raises(WouldLoseData, match="hold 1 row\\."):
        drop_tables(branch)
    assert count_rows(branch) == 1


def test_a_table_altered_by_others_is_refused_by_name(branch: Entity, sql: Sql):
    sql("ALTER TABLE stg_branch DROP COLUMN batch_tag")
    with pytest.raises(TableMismatch, match=r"Column stg_branch\.batch_tag is missing"):
        sync(branch)


@contextmanager
def _somebody_else_uses(table: str) -> Iterator[None]:
    """Hold the table as a running batch does, from a connection of its own; our own patience is short."""
    if connection.vendor == "sqlite":
        with closing(sqlite3.connect(connection.settings_dict["NAME"])) as other, connection.cursor() as cursor:
            cursor.execute("PRAGMA busy_timeout = 100")
            other.execute("BEGIN IMMEDIATE")
            yield
            other.rollback()
        return
    parameters = connection.get_connection_params()
    names = ("dbname", "user", "host", "port", "password")
    with psycopg.connect(**{name: parameters[name] for name in names if name in parameters}) as other:
        other.execute(f"INSERT INTO {table} (code) VALUES ('x')")
        with connection.cursor() as cursor:
            cursor.execute("SET lock_timeout = '100ms'")
        yield
        other.rollback()


@pytest.mark.django_db(transaction=True)
def test_a_table_in_use_is_refused_with_the_mend_and_nothing_changes():
    entity = Entity(code="busy", name="Busy")
    save_entity(entity, [])
    try:
        with _somebody_else_uses("stg_busy"), pytest.raises(TablesInUse, match="Try again when it is done"):
            save_entity(entity, [Attribute(name="x", data_type="text")])
        assert "x" not in real_columns("stg_busy")
    finally:
        connection.close()
        drop_tables(entity)
