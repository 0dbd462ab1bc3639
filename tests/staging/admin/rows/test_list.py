"""Rows of an entity: grouped by error, paged, escaped, and shown only to those who may look."""

import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from staging.entities.save import save_entity
from staging.models import Batch, Entity
from staging.states import ErrorBit
from tests.staging.admin.conftest import Reject

PAYLOAD = "<script>alert('x')</script>\"><img src=x onerror=alert(1)>"


def _page(client: Client, entity: Entity, **query: object) -> str:
    response = client.get(reverse("admin:staging_rows", args=[entity.pk]), query)
    assert response.status_code == 200
    return response.content.decode()


def _row_links(html: str) -> list[int]:
    table = html.partition('class="sheet rows"')[2]
    return sorted({int(found) for found in re.findall(r"/rows/(\d+)/", table)})


def test_rejected_rows_are_grouped_by_error_with_count_meaning_and_an_example(
    viewer: Client, branch: Entity, reject: Reject
) -> None:
    reject()
    reject(code="B2")
    reject(code=None, error_code=int(ErrorBit.CODE_MISSING), error_message="code is missing.")
    response = viewer.get(reverse("admin:staging_rows", args=[branch.pk]))
    assert [(group.meaning, group.count) for group in response.context["groups"]] == [
        ("Not of the attribute&#x27;s type".replace("&#x27;", "'"), 2),
        ("Code missing", 1),
    ]
    assert "staff: &#x27;many&#x27; is not a whole number." in response.content.decode()


def test_a_group_leads_to_its_rows_only(viewer: Client, branch: Entity, reject: Reject) -> None:
    reject()
    missing = reject(code=None, error_code=5, error_message="code is missing.\nnote is required and would have none.")
    assert _row_links(_page(viewer, branch, status="rejected", bit=1)) == [missing]
    assert _row_links(_page(viewer, branch, status="rejected", bit=4)) == [missing]


def test_rows_of_one_batch_can_be_asked_for(viewer: Client, branch: Entity, reject: Reject) -> None:
    reject(batch_id=7)
    mine = reject(batch_id=8)
    assert _row_links(_page(viewer, branch, batch=8)) == [mine]


def test_each_status_has_its_own_page(viewer: Client, branch: Entity, reject: Reject) -> None:
    by_status = {name: reject(import_status=number) for name, number in
                 [("waiting", 0), ("processed", 1), ("rejected", 2)]}  # fmt: skip
    for name, row_id in by_status.items():
        assert _row_links(_page(viewer, branch, status=name)) == [row_id]


def test_pages_of_fifty_rows_follow_each_other_without_gap_or_double(
    viewer: Client, branch: Entity, reject: Reject
) -> None:
    ids = [reject(code=f"B{number}") for number in range(120)]
    seen: list[int] = []
    url = reverse("admin:staging_rows", args=[branch.pk])
    query = "?status=rejected"
    while query:
        response = viewer.get(url + query)
        page = [row.id for row in response.context["rows"]]
        assert 0 < len(page) <= 50
        seen += page
        query = f"?{response.context['older']}" if response.context["older"] else ""
    assert seen == sorted(ids, reverse=True)


def test_the_number_of_statements_does_not_grow_with_the_rows(viewer: Client, branch: Entity, reject: Reject) -> None:
    reject()
    with CaptureQueriesContext(
        connection,
    ) as few:
        _page(viewer, branch)
    for number in range(60):
        reject(code=f"B{number}")
    with CaptureQueriesContext(connection) as many:
        _page(viewer, branch)
    assert len(many) == len(few)


@pytest.mark.parametrize("status", ["rejected", "waiting", "processed"])
def test_values_are_escaped_wherever_they_appear(viewer: Client, branch: Entity, reject: Reject, status: str) -> None:
    number = {"rejected": 2, "waiting": 0, "processed": 1}[status]
    row_id = reject(
        code=PAYLOAD, name=PAYLOAD, staff=PAYLOAD, note=PAYLOAD * 9, batch_tag=PAYLOAD, import_status=number,
        error_message=f"staff: '{PAYLOAD}' is not a whole number.\nnote: '{PAYLOAD}' is odd.\n{PAYLOAD}",
    )  # fmt: skip
    pages = [_page(viewer, branch, status=status)]
    pages.append(viewer.get(reverse("admin:staging_row_edit", args=[branch.pk, row_id])).content.decode())
    for html in pages:
        assert "&lt;script&gt;alert(" in html
        assert "<script>alert(" not in html
        assert "<img src=x" not in html


