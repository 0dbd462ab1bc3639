"""Promise: whatever the texts of an installation hold, every page and every export shows them as text."""

import csv
import json
import random
import re
from collections.abc import Iterator
from io import BytesIO, StringIO
from urllib.parse import urljoin, urlsplit

import pytest
from django.contrib.auth.models import User
from django.test import Client
from openpyxl import load_workbook

from staging.exports.guard import _FORMULA, _NUMBER
from staging.models import ApiToken
from tests.depth import DEEP, some
from tests.scheduling.admin.addresses import addresses
from tests.scheduling.payloads.corpus import PAYLOADS, few
from tests.scheduling.payloads.reading import Page, content_of, faults
from tests.scheduling.payloads.world import World, fill_with

pytestmark = pytest.mark.django_db
_SKIPPED = re.compile(r"[?&](o|p|_facets|all)=|/logout/|/jsi18n/|/static/|#")
MOST = 900
# Pages that show more when they are asked for something.
ASKED = [
    "/admin/staging/businessrule/add/?entity={entity}",
    "/admin/scheduling/schedulerconfiguration/{schedulerconfiguration}/undo/?batch={batch}",
    "/admin/scheduling/schedulerconfiguration/{schedulerconfiguration}/held/?batch={held}",
    "/admin/scheduling/schedulerconfiguration/{schedulerconfiguration}/decide/?batch={held}&verb=discard&scope=all",
    "/admin/scheduling/run/{run}/retry/?task={task_id}",
    "/admin/scheduling/run/{run}/step/?task={task_id}",
]


def pages(world: World) -> Iterator[str]:
    """Yield the address of every page that the resolver knows."""
    for pattern, name in addresses():
        if pattern.startswith("/admin/") and name != "logout" and "(?P" not in pattern:
            yield world.fill(pattern)
    yield from (each.format(**world.keys) for each in ASKED)


def crawl(client: Client, start: list[str]) -> Iterator[tuple[str, object]]:
    """Yield these pages and those that they lead to, every twelfth of the latter in a quick check."""
    found: dict[str, None] = dict.fromkeys(start)
    for place in range(MOST):
        if place >= len(found):
            return
        address = list(found)[place]
        if place >= len(start) and place % 12 and not DEEP:
            continue
        response = client.get(address)
        yield address, response
        if response.headers.get("Content-Type", "").startswith("text/html"):
            for link in Page(response.content.decode()).links:
                whole = urljoin(address, link)
                if urlsplit(whole).path.startswith("/admin/") and not _SKIPPED.search(whole):
                    found.setdefault(whole)


def formulas_in(response: object) -> list[str]:
    """Return the cells of an export that a spreadsheet would calculate."""
    content = content_of(response)
    if content.startswith(b"PK"):
        cells = [cell for sheet in load_workbook(BytesIO(content)) for row in sheet.iter_rows() for cell in row]
        return [f"{cell.value!r}" for cell in cells if cell.data_type == "f" or _calculates(cell.value)]
    rows = csv.reader(StringIO(content.decode("utf-8-sig"), newline=""))
    return [f"{cell!r}" for row in rows for cell in row if _calculates(cell)]


def _calculates(value: object) -> bool:
    is_text = isinstance(value, str) and not value.startswith("'")
    return is_text and bool(_FORMULA.match(str(value))) and not _NUMBER.fullmatch(str(value))


EXPORTS = [
    f"/admin/staging/entity/{{entity}}/{what}/export/?format={form}"
    for what in ("rows", "members")
    for form in ("csv", "xlsx")
]
API = ["entities", "entities/customer", "entities/customer/rows", "entities/customer/rows?status=rejected",
       "entities/customer/members", "entities/customer/changes", "entities/customer/schedule", "batches",
       "batches/{batch}", "batches/{batch}/changes", "runs", "runs/{run}", "log", "plans", "jobs", "queues",
       "calendars", "status", "model"]  # fmt: skip


@pytest.mark.parametrize("round_", range(12 if DEEP else 1))
def test_every_page_shows_what_was_stored_as_text(round_: int, world: World, visitor: Client) -> None:
    """One payload is many at once; when deep, others follow, chosen by the seed of the round."""
    name = random.choice(list(PAYLOADS)) if round_ else "many at once"
    fill_with(PAYLOADS[name])
    wrong, read = {}, 0
    for address, response in crawl(visitor, list(pages(world))):
        read += 1
        if found := faults(response):
            wrong[address] = found
    assert wrong == {} and read > 100, name


@pytest.mark.parametrize("name", few(6))
def test_every_export_is_calculated_by_no_spreadsheet(name: str, world: World, visitor: Client) -> None:
    fill_with(PAYLOADS[name])
    for pattern in EXPORTS:
        response = visitor.get(pattern.format(**world.keys))
        assert response.status_code == 200 and formulas_in(response) == [], pattern


@pytest.mark.parametrize("name", few(6))
def test_the_api_tells_it_as_json_and_nothing_else(name: str, world: World, visitor: Client) -> None:
    fill_with(PAYLOADS[name])
    for pattern in API:
        response = visitor.get("/api/v1/" + pattern.format(**world.keys))
        assert response.status_code == 200, (pattern, response.content[:300])
        assert "json" in response["Content-Type"] and response["X-Content-Type-Options"] == "nosniff"
        json.loads(content_of(response))


def test_every_export_is_a_download_of_a_plain_name(world: World, visitor: Client) -> None:
    """No export is shown by a browser, and what people wrote is no part of its name."""
    fill_with(PAYLOADS["line"])
    for pattern in EXPORTS:
        response = visitor.get(pattern.format(**world.keys))
        assert re.fullmatch(r'attachment; filename="[a-z0-9_.-]+\.(csv|xlsx)"', response["Content-Disposition"]), (
            pattern
        )
        assert response["X-Content-Type-Options"] == "nosniff" and "html" not in response["Content-Type"]


def test_no_page_and_no_answer_holds_a_hash(world: World, visitor: Client) -> None:
    User.objects.filter(username="owner").update(password="md5$canary$hash")
    ApiToken.objects.update(secret_hash="canary-hash")
    addresses = [*some(list(pages(world)), one_in=8), *(f"/api/v1/{each.format(**world.keys)}" for each in API)]
    addresses += [world.fill(f"/admin/{each}/<path:object_id>/change/") for each in ("auth/user", "staging/apitoken")]
    shown = {each for each in addresses if b"canary" in content_of(visitor.get(each))}
    assert shown == set()
