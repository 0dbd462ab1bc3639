"""Rejected rows go out as a file and come back corrected, matched by their id; nothing else is touched."""

from pathlib import Path
from typing import Any

import pytest

from staging.errors import BadFile
from staging.exports.csv import write_csv
from staging.exports.xlsx import write_xlsx
from staging.models import Entity
from staging.tables.mending import row_check
from staging.tables.rows import get_row, staged_rows
from staging.uploads.correct import correct
from staging.uploads.reading.formats import FileKind, Format
from tests.staging.batches.bench import define, execute, run_batch, stage, staged, text

pytestmark = pytest.mark.django_db

CSV, XLSX = Format(FileKind.CSV), Format(FileKind.XLSX)
COLUMNS = ["row_id", "row_check", "code", "name", "staff", "note", "errors"]


@pytest.fixture
def branch() -> Entity:
    """Three rejected rows with awkward notes."""
    entity = define("branch", {"name": "staff", "data_type": "integer"}, text("note"))
    stage(
        entity,
        {"code": "A", "staff": "many", "note": "=1+1"},
        {"code": "B", "staff": "some", "note": "two\r\nlines", "name": " x "},
        {"code": "C", "staff": "few", "note": "'=odd\x07"},
    )
    run_batch(entity)
    return entity


def exported(entity: Entity) -> list[list[Any]]:
    return [
        [row["id"], row_check(row), row["code"], row["name"], row["staff"], row["note"], row["error_message"]]
        for row in staged_rows(entity, status=2)
    ]


def written(folder: Path, rows: list[list[Any]], form: Format = CSV, columns: list[str] = COLUMNS) -> Path:
    path = folder / "rows"
    path.write_bytes(b"".join((write_csv if form == CSV else write_xlsx)(rows, columns)))
    return path


@pytest.mark.parametrize("form", [CSV, XLSX], ids=["csv", "xlsx"])
def test_what_was_corrected_is_stored_and_all_else_comes_back_as_it_was(
    branch: Entity, tmp_path: Path, form: Format
) -> None:
    rows = exported(branch)
    for row in rows:
        row[4] = {"A": "1", "B": 2, "C": "few"}[row[2]]
    done = correct(branch, written(tmp_path, rows, form), form)
    assert (done.pending, done.changed, done.moved, done.gone) == (3, 2, [], [])
    assert {change[0]: change[1] for change in done.changes} == {
        staged(branch)[0]["id"]: {"staff": ("many", "1")},
        staged(branch)[1]["id"]: {"staff": ("some", "2")},
    }
    found = [(r["code"], r["staff"], r["note"], r["name"], r["import_status"], r["error_code"]) for r in staged(branch)]
    assert found == [
        ("A", "1", "=1+1", None, 0, 0),
        ("B", "2", "two\r\nlines", " x ", 0, 0),
        ("C", "few", "'=odd\x07", None, 0, 0),
    ]


def test_rows_that_changed_meanwhile_or_are_not_rejected_any_more_are_told_and_not_touched(
    branch: Entity, tmp_path: Path
) -> None:
    rows = [[*row[:4], "7", *row[5:]] for row in exported(branch)] + [[999_999, "x", "D", None, "7", None, None]]
    ids = {row["code"]: row["id"] for row in staged(branch)}
    execute("UPDATE stg_branch SET staff = '5' WHERE code = 'A'")
    execute("UPDATE stg_branch SET import_status = 1 WHERE code = 'B'")
    done = correct(branch, written(tmp_path, rows), CSV)
    assert (done.pending, done.moved, sorted(done.gone)) == (1, [ids["A"]], [ids["B"], 999_999])
    assert [(row["staff"], row["import_status"]) for row in staged(branch)] == [("5", 2), ("some", 1), ("7", 0)]


def test_only_columns_that_the_file_has_are_looked_at_and_blank_is_null(branch: Entity, tmp_path: Path) -> None:
    rows = [[row[0], row[1], ""] for row in exported(branch)]
    correct(branch, written(tmp_path, rows, columns=["row_id", "row_check", "staff"]), CSV)
    assert (staged(branch)[0]["staff"], staged(branch)[0]["note"]) == (None, "=1+1")


def test_a_column_that_was_added_since_the_export_does_no_harm(branch: Entity, tmp_path: Path) -> None:
    path = written(tmp_path, exported(branch))
    execute("ALTER TABLE stg_branch ADD COLUMN city text")
    branch.attributes.create(name="city")
    assert correct(branch, path, CSV).pending == 3


@pytest.mark.parametrize(
    ("columns", "change", "says"),
    [
        (["row_id", "x", *COLUMNS[2:]], None, "row_check are missing"),
        (["row_id", "row_check", "import_status", *COLUMNS[3:]], None, "no column .* 'import_status'"),
        (COLUMNS, {0: "12x"}, "Line 3, column row_id: '12x' is not the number of a row"),
        (COLUMNS, {0: "same"}, "is in the file twice"),
    ],
)
def test_a_file_that_cannot_be_matched_changes_nothing(
    branch: Entity, tmp_path: Path, columns: list[str], change: dict[int, str] | None, says: str
) -> None:
    rows = [[*row[:4], "7", "plain", row[6]] for row in exported(branch)]
    for place, value in (change or {}).items():
        rows[1][place] = rows[0][place] if value == "same" else value
    with pytest.raises(BadFile, match=says):
        correct(branch, written(tmp_path, rows, columns=columns), CSV)
    assert {row["import_status"] for row in staged(branch)} == {2}


def test_many_rows_are_stored_in_steps(tmp_path: Path, monkeypatch) -> None:
    entity = define("branch", {"name": "staff", "data_type": "integer"}, text("note"))
    stage(entity, *({"code": f"C{n}", "staff": "many"} for n in range(25)))
    run_batch(entity)
    monkeypatch.setattr("staging.uploads.correct._ROWS_AT_ONCE", 10)
    rows = [[*row[:4], str(row[0]), *row[5:]] for row in exported(entity)]
    assert correct(entity, written(tmp_path, rows), CSV).pending == 25
    assert all((get_row(entity, row[0]) or {})["staff"] == str(row[0]) for row in rows)
