"""A file lands as pending rows, all of it or nothing, whatever its size."""

import tracemalloc
from pathlib import Path

import pytest
from django.db import connection

from staging.errors import BadFile, StagingError
from staging.models import Entity
from staging.uploads.deposit import deposit
from staging.uploads.reading.formats import Delimiter, FileKind, Format
from tests.staging.batches.bench import define, execute, fetch, run_batch, staged, text
from tests.staging.uploads.making import text_file, workbook

pytestmark = pytest.mark.django_db

CSV = Format(FileKind.CSV)


@pytest.fixture
def branch() -> Entity:
    return define("branch", text("city"), text("staff"))


def test_rows_land_pending_with_the_tag_and_blank_values_as_null(branch: Entity, tmp_path: Path) -> None:
    path = text_file(tmp_path, "Key,City,Junk\nA,Köln,1\n,,2\nB,,3\n")
    assert deposit(branch, path, CSV, {"Key": "code", "City": "city", "Junk": ""}, "delivery 7") == 2
    rows = staged(branch)
    assert [(row["code"], row["city"], row["staff"], row["batch_tag"]) for row in rows] == [
        ("A", "Köln", None, "delivery 7"),
        ("B", None, None, "delivery 7"),
    ]
    assert {(row["import_status"], row["error_code"]) for row in rows} == {(0, 0)}
    assert all(row["created_at"] for row in rows)
    assert run_batch(branch, tag="delivery 7").inserted == 2


def test_values_that_look_like_sql_or_copy_are_only_values(branch: Entity, tmp_path: Path) -> None:
    values = [
        "\\.",
        "\\N",
        "a\\tb",
        "'; DROP TABLE stg_branch; --",
        "100%",
        "%s",
        "tab\there",
        'quote"',
        "<b>",
        "\u202eabc",
    ]
    lines = ["code|city", *(f'{n}|"{value.replace(chr(34), chr(34) * 2)}"' for n, value in enumerate(values))]
    form = Format(FileKind.CSV, delimiter=Delimiter.PIPE)
    deposit(branch, text_file(tmp_path, "\n".join(lines)), form, {"code": "code", "city": "city"})
    assert [row["city"] for row in staged(branch)] == values


@pytest.mark.parametrize(
    ("text_", "says"),
    [
        ("code,import_action\nA,0\nB,upsert\n", "Line 3, column import_action: 'upsert' is no import action"),
        ("code,import_action\nA,0\nB,99999999999\n", "is no import action"),
        ("code,import_action\nA,0\nB\n", "Line 3 has 1 values"),
        ('code,import_action\nA,0\nB,"', "Line 3: the file ends inside"),
    ],
)
def test_a_fault_anywhere_leaves_nothing_behind(branch: Entity, tmp_path: Path, text_: str, says: str) -> None:
    with pytest.raises(BadFile, match=says):
        deposit(branch, text_file(tmp_path, text_), CSV, {"code": "code", "import_action": "import_action"})
    assert staged(branch) == []


def test_actions_are_numbers_and_an_unknown_one_is_for_the_batch_to_judge(branch: Entity, tmp_path: Path) -> None:
    path = text_file(tmp_path, "code,a\nA, 3 \nB,\nC,9\n")
    deposit(branch, path, CSV, {"code": "code", "a": "import_action"})
    assert [row["import_action"] for row in staged(branch)] == [3, None, 9]


def test_a_tag_given_for_the_file_stands_for_the_tags_in_it(branch: Entity, tmp_path: Path) -> None:
    path = text_file(tmp_path, "code,tag\nA,one\nB,\n")
    mapping = {"code": "code", "tag": "batch_tag"}
    deposit(branch, path, CSV, mapping)
    deposit(branch, path, CSV, mapping, "all")
    assert [row["batch_tag"] for row in staged(branch)] == ["one", None, "all", "all"]
    with pytest.raises(BadFile, match="200 characters"):
        deposit(branch, path, CSV, mapping, "x" * 201)


