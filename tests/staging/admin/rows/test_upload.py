"""A file is chosen, looked at, and put into staging; rejected rows go out as a file and come back corrected."""

import re
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pytest
from django.contrib.admin.models import LogEntry
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.urls import reverse
from openpyxl import load_workbook

from staging.models import Entity, Handling, UploadMapping
from tests.staging.admin.conftest import Reject, Stored

CSV = "Code;Staff;Remark\nA;12;x\nB;13;=1+1\n".encode("cp1252")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, settings) -> Path:
    settings.UPLOAD_FOLDER = str(tmp_path)
    return tmp_path


@pytest.fixture
def operator(as_role: Callable[[str], Client]) -> Client:
    """May bring rows, and not mend them."""
    return as_role("Operator")


def _choose(client: Client, entity: Entity, content: bytes, name: str = "branches.csv"):
    return client.post(
        reverse("admin:staging_rows_upload", args=[entity.pk]), {"file": SimpleUploadedFile(name, content)}
    )


def _staged() -> list[tuple[str, str, str | None, str]]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT code, staff, note, batch_tag FROM stg_branch ORDER BY id")
        return cursor.fetchall()


def _export(client: Client, entity: Entity, kind: str, **filters: int) -> bytes:
    url = reverse("admin:staging_rows_export", args=[entity.pk])
    return b"".join(client.get(url, {"format": kind, **filters}).streaming_content)


def test_a_file_is_looked_at_mapped_and_deposited(operator: Client, branch: Entity, folder: Path) -> None:
    response = _choose(operator, branch, CSV)
    assert response.status_code == 302 and _staged() == []
    check = response["Location"]
    page = operator.get(check)
    assert page.context["unknown"] == ["Remark"]
    assert [line[0].value() for line in page.context["lines"]] == ["code", "staff", ""]
    html = page.content.decode()
    assert "=1+1" in html and "Remark" in html and 'value="SEMICOLON" selected' in html

    response = operator.post(check, {"to_0": "code", "to_1": "staff", "to_2": "note", "tag": "november"}, follow=True)

    assert "2 rows of branches.csv wait for the next batch." in response.content.decode()
    assert _staged() == [("A", "12", "x", "november"), ("B", "13", "=1+1", "november")]
    work = Handling.objects.get()
    assert (work.entity, work.handled_by, work.last_id - work.first_id) == (branch, "Operator-user", 1)
    assert list(folder.iterdir()) == []
    assert UploadMapping.objects.get().columns == {"Code": "code", "Staff": "staff", "Remark": "note"}
    assert LogEntry.objects.get().get_change_message() == (
        "Uploaded 2 rows from “branches.csv”, with the batch tag “november”."
    )
    again = operator.post(check, {"to_0": "code"}, follow=True)
    assert "no longer kept" in again.content.decode() and len(_staged()) == 2
    page = operator.get(_choose(operator, branch, CSV)["Location"])
    assert [line[0].value() for line in page.context["lines"]] == ["code", "staff", "note"]


def test_how_the_file_is_read_can_be_chosen(operator: Client, branch: Entity) -> None:
    check = _choose(operator, branch, CSV)["Location"]
    assert operator.get(f"{check}&delimiter=COMMA").context["columns"] == ["Code;Staff;Remark"]
    page = operator.get(f"{check}&head=no&delimiter=nonsense")
    assert page.context["columns"] == ["Column 1", "Column 2", "Column 3"]
    assert [line[0].value() for line in page.context["lines"]] == ["code", "name", "staff"]


@pytest.mark.parametrize(
    ("content", "says"),
    [(b"", "The file is empty."), (b"%PDF-1.4", "This is a PDF document."), (b"PK\x03\x04..", "may be damaged")],
)
def test_a_file_that_cannot_be_read_is_told_at_its_field_and_not_kept(
    operator: Client, branch: Entity, folder: Path, content: bytes, says: str
) -> None:
    response = _choose(operator, branch, content)
    assert says in response.context["form"].errors["file"][0]
    assert list(folder.iterdir()) == []


def test_a_file_that_is_too_big_is_given_up_while_it_comes_in(
    operator: Client, branch: Entity, folder: Path, settings
) -> None:
    settings.UPLOAD_MAX_BYTES = 100_000
    response = _choose(operator, branch, b"code\n" + b"A\n" * 100_000)
    assert response.context["form"].errors["file"] == [
        "The file is larger than 100,000 bytes. Cut it into several files."
    ]
    assert list(folder.iterdir()) == []


