"""Promises of inspection: a table altered by others is named."""

import pytest

from staging.models import Attribute, Entity
from staging.tables.columns import real_columns, table_exists, table_problems, table_problems_of
from tests.staging.tables.conftest import Sql


def test_tables_as_defined_have_no_problems(branch: Entity, region: Entity):
    assert table_problems(branch) + table_problems(region) == []


@pytest.mark.parametrize("table", ["stg_branch", "mdm_branch"])
def test_a_missing_table_is_named(branch: Entity, sql: Sql, table: str):
    sql(f"DROP TABLE {table}")
    assert table_problems(branch) == [f"Table {table} is missing."]


@pytest.mark.parametrize("column", ["stg_branch.staff", "mdm_branch.staff", "stg_branch.new_code", "mdm_branch.name"])
def test_a_missing_column_is_named(branch: Entity, sql: Sql, column: str):
    table, name = column.split(".")
    sql(f"ALTER TABLE {table} DROP COLUMN {name}")
    assert table_problems(branch) == [f"Column {column} is missing."]


def test_a_retyped_column_is_named(branch: Entity, sql: Sql):
    sql("ALTER TABLE mdm_branch DROP COLUMN staff")
    sql("ALTER TABLE mdm_branch ADD COLUMN staff real")
    (problem,) = table_problems(branch)
    assert problem.lower().startswith("column mdm_branch.staff is real and should be ")


def test_a_lost_foreign_key_is_named(branch: Entity, sql: Sql):
    real = real_columns("mdm_branch")["region"].type
    sql("DROP INDEX IF EXISTS " + _reference_index())
    sql("ALTER TABLE mdm_branch DROP COLUMN region")
    sql(f"ALTER TABLE mdm_branch ADD COLUMN region {real}")
    assert table_problems(branch) == [
        "Column mdm_branch.region refers to nothing; by its definition it refers to mdm_region."
    ]


def _reference_index() -> str:
    from staging.tables.create import index_name

    return index_name("ref", "mdm_branch", "region")


def test_columns_others_added_and_cancelled_attributes_are_no_problem(branch: Entity, sql: Sql):
    sql("ALTER TABLE stg_branch ADD COLUMN loaded_by text")
    Attribute.objects.create(entity=branch, name="gone", data_type="text", is_cancelled=True)
    assert table_problems(branch) == []


def test_a_table_that_is_not_there_has_no_columns(db: None):
    assert real_columns("stg_nosuch") == {}
    assert not table_exists("stg_nosuch")


def test_many_entities_are_looked_at_in_few_statements(
    branch: Entity, region: Entity, sql: Sql, django_assert_max_num_queries
):
    sql("ALTER TABLE stg_region DROP COLUMN manager")
    sql("ALTER TABLE stg_branch DROP COLUMN staff")
    sql("ALTER TABLE stg_branch ADD COLUMN staff integer")
    with django_assert_max_num_queries(3):
        found = table_problems_of([branch, region])
    assert found[region.pk] == ["Column stg_region.manager is missing."]
    (problem,) = found[branch.pk]
    assert problem.lower() == "column stg_branch.staff is integer and should be text."