def test_a_workbook_and_json_lines_land_the_same_way(branch: Entity, tmp_path: Path) -> None:
    deposit(
        branch,
        workbook(tmp_path, [["code", "staff"], ["A", 12]]),
        Format(FileKind.XLSX),
        {"code": "code", "staff": "staff"},
    )
    json = text_file(tmp_path, '{"code": "B", "staff": 3}')
    deposit(branch, json, Format(FileKind.JSON_LINES), {"code": "code", "staff": "staff"})
    assert [(row["code"], row["staff"]) for row in staged(branch)] == [("A", "12"), ("B", "3")]


def test_a_number_of_json_lines_is_whole_where_whole_numbers_go_as_in_a_workbook(tmp_path: Path) -> None:
    thing = define("thing", {"name": "n", "data_type": "integer"}, {"name": "d", "data_type": "decimal"}, text("t"))
    lines = ['{"code": "a", "n": 1.0, "d": 1.0, "t": 1.0}', '{"code": "b", "n": -1e2, "d": 12.50, "t": "1.0"}',
             '{"code": "c", "n": 1.5}', '{"code": "d", "n": "1.0"}', '{"code": "e", "n": 1e999999}']  # fmt: skip
    mapping = {name: name for name in ("code", "n", "d", "t")}
    deposit(thing, text_file(tmp_path, "\n".join(lines)), Format(FileKind.JSON_LINES), mapping)
    found = [(row["n"], row["d"], row["t"]) for row in staged(thing)]
    assert found[:4] == [("1", "1.0", "1.0"), ("-100", "12.50", "1.0"), ("1.5", None, None), ("1.0", None, None)]
    assert [row["code"] for row in staged(thing)] == list("abcde")
    assert run_batch(thing).inserted == 2


def test_a_broken_table_is_told_and_nothing_lands(branch: Entity, tmp_path: Path) -> None:
    execute("ALTER TABLE stg_branch RENAME COLUMN city TO town")
    with pytest.raises(StagingError, match=r"stg_branch\.city is missing"):
        deposit(branch, text_file(tmp_path, "code,city\nA,x\n"), CSV, {"code": "code", "city": "city"})


def test_a_long_file_needs_no_more_memory_than_a_short_one(branch: Entity, tmp_path: Path) -> None:
    path = tmp_path / "long.csv"
    with path.open("w") as file:
        file.write("code,city,staff\n")
        file.writelines(f"C{n},City of number {n},{n % 90}\n" for n in range(40_000))
    tracemalloc.start()
    count = deposit(branch, path, CSV, {"code": "code", "city": "city", "staff": "staff"})
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count == 40_000
    assert fetch("SELECT count(*) FROM stg_branch WHERE import_status = 0") == [(40_000,)]
    assert peak < 12_000_000, f"{peak:,} bytes on {connection.vendor}"


@pytest.mark.django_db(transaction=True)
def test_nobody_waits_while_a_file_is_read_and_a_fault_leaves_no_trace(tmp_path: Path) -> None:
    """What `also` sees is the transaction that stores the rows; before it, nothing of the database is held."""
    entity = define("branch", text("city"))
    try:
        good, bad = text_file(tmp_path, "code\nA\nB\n"), text_file(tmp_path, "code\nA\nB,x\n", name="bad.csv")
        seen: list[tuple[int, bool]] = []
        count = deposit(
            entity, good, CSV, {"code": "code"}, also=lambda n: seen.append((n, connection.in_atomic_block))
        )
        assert (count, seen) == (2, [(2, True)])
        with pytest.raises(BadFile):
            deposit(entity, bad, CSV, {"code": "code"})
        with pytest.raises(RuntimeError):
            deposit(entity, good, CSV, {"code": "code"}, also=_fail)
        assert [row["code"] for row in staged(entity)] == ["A", "B"]
        if connection.vendor == "sqlite":
            assert fetch("SELECT name FROM sqlite_temp_master") == []
    finally:
        execute("DROP TABLE stg_branch")
        execute("DROP TABLE mdm_branch")


def _fail(count: int) -> None:
    raise RuntimeError