def test_a_fault_in_the_file_is_told_with_its_line_and_can_be_tried_again(operator: Client, branch: Entity) -> None:
    check = _choose(operator, branch, b"code,staff\nA,1\n" + b"B,2\n" * 20 + b"C\n")["Location"]
    html = operator.post(check, {"to_0": "code", "to_1": "staff", "tag": "t"}).content.decode()
    assert "Nothing was stored." in html and "Line 23 has 1 values" in html
    assert _staged() == [] and not LogEntry.objects.exists()
    html = operator.post(check, {"to_0": "", "to_1": "staff"}).content.decode()
    assert "No column of the file goes into &#x27;code&#x27;" in html
    html = operator.post(check, {"to_0": "import_status", "to_1": "code"}).content.decode()
    assert "is not one of the available choices" in html


def test_another_person_cannot_use_the_link(operator: Client, steward: Client, branch: Entity) -> None:
    check = _choose(operator, branch, CSV)["Location"]
    assert "no longer kept" in steward.get(check, follow=True).content.decode()


@pytest.mark.parametrize("kind", ["csv", "xlsx"])
def test_rejected_rows_go_out_with_their_reasons_and_come_back_corrected(
    steward: Client, branch: Entity, reject: Reject, stored: Stored, kind: str
) -> None:
    row, moved, gone = reject(note="=cmd()", code="007"), reject(code="B2"), reject(code="B3")
    content = _export(steward, branch, kind)
    if kind == "csv":
        text = content.decode("utf-8-sig")
        assert "'=cmd()" in text and "staff: 'many' is not a whole number." in text
        content = text.replace("many", "12").encode()
    else:
        book = load_workbook(BytesIO(content))
        for cells in book.active.iter_rows(min_row=2):
            cells[4].value = 12
        saved = BytesIO()
        book.save(saved)
        content = saved.getvalue()
    with connection.cursor() as cursor:
        cursor.execute("UPDATE stg_branch SET note = 'mine' WHERE id = %s", [moved])
        cursor.execute("UPDATE stg_branch SET import_status = 0 WHERE id = %s", [gone])

    check = _choose(steward, branch, content, f"rows.{kind}")["Location"]
    assert steward.get(check).context["is_correction"]
    html = steward.post(check, follow=True).content.decode()

    assert "1 row is pending again, 1 of them with new values." in html
    assert f"changed since the export, by somebody else: row {moved}." in html
    assert f"not rejected any more: row {gone}." in html
    found = stored(row)
    assert (found["code"], found["staff"], found["note"], found["import_status"]) == ("007", "12", "=cmd()", 0)
    assert (stored(moved)["staff"], stored(gone)["staff"]) == ("many", "many")
    assert "staff from “many” to “12”" in LogEntry.objects.get().get_change_message()


def test_an_operator_may_bring_rows_and_not_corrections(
    operator: Client, branch: Entity, reject: Reject, stored: Stored
) -> None:
    row = reject()
    check = _choose(operator, branch, _export(operator, branch, "csv"))["Location"]
    assert "takes the right to mend rows" in operator.get(check).content.decode()
    assert operator.post(check).status_code == 403
    assert stored(row)["import_status"] == 2


def test_the_export_follows_the_filter_and_pages_through_all_rows(
    steward: Client, branch: Entity, reject: Reject, monkeypatch
) -> None:
    monkeypatch.setattr("staging.admin.rows.export._ROWS_AT_ONCE", 2)
    for n in range(5):
        reject(code=f"C{n}", error_code=8 if n % 2 else 16, batch_id=n)
    reject(code="done", import_status=1)

    def codes(**filters: int) -> list[str]:
        return re.findall(r"^\d+,\w+,(\w+),", _export(steward, branch, "csv", **filters).decode("utf-8-sig"), re.M)

    assert codes() == ["C4", "C3", "C2", "C1", "C0"]
    assert codes(bit=8) == ["C3", "C1"]
    assert codes(batch=2) == ["C2"]
    url = reverse("admin:staging_rows_export", args=[branch.pk])
    assert steward.get(url, {"format": "exe"}).status_code == 404


def test_rows_that_wait_for_a_code_say_so(steward: Client, branch: Entity, reject: Reject) -> None:
    message = "region: 'EU' is not an active member of Region."
    row = reject(region="EU", staff="1", error_code=32, error_message=message)
    html = steward.get(reverse("admin:staging_row_edit", args=[branch.pk, row])).content.decode()
    assert "This row waits for Region &#x27;EU&#x27;. It is tried again by itself" in html
    html = steward.get(reverse("admin:staging_rows", args=[branch.pk])).content.decode()
    assert "waits for Region &#x27;EU&#x27;" in html
    assert "Codes that rejected rows wait for" in html
