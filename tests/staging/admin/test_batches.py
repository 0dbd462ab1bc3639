"""Batches in the admin: what became of every row, paged by id, read-only for everyone."""

import html
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from staging.entities.save import save_entity
from staging.models import Batch, Entity
from staging.states import BatchStatus

NOW = datetime(2026, 3, 2, 6, 0, tzinfo=UTC)
LIST = reverse("admin:staging_batch_changelist")


def _batch(entity: Entity, **values: Any) -> Batch:
    final = {"status": BatchStatus.COMPLETED, "finished_at": NOW, "duration_ms": 83_000, "rows_total": 7}
    return Batch.objects.create(**{"entity": entity, "created_at": NOW - timedelta(minutes=2)} | final | values)


def _ids(response: Any) -> list[int]:
    return [batch.pk for batch in response.context["cl"].result_list]


def test_the_list_shows_state_counts_and_duration_in_words(viewer: Client, branch: Entity) -> None:
    _batch(branch, inserted=4, rejected=3, started_by="anna", trigger_source="manual")
    html = viewer.get(LIST).content.decode()
    for text in ("completed with warnings", "badge-warn", "1 min 23 s", "anna", "manual", "Branch"):
        assert text in html


def test_pages_follow_each_other_by_id_without_a_count(viewer: Client, branch: Entity) -> None:
    for _ in range(120):
        _batch(branch)
    seen: list[int] = []
    query = ""
    while True:
        with CaptureQueriesContext(connection) as statements:
            response = viewer.get(LIST + query)
        assert not [s["sql"] for s in statements if "COUNT(" in s["sql"].upper() and "staging_batch" in s["sql"]]
        seen += _ids(response)
        query = response.context["cl"].older
        if not query:
            break
    assert seen == sorted(seen, reverse=True)
    assert len(set(seen)) == len(seen) == 120


def test_filters_keep_one_entity_and_one_status_across_pages(viewer: Client, branch: Entity, region: Entity) -> None:
    mine = _batch(branch, status=BatchStatus.FAILED, error="Too many bad rows.")
    _batch(branch)
    _batch(region, status=BatchStatus.FAILED)
    response = viewer.get(LIST, {"entity": branch.pk, "status": "failed"})
    assert _ids(response) == [mine.pk]
    for _ in range(60):
        _batch(branch)
    older = viewer.get(LIST, {"entity": branch.pk}).context["cl"].older
    assert f"entity={branch.pk}" in older
    assert mine.pk in _ids(viewer.get(LIST + older))


def test_a_filter_that_fits_nothing_offers_the_way_back(viewer: Client, branch: Entity) -> None:
    html = viewer.get(LIST, {"entity": branch.pk}).content.decode()
    assert "No batch fits this filter" in html


@pytest.mark.parametrize("query", ["entity=999999", "entity=x", "before=x", "before=" + "9" * 30])
def test_odd_addresses_do_no_harm(viewer: Client, branch: Entity, query: str) -> None:
    _batch(branch)
    assert viewer.get(f"{LIST}?{query}").status_code == 200


def test_the_page_of_a_batch_shows_every_outcome_and_the_error(viewer: Client, branch: Entity) -> None:
    batch = _batch(branch, status=BatchStatus.FAILED, error="<b>Too many</b> bad rows.", inserted=1234, superseded=2)
    html = viewer.get(reverse("admin:staging_batch_change", args=[batch.pk])).content.decode()
    assert "1,234" in html
    assert "&lt;b&gt;Too many&lt;/b&gt; bad rows." in html
    for outcome in ("Inserted", "Updated", "Unchanged", "Deactivated", "Deleted", "Rejected", "Superseded"):
        assert outcome in html


def test_a_running_batch_shows_how_far_it_is(viewer: Client, branch: Entity) -> None:
    _batch(branch, status=BatchStatus.RUNNING, finished_at=None, duration_ms=None, rows_total=10, inserted=4)
    assert '<progress max="10" value="4">' in viewer.get(LIST).content.decode()


@pytest.mark.parametrize("role", ["Viewer", "Operator", "Steward", "Administrator"])
def test_nobody_adds_edits_or_deletes_a_batch(role: str, as_role: Callable[[str], Client], branch: Entity) -> None:
    client, batch = as_role(role), _batch(branch)
    assert client.get(reverse("admin:staging_batch_add")).status_code == 403
    assert client.post(reverse("admin:staging_batch_change", args=[batch.pk]), {"error": "x"}).status_code == 403
    assert client.post(reverse("admin:staging_batch_delete", args=[batch.pk]), {"post": "yes"}).status_code == 403
    client.post(LIST, {"action": "delete_selected", "_selected_action": [batch.pk], "post": "yes"})
    assert Batch.objects.filter(pk=batch.pk, error="").exists()


def test_strangers_and_staff_without_a_role_see_no_batch(
    as_role: Callable[[str], Client], client: Client, branch: Entity
) -> None:
    batch, nobody = _batch(branch), as_role("")
    for url in (LIST, reverse("admin:staging_batch_change", args=[batch.pk])):
        assert nobody.get(url).status_code == 403
        assert client.get(url).status_code == 302


def test_the_list_costs_the_same_number_of_statements_for_any_number_of_batches(viewer: Client, branch: Entity) -> None:
    _batch(branch)
    with CaptureQueriesContext(connection) as one:
        viewer.get(LIST)
    for _ in range(30):
        _batch(branch)
    with CaptureQueriesContext(connection) as many:
        viewer.get(LIST)
    assert len(many) == len(one) <= 7


def test_a_batch_says_how_many_rows_came_home_with_it(viewer: Client, branch: Entity) -> None:
    batch = Batch.objects.create(entity=branch, created_at="2026-03-02T06:00Z", came_home=3)
    html = viewer.get(reverse("admin:staging_batch_change", args=[batch.pk])).content.decode()
    assert "3 rejected rows that waited for codes came home and were tried again." in html


def test_where_undo_would_stand_is_said_why_it_is_not_possible(administrator: Client, branch: Entity) -> None:
    def page(batch: Batch) -> str:
        return html.unescape(administrator.get(reverse("admin:staging_batch_change", args=[batch.pk])).content.decode())

    batch = _batch(branch, inserted=1)
    assert "Not possible: Branch keeps no history" in page(batch)
    branch.keep_history = True
    save_entity(branch, [])
    assert "or retention deleted it" in page(batch) and "Undo this batch" not in page(batch)
    assert "only a completed batch can be undone" in page(_batch(branch, status=BatchStatus.FAILED))
    empty = _batch(branch)
    assert "Not possible" not in page(empty)
    undo = _batch(branch, undoes_id=empty.pk)
    assert f"Not possible: Batch {empty.pk} was undone already, by batch {undo.pk}." in page(empty)
    _batch(branch, undoes_id=undo.pk)
    assert "Not possible" not in page(empty)


def test_who_may_not_undo_reads_nothing_of_it(viewer: Client, branch: Entity) -> None:
    url = reverse("admin:staging_batch_change", args=[_batch(branch).pk])
    assert "Not possible" not in viewer.get(url).content.decode()