def test_the_editing_form_escapes_values_too(steward: Client, branch: Entity, reject: Reject) -> None:
    row_id = reject(code=PAYLOAD, staff=f"</textarea>{PAYLOAD}\n{PAYLOAD}", error_message=f"staff: '{PAYLOAD}' odd.")
    html = steward.get(reverse("admin:staging_row_edit", args=[branch.pk, row_id])).content.decode()
    assert "&lt;script&gt;alert(" in html
    assert "<script>alert(" not in html
    assert "<img src=x" not in html
    assert "</textarea><script" not in html


def test_long_values_are_folded(viewer: Client, branch: Entity, reject: Reject) -> None:
    long = "n" * 5000
    reject(note=long, error_message=f"note: '{long}' is longer than 80 characters.")
    html = _page(viewer, branch)
    assert re.search(r'<details class="fold"><summary>n+…</summary><span class="staged">n{5000}</span></details>', html)


def test_an_empty_list_says_what_it_means_and_what_to_do(viewer: Client, branch: Entity) -> None:
    assert "Nothing is rejected" in _page(viewer, branch)
    assert "Nothing waits for a batch" in _page(viewer, branch, status="waiting")


@pytest.mark.parametrize("query", ["status=odd", "bit=3", "bit=x", "before=-1", "before=" + "9" * 30, "batch=1;2"])
def test_an_address_that_makes_no_sense_is_not_found(viewer: Client, branch: Entity, query: str) -> None:
    assert viewer.get(reverse("admin:staging_rows", args=[branch.pk]) + "?" + query).status_code == 404


def test_a_broken_table_is_named_and_not_a_crash(viewer: Client, branch: Entity) -> None:
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE stg_branch RENAME COLUMN note TO other")
    html = _page(viewer, branch)
    assert "Column stg_branch.note is missing." in html


def test_an_unknown_entity_is_not_found(viewer: Client) -> None:
    assert viewer.get(reverse("admin:staging_rows", args=[999_999])).status_code == 404


def test_buttons_are_hidden_from_those_who_may_not_mend(
    viewer: Client, steward: Client, branch: Entity, reject: Reject
) -> None:
    row_id = reject()
    assert "Retry selected" not in _page(viewer, branch)
    assert "Retry all of this kind" not in _page(viewer, branch)
    assert (
        "Save and retry" not in viewer.get(reverse("admin:staging_row_edit", args=[branch.pk, row_id])).content.decode()
    )
    assert "Retry selected" in _page(steward, branch)
    assert "Retry all of this kind" in _page(steward, branch)


def test_a_batch_leads_to_the_rows_it_rejected(viewer: Client, branch: Entity, reject: Reject) -> None:
    batch = Batch.objects.create(entity=branch, created_at="2026-03-02T06:00Z", rejected=1)
    row_id = reject(batch_id=batch.pk)
    reject()
    html = viewer.get(reverse("admin:staging_batch_change", args=[batch.pk])).content.decode()
    link = re.search(r'href="([^"]+batch=\d+)"', html)
    assert link
    assert _row_links(viewer.get(link[1].replace("&amp;", "&")).content.decode()) == [row_id]


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(connection.vendor != "sqlite", reason="only SQLite lets a reader wait for a writer")
def test_looking_at_rows_takes_no_write_lock(viewer: Client, db: None) -> None:
    entity = Entity(code="lone", name="Lone")
    save_entity(entity, [])
    try:
        for url in (reverse("admin:staging_rows", args=[entity.pk]), reverse("admin:staging_entity_changelist")):
            with CaptureQueriesContext(connection) as statements:
                assert viewer.get(url).status_code == 200
            assert not [s["sql"] for s in statements if s["sql"].upper().startswith("BEGIN")]
    finally:
        with connection.cursor() as cursor:
            cursor.execute("DROP TABLE stg_lone")
            cursor.execute("DROP TABLE mdm_lone")
