"""The pages of members show, search, filter and export what viewers may see, and never trip over an address."""

import csv
from io import BytesIO, StringIO

import pytest
from django.test import Client
from django.urls import reverse
from openpyxl import load_workbook

from staging.admin import members as members_page
from staging.models import Entity
from tests.staging.batches.bench import define, execute, members, reference, run_batch, stage, text


@pytest.fixture
def area(db: None) -> Entity:
    entity = define("area", text("kind"), keep_history=True)
    stage(entity, {"code": "n", "name": "North <b>"})
    run_batch(entity)
    return entity


@pytest.fixture
def site(area: Entity) -> Entity:
    entity = define("site", text("note"), {"name": "size", "data_type": "integer"}, reference("area", "area"),
                    keep_history=True)  # fmt: skip
    stage(
        entity,
        {"code": "a", "name": "<script>alert(1)</script>", "note": "=1+1", "size": "-5", "area": "n"},
        {"code": "b", "name": "Beta", "note": "plain", "size": "7"},
    )
    run_batch(entity)
    return entity


def listing(entity: Entity) -> str:
    return reverse("admin:staging_members", args=[entity.pk])


def page(client: Client, url: str, **params: object) -> str:
    response = client.get(url, params, follow=True)
    assert response.status_code == 200
    return response.content.decode()


def test_members_are_listed_with_their_values_and_links(viewer: Client, site: Entity, area: Entity) -> None:
    text_ = page(viewer, listing(site))
    assert "&lt;script&gt;" in text_ and "<script>alert" not in text_
    assert reverse("admin:staging_member", args=[area.pk, members(area)["n"]["id"]]) in text_
    assert reverse("admin:staging_member", args=[site.pk, members(site)["b"]["id"]]) in text_


def test_search_and_filters_narrow_and_can_be_taken_off(viewer: Client, site: Entity) -> None:
    assert "Beta" not in page(viewer, listing(site), q="script")
    assert "No member fits" in page(viewer, listing(site), active="no")
    text_ = page(viewer, listing(site), f="size:from:0", q="b")
    assert "Beta" in text_ and "size from 0" in text_ and 'href="?q=b"' in text_
    assert "Beta" not in page(viewer, listing(site), f=["size:from:0", "note:is:x"])


def test_the_form_adds_a_filter_to_the_address(viewer: Client, site: Entity) -> None:
    asked = {"column": "size", "comparison": "to", "value": "0", "f": "note:filled:"}
    response = viewer.get(listing(site), asked)
    assert response.headers["Location"] == f"{listing(site)}?f=note%3Afilled%3A&f=size%3Ato%3A0"


def test_a_filter_that_makes_no_sense_is_told_and_kept_in_the_form(viewer: Client, site: Entity) -> None:
    text_ = page(viewer, listing(site), column="size", comparison="is", value="many")
    assert "&#x27;many&#x27; is not a whole number" in text_ and 'value="many"' in text_ and "Beta" in text_


@pytest.mark.parametrize(
    "params",
    [
        *({"f": "x"}, {"f": "code:is:\x00"}, {"q": "\x00"}, {"after": "\x00"}, {"active": "x"}, {"before": "z" * 5000}),
        *({"f": ["size:is:1"] * 50}, {"q": "'%\\_"}),
    ],
)
def test_nonsense_is_never_a_traceback(viewer: Client, site: Entity, params: dict[str, object]) -> None:
    page(viewer, listing(site), **params)


def test_the_csv_file_holds_what_the_page_shows_in_deliverable_forms(viewer: Client, site: Entity) -> None:
    response = viewer.get(reverse("admin:staging_members_export", args=[site.pk]), {"f": "size:to:0"})
    assert response.headers["Content-Disposition"] == 'attachment; filename="site.csv"'
    rows = list(csv.reader(StringIO(b"".join(response).decode("utf-8-sig"), newline="")))
    assert rows[0] == ["code", "name", "note", "size", "area", "is_active", "updated_at"]
    assert [row[:6] for row in rows[1:]] == [["a", "<script>alert(1)</script>", "'=1+1", "-5", "n", "true"]]


def test_the_workbook_holds_them_too_up_to_a_limit(viewer: Client, site: Entity, monkeypatch) -> None:
    url = reverse("admin:staging_members_export", args=[site.pk])
    response = viewer.get(url, {"format": "xlsx"})
    sheet = load_workbook(BytesIO(b"".join(response))).worksheets[0]
    assert [[cell.value for cell in row][:5] for row in sheet.iter_rows(min_row=2)] == [
        ["a", "<script>alert(1)</script>", "'=1+1", -5, "n"],
        ["b", "Beta", "plain", 7, None],
    ]
    monkeypatch.setattr(members_page, "WORKBOOK_ROWS", 1)
    assert "take CSV" in page(viewer, url, format="xlsx")


def test_a_bad_filter_exports_nothing(viewer: Client, site: Entity) -> None:
    response = viewer.get(reverse("admin:staging_members_export", args=[site.pk]), {"f": "size:is:x"})
    assert response.status_code == 302


def test_the_page_of_a_member_tells_values_referrers_and_history(viewer: Client, site: Entity, area: Entity) -> None:
    stage(area, {"code": "n", "kind": "cold"})
    batch = run_batch(area)
    north = members(area)["n"]["id"]
    text_ = page(viewer, reverse("admin:staging_member", args=[area.pk, north]))
    assert "North &lt;b&gt;" in text_ and "1 member of Site" in text_ and "area%3Ais%3An" in text_
    assert "Updated" in text_ and "Inserted" in text_ and "cold" in text_
    assert reverse("admin:staging_batch_change", args=[batch.pk]) in text_


def test_a_deleted_member_still_has_its_page(viewer: Client, site: Entity) -> None:
    member = members(site)["b"]["id"]
    execute("DELETE FROM mdm_site WHERE code = 'b'")
    assert "not there any more" in page(viewer, reverse("admin:staging_member", args=[site.pk, member]))
    assert viewer.get(reverse("admin:staging_member", args=[site.pk, 99_999])).status_code == 404


def test_a_broken_table_is_a_sentence(viewer: Client, site: Entity) -> None:
    member = members(site)["b"]["id"]
    execute("ALTER TABLE mdm_site DROP COLUMN note")
    assert "mdm_site.note is missing" in page(viewer, listing(site))
    assert "mdm_site.note is missing" in page(viewer, reverse("admin:staging_member", args=[site.pk, member]))
    assert "mdm_site.note is missing" in page(viewer, reverse("admin:staging_members_export", args=[site.pk]))


def test_a_batch_leads_to_the_members_with_its_values(viewer: Client, site: Entity) -> None:
    stage(site, {"code": "b", "name": "Gamma"})
    batch = run_batch(site)
    address = f"{listing(site)}?f=updated_batch_id:is:{batch.pk}"
    assert address in page(viewer, reverse("admin:staging_batch_change", args=[batch.pk]))
    found = page(viewer, address)
    assert "Gamma" in found and "script&gt;" not in found
    assert f"Changed by batch is {batch.pk}" in found
    assert '<option value="is_active">Active</option>' in found and ">updated_at<" not in found
