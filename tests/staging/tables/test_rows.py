"""Promises of reading, mending and thinning out staged rows."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection

from staging.errors import StagingError, TableMismatch
from staging.models import Batch, Entity
from staging.sql.dialect import to_database
from staging.tables.rows import delete_processed, edit_row, get_row, rejected_groups, retry_rows, staged_rows
from tests.staging.tables.conftest import Sql

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)


@pytest.fixture
def rejected(branch: Entity, sql: Sql) -> Entity:
    """Rows: 1 pending, 2 to 4 rejected (bits 4; 4 and 8; none), 5 processed."""
    for code, status, error, message in [
        ("a", 0, 0, None),
        ("b", 2, 4, "staff is missing"),
        ("c", 2, 12, "label is missing, staff 'x' is no number"),
        ("d", 2, 0, None),
        ("e", 1, 0, None),
    ]:
        sql(
            "INSERT INTO stg_branch (code, import_status, error_code, error_message, batch_id)"
            " VALUES (%s, %s, %s, %s, 7)",
            code, status, error, message,
        )  # fmt: skip
    return branch


def test_groups_count_each_error_by_itself_with_the_newest_row(rejected: Entity):
    groups = [(g.bit, g.meaning, g.count, g.example_id, g.example_message) for g in rejected_groups(rejected)]
    message = "label is missing, staff 'x' is no number"
    assert groups == [
        (4, "Required value missing", 2, 3, message),
        (0, "Sent back or discarded by a person", 1, 4, ""),
        (8, "Not of the attribute's type", 1, 3, message),
    ]


def test_an_entity_without_rejected_rows_has_no_groups(branch: Entity):
    assert rejected_groups(branch) == []


def test_rows_come_newest_first_in_pages(rejected: Entity):
    first = staged_rows(rejected, limit=2)
    second = staged_rows(rejected, before_id=first[-1]["id"], limit=2)
    assert [row["id"] for row in first + second] == [5, 4, 3, 2]


def test_rows_are_kept_by_status_and_error(rejected: Entity):
    assert [row["code"] for row in staged_rows(rejected, status=2)] == ["d", "c", "b"]
    assert [row["code"] for row in staged_rows(rejected, status=2, bit=8)] == ["c"]
    assert [row["code"] for row in staged_rows(rejected, status=2, bit=0)] == ["d"]


def test_a_row_has_every_column_by_name_and_an_aware_instant(rejected: Entity):
    row = get_row(rejected, 2)
    assert row is not None
    assert row["error_message"] == "staff is missing"
    assert row["created_at"].tzinfo is UTC
    assert {"label", "staff", "area", "is_open", "opened_on", "checked_at", "region"} < set(row)
    assert get_row(rejected, 99) is None


def test_an_edit_stores_the_values_and_sets_the_row_pending_again(rejected: Entity):
    values = {"staff": "5", "label": "x'; DROP TABLE stg_branch; --", "name": None, "import_action": "0"}
    assert edit_row(rejected, 2, values)
    row = get_row(rejected, 2)
    assert row is not None
    shown = [row[k] for k in ("staff", "label", "import_action", "import_status", "error_code", "error_message")]
    assert shown == ["5", values["label"], 0, 0, 0, None]
    assert row["batch_id"] is None


@pytest.mark.parametrize("row_id", [1, 5, 99])
def test_a_row_that_is_not_rejected_is_left_alone(rejected: Entity, row_id: int):
    before = staged_rows(rejected)
    assert edit_row(rejected, row_id, {"code": "z"}) is False
    assert staged_rows(rejected) == before


@pytest.mark.parametrize(
    "column", ["id", "import_status", "error_code", "batch_id", "created_at", "nosuch", 'code" = 1; --', "%s", ""]
)
def test_other_columns_are_refused(rejected: Entity, column: str):
    with pytest.raises(StagingError, match="may not be edited"):
        edit_row(rejected, 2, {column: "1"})
    assert get_row(rejected, 2)["import_status"] == 2  # type: ignore[index]


def test_a_cancelled_attribute_is_not_written(rejected: Entity):
    rejected.attributes.filter(name="staff").update(is_cancelled=True)
    with pytest.raises(StagingError, match="may not be edited: staff"):
        edit_row(rejected, 2, {"staff": "1"})


@pytest.mark.parametrize(("column", "value"), [("import_action", "7"), ("import_action", "x"), ("label", "a\x00b")])
def test_a_value_no_column_can_keep_is_refused(rejected: Entity, column: str, value: str):
    with pytest.raises(StagingError):
        edit_row(rejected, 2, {column: value})


def test_an_empty_action_means_the_default(rejected: Entity):
    assert edit_row(rejected, 2, {"import_action": " "})
    assert get_row(rejected, 2)["import_action"] is None  # type: ignore[index]


@pytest.mark.parametrize(
    ("chosen", "codes"),
    [
        ({}, "bcd"),
        ({"ids": [2, 4, 5, 99]}, "bd"),
        ({"bit": 8}, "c"),
        ({"ids": [2, 3], "bit": 8}, "c"),
        ({"ids": []}, ""),
    ],
)
def test_retry_sets_only_rejected_rows_pending(rejected: Entity, sql: Sql, chosen: dict, codes: str):
    assert retry_rows(rejected, **chosen) == len(codes)
    pending = sql("SELECT code FROM stg_branch WHERE import_status = 0 AND error_code = 0 ORDER BY id")
    assert [code for (code,) in pending] == ["a", *codes]


def test_retry_takes_ten_thousand_ids(rejected: Entity):
    assert retry_rows(rejected, ids=range(10_000)) == 3


def test_retention_deletes_old_processed_rows_within_the_limit(branch: Entity, sql: Sql):
    for days, status in [(0, 1), (1, 1), (2, 1), (3, 1), (4, 1), (5, 0), (6, 2), (7, 3)]:
        sql(
            "INSERT INTO stg_branch (code, import_status, created_at) VALUES (%s, %s, %s)",
            f"d{days}", status, to_database(NOW - timedelta(days=days)),
        )  # fmt: skip
    assert [delete_processed(branch, NOW - timedelta(days=1), 2) for _ in range(3)] == [2, 1, 0]
    assert [row["code"] for row in staged_rows(branch)] == ["d7", "d6", "d5", "d1", "d0"]


def test_retention_spares_rows_whose_batch_ended_lately_or_runs(branch: Entity, sql: Sql):
    old = NOW - timedelta(days=30)
    states = [("completed", NOW), ("running", None), ("completed", old)]
    for status, finished in states:
        batch = Batch.objects.create(entity=branch, status=status, created_at=old, finished_at=finished)
        sql(
            "INSERT INTO stg_branch (import_status, created_at, batch_id) VALUES (1, %s, %s)",
            to_database(old), batch.pk,
        )  # fmt: skip
    assert delete_processed(branch, NOW - timedelta(days=7), 10) == 1
    assert [row["id"] for row in staged_rows(branch)] == [2, 1]


def test_a_column_dropped_by_others_is_named_and_never_read_as_text(rejected: Entity, sql: Sql):
    sql("ALTER TABLE stg_branch DROP COLUMN label")
    with pytest.raises(TableMismatch, match=r"stg_branch\.label is missing"):
        staged_rows(rejected)
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
