"""`upload_rows`: a file into staging, all or none; bad input is one line and exit code 2."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from staging.exports.csv import write_csv
from staging.models import Entity
from staging.tables.mending import row_check
from staging.tables.rows import staged_rows
from staging.uploads.columns import remember_mapping
from tests.staging.batches.bench import define, run_batch, stage, staged

pytestmark = pytest.mark.django_db


@pytest.fixture
def branch() -> Entity:
    return define("branch", {"name": "staff", "data_type": "integer"})


def answer(*arguments: Any, **options: Any) -> dict[str, Any]:
    out = io.StringIO()
    call_command("upload_rows", *map(str, arguments), stdout=out, json=True, **options)
    return json.loads(out.getvalue())


def test_the_rows_of_a_file_wait_and_unknown_columns_are_told(branch: Entity, tmp_path: Path) -> None:
    path = tmp_path / "branches.csv"
    path.write_text("Code;Staff;Remark\nA;12;x\nB;13;y\n")
    assert answer("branch", path, tag="november") == {
        "entity": "branch",
        "file": "branches.csv",
        "kind": "csv",
        "tag": "november",
        "rows": 2,
        "columns": {"Code": "code", "Staff": "staff"},
        "unknown": ["Remark"],
    }
    assert [(row["code"], row["staff"], row["batch_tag"]) for row in staged(branch)] == [
        ("A", "12", "november"),
        ("B", "13", "november"),
    ]


def test_what_the_admin_remembers_is_followed(branch: Entity, tmp_path: Path) -> None:
    remember_mapping(branch, {"Key": "code", "Remark": "", "People": "staff"})
    path = tmp_path / "x.jsonl"
    path.write_text('{"Key": "A", "People": 3, "Remark": 1}\n')
    found = answer("branch", path)
    assert (found["kind"], found["columns"], found["unknown"]) == ("jsonl", {"Key": "code", "People": "staff"}, [])


def test_an_export_of_rejected_rows_goes_back_into_its_places(branch: Entity, tmp_path: Path) -> None:
    stage(branch, {"code": "A", "staff": "many"})
    run_batch(branch)
    (row,) = staged_rows(branch, status=2)
    path = tmp_path / "branch-rejected.csv"
    path.write_bytes(b"".join(write_csv([[row["id"], row_check(row), "12"]], ["row_id", "row_check", "staff"])))
    found = answer("branch", path)
    assert (found["rows"], found["changed_meanwhile"], found["not_rejected"]) == (1, [], [])
    assert (staged(branch)[0]["staff"], staged(branch)[0]["import_status"]) == ("12", 0)


@pytest.mark.parametrize(
    ("entity", "content", "says"),
    [
        ("nobody", b"code\nA\n", "no entity with the code 'nobody'"),
        ("branch", None, "no file that can be read"),
        ("branch", b"", "The file is empty"),
        ("branch", b"foo,bar\nA,1\n", "No column of the file goes into 'code'"),
        ("branch", b"code,staff\nA,1\nB\n", "Line 3 has 1 values"),
    ],
)
def test_bad_input_is_one_line_with_exit_code_2_and_nothing_stored(
    branch: Entity, tmp_path: Path, entity: str, content: bytes | None, says: str
) -> None:
    path = tmp_path / "file"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(CommandError, match=says) as found:
        answer(entity, path)
    assert found.value.returncode == 2 and "\n" not in str(found.value)
    assert staged(branch) == []
