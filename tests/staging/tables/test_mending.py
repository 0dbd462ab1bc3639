"""A value is replaced in all rejected rows of a kind and nowhere else; a check tells that a row was changed."""

import pytest

from staging.errors import StagingError
from staging.models import Entity
from staging.tables.mending import CommonValue, common_values, count_value, replace_value, row_check
from staging.tables.rows import get_row
from tests.staging.tables.conftest import Sql


@pytest.fixture
def rows(branch: Entity, sql: Sql) -> None:
    """Five rejected rows and one of each other status, all with the same label."""
    for code, label, bit in (("a", "x", 8), ("b", "x", 24), ("c", "x", 16), ("d", "y", 8), ("e", None, 8)):
        sql("INSERT INTO stg_branch (code, label, import_status, error_code) VALUES (%s, %s, 2, %s)", code, label, bit)
    for status in (0, 1, 3):
        sql("INSERT INTO stg_branch (code, label, import_status, error_code) VALUES ('z', 'x', %s, 8)", status)


def _state(sql: Sql) -> dict[str, tuple[str | None, int]]:
    found = sql("SELECT code, label, import_status FROM stg_branch WHERE code <> 'z' ORDER BY id")
    return {code: (label, status) for code, label, status in found}


def test_only_rejected_rows_with_the_error_and_the_value_are_changed(branch: Entity, rows: None, sql: Sql) -> None:
    assert common_values(branch, "label", 8) == [CommonValue("x", 2), CommonValue("", 1), CommonValue("y", 1)]
    assert count_value(branch, "label", "x", 8) == 2
    assert replace_value(branch, "label", "x", "100% ok", 8) == 2
    assert _state(sql) == {"a": ("100% ok", 0), "b": ("100% ok", 0), "c": ("x", 2), "d": ("y", 2), "e": (None, 2)}
    assert sql("SELECT count(*) FROM stg_branch WHERE code = 'z' AND label = 'x'") == [(3,)]
    assert replace_value(branch, "label", "x", "again", 8) == 0


def test_blank_can_be_filled_and_a_value_made_blank(branch: Entity, rows: None, sql: Sql) -> None:
    assert count_value(branch, "label", "", 8) == replace_value(branch, "label", "", "new", 8) == 1
    assert replace_value(branch, "label", "y", "", 8) == 1
    assert (_state(sql)["e"], _state(sql)["d"]) == (("new", 0), (None, 0))


def test_actions_are_replaced_as_numbers_and_other_columns_not_at_all(branch: Entity, sql: Sql) -> None:
    sql("INSERT INTO stg_branch (code, import_action, import_status, error_code) VALUES ('a', 9, 2, 1024)")
    with pytest.raises(StagingError, match="not an import action"):
        replace_value(branch, "import_action", "9", "x", 1024)
    assert replace_value(branch, "import_action", "9", "3", 1024) == 1
    assert sql("SELECT import_action, import_status FROM stg_branch") == [(3, 0)]
    for column in ("import_status", "id", 'x" = 1 --'):
        with pytest.raises(StagingError, match="no column"):
            replace_value(branch, column, "a", "b", 8)


def test_the_check_follows_what_the_row_brings_and_nothing_else(branch: Entity, rows: None, sql: Sql) -> None:
    row_id = sql("SELECT id FROM stg_branch WHERE code = 'a'")[0][0]
    before = row_check(get_row(branch, row_id) or {})
    sql("UPDATE stg_branch SET batch_id = 5, error_code = 1, error_message = 'x', import_status = 0")
    assert row_check(get_row(branch, row_id) or {}) == before
    sql("UPDATE stg_branch SET staff = '1'")
    assert row_check(get_row(branch, row_id) or {}) != before
