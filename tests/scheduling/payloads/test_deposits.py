"""Promise: rows that hold anything at all land or are refused one by one, are judged by a batch, and shown as text."""

import csv
import json
from io import BytesIO, StringIO
from typing import Any
from urllib.parse import urlencode, urljoin

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from openpyxl import Workbook
from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE

from scheduling import clock
from scheduling.runs.by_hand import start_batch_now
from tests.depth import some
from tests.scheduling.conftest import work_off
from tests.scheduling.payloads.corpus import PAYLOADS, TEXTS
from tests.scheduling.payloads.reading import Page, faults
from tests.scheduling.payloads.test_forms import FORM, encoded
from tests.scheduling.payloads.test_pages import API, EXPORTS, formulas_in
from tests.scheduling.payloads.world import TYPES, World

pytestmark = pytest.mark.django_db
COLUMNS = ["code", "name", "new_code", "import_action", "batch_tag", "region", *(f"as_{kind.value}" for kind in TYPES)]
ROWS = "/api/v1/entities/customer/rows"
FORMS = ["array", "lines", "csv"]


def rows() -> list[dict[str, str]]:
    """Return one row for each payload in each column; the codes differ, so that every row is judged for itself."""
    found = []
    for column in COLUMNS:
        for number, payload in enumerate(PAYLOADS.values()):
            found.append({"code": f"{column}{number}", "name": "x", column: payload[:20_000]})
    return some(found, one_in=12)


def as_csv(found: list[dict[str, str]]) -> bytes:
    """Return rows as a file; half a surrogate pair would make it no text at all."""
    text = StringIO()
    writer = csv.DictWriter(text, COLUMNS)
    writer.writeheader()
    writer.writerows(found)
    return text.getvalue().encode(errors="replace")


def sent(client: Client, form: str, found: list[dict[str, str]]) -> Any:
    """Deposit rows by the API."""
    if form == "csv":
        return client.post(ROWS, as_csv(found), content_type="text/csv")
    if form == "lines":
        lines = "\n".join(map(json.dumps, found))
        return client.post(ROWS, lines.encode(), content_type="application/x-ndjson")
    return client.post(ROWS, json.dumps(found), content_type="application/json")


def looked_at(client: Client, world: World) -> dict[str, Any]:
    """Return what is wrong with the pages and files that show the rows of the customer and the tables themselves."""
    entity = world.keys["entity"]
    addresses = [f"/admin/staging/entity/{entity}/{each}" for each in
                 ("rows/", "rows/?status=rejected", "rows/?status=waiting", "members/", "contract/",
                  "rows/replace/")]  # fmt: skip
    addresses += [f"/api/v1/{each}".format(**world.keys) for each in API]
    addresses += ["/admin/", "/admin/staging/batch/", "/admin/scheduling/schedulerlog/"]
    wrong: dict[str, Any] = {at: found for at in addresses if (found := faults(client.get(at)))}
    for pattern in EXPORTS:
        if found := formulas_in(client.get(pattern.format(**world.keys))):
            wrong[pattern] = found
    with connection.cursor() as cursor:
        assert {"stg_customer", "mdm_customer"} <= set(connection.introspection.table_names(cursor))
    return wrong


@pytest.mark.parametrize("form", FORMS)
def test_rows_by_the_api(form: str, world: World, visitor: Client) -> None:
    found = rows()
    answer = sent(visitor, form, found)
    assert answer.status_code == 200, answer.content[:500]
    told = answer.json()
    assert told["landed"] + told["refused_total"] == len(found) and told["landed"] > len(found) / 2
    started = start_batch_now(world.customer.configuration, started_by="ann", now=clock.now())
    work_off(clock.now())
    started.batch.refresh_from_db()
    assert started.batch.status in ("completed", "failed") and not started.batch.error, started.batch.error
    assert looked_at(visitor, world) == {}


