"""Staging tables made by an earlier version get the column of outcomes."""

from importlib import import_module

import pytest
from django.apps import apps

from staging.tables.columns import table_problems
from tests.staging.batches.bench import define, execute, stage, staged

pytestmark = pytest.mark.django_db


def test_tables_that_exist_get_the_column_and_others_are_left_alone() -> None:
    old, new = define("old"), define("new")
    stage(old, {"code": "a"})
    execute("ALTER TABLE stg_old DROP COLUMN import_outcome")
    execute("DROP TABLE stg_new")

    for _ in range(2):
        import_module("staging.migrations.0003_import_outcome").add_the_column(apps, None)

    assert table_problems(old) == []
    assert staged(old)[0]["import_outcome"] is None
    assert "Table stg_new is missing." in table_problems(new)