@pytest.mark.parametrize("form", FORMS)
def test_keys_columns_and_documents_that_are_none(form: str, world: World, visitor: Client) -> None:
    for payload in some(TEXTS, one_in=4):
        bad_key = [{"code": "a", payload[:3000]: "x"}]
        if form == "csv":
            head = StringIO()
            csv.writer(head).writerow(["code", payload[:3000]])
            body: bytes = (head.getvalue() + "a,x\n").encode(errors="surrogatepass")
        else:
            body = json.dumps(bad_key if form == "array" else bad_key[0]).encode()
        kinds = {"csv": "text/csv", "array": "application/json", "lines": "application/x-ndjson"}
        for content in (body, payload.encode(errors="surrogatepass")):
            answer = visitor.post(ROWS, content, content_type=kinds[form])
            assert answer.status_code in (200, 400, 413, 415) and not faults(answer), (
                payload[:50],
                answer.content[:300],
            )


def uploaded(client: Client, world: World, name: str, content: bytes) -> list[str]:
    """Choose a file, look at it, deposit it as is suggested; return what is wrong on the way."""
    first = f"/admin/staging/entity/{world.keys['entity']}/rows/upload/"
    answer = client.post(first, {"file": SimpleUploadedFile(name, content)})
    found = faults(answer)
    if answer.status_code != 302:
        return found
    check = answer["Location"]
    page = client.get(check)
    found += faults(page)
    if page.status_code == 200:
        for form in Page(page.content.decode()).forms:
            if form.method == "post" and "tag" in form.names:
                done = client.post(urljoin(check, form.action), encoded(form.sent()), content_type=FORM)
                found += faults(done)
                if done.status_code == 302:
                    found += faults(client.get(done["Location"]))
    return found


def book(found: list[dict[str, str]]) -> bytes:
    """Return rows as a workbook; what no workbook can hold is left out."""
    made, target = Workbook(write_only=True), BytesIO()
    sheet = made.create_sheet()
    sheet.append(COLUMNS)
    for row in found:
        texts = (ILLEGAL_CHARACTERS_RE.sub("", row.get(column, ""))[:32_000] for column in COLUMNS)
        sheet.append([text.encode(errors="replace").decode() for text in texts])
    made.save(target)
    return target.getvalue()


def test_rows_by_files(world: World, visitor: Client) -> None:
    found = rows()
    lines = "\n".join(map(json.dumps, found)).encode()
    for name, content in {"a.csv": as_csv(found), "a.xlsx": book(found), "a.jsonl": lines}.items():
        assert uploaded(visitor, world, name, content) == []
    start_batch_now(world.customer.configuration, started_by="ann", now=clock.now())
    work_off(clock.now())
    assert looked_at(visitor, world) == {}


@pytest.mark.parametrize("suffix", some([".csv", ".xlsx", ".jsonl", ""], one_in=2))
def test_names_and_contents_of_files_that_are_none(suffix: str, world: World, visitor: Client) -> None:
    wrong = {}
    for key, payload in some(list(PAYLOADS.items()), one_in=12):
        name = payload[:150].replace("\x00", "") + suffix or "x"
        for content in (b"code,name\na,b\n", payload.encode(errors="surrogatepass")):
            if faulty := uploaded(visitor, world, name.encode(errors="replace").decode(), content):
                wrong[key] = faulty
    assert wrong == {}


def test_holidays_that_are_none(world: World, visitor: Client) -> None:
    address = f"/admin/scheduling/blackoutcalendar/{world.keys['blackoutcalendar']}/import/"
    begins, ends = (
        "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nDTSTART;VALUE=DATE:20261225\r\nSUMMARY:",
        ("\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"),
    )
    for payload in some(TEXTS, one_in=12):
        coded = payload.encode(errors="surrogatepass")
        contents = {"a.ics": begins.encode() + coded + ends.encode(), "a.csv": b"2026-12-25," + coded, "b.ics": coded}
        for name, content in contents.items():
            answer = visitor.post(address, {"file": SimpleUploadedFile(name, content)})
            assert faults(answer) == []
            for form in Page(answer.content.decode()).forms:
                if "drafts" in form.names:
                    done = visitor.post(address, encoded(form.sent()), content_type=FORM)
                    assert faults(done) == []
    assert faults(visitor.get(address.replace("import", "change"))) == []


def test_the_query_of_a_deposit(world: World, visitor: Client) -> None:
    for payload in some(TEXTS, one_in=4):
        query = urlencode({"tag": payload[:3000]}, errors="surrogatepass")
        answer = visitor.post(f"{ROWS}?{query}", '[{"code":"a"}]', content_type="application/json")
        assert answer.status_code in (200, 400) and not faults(answer)
