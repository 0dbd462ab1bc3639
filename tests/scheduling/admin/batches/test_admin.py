"""Promises of what is done to many batches: decided about or taken back, asked first with counts, within rights."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from scheduling import clock
from scheduling.models import BulkAction, Run
from staging.models import AuditEntry, Batch, BatchReview, Entity
from staging.tables.alter import sync_tables
from tests.scheduling.admin.batches.test_undo import merged
from tests.scheduling.admin.conftest import client_of, make_configuration, make_limited
from tests.scheduling.conftest import work_off

pytestmark = pytest.mark.django_db
LIST = "/admin/staging/batch/"
CODES = ("branch", "region", "customer")


@pytest.fixture
def batches() -> list[Batch]:
    """A batch of each of three entities with history that merged two rows."""
    configurations = [make_configuration(code) for code in CODES]
    Entity.objects.update(keep_history=True)
    for configuration in configurations:
        configuration.entity.refresh_from_db()
        sync_tables(configuration.entity)
    return [merged(each, "a", "b", table=f"stg_{each.entity.code}") for each in configurations]


@pytest.fixture
def held(batches) -> list[Batch]:
    """Another batch of each that is held, with a row."""
    Entity.objects.update(review="hold")
    return [merged(batch.entity.configuration, "c", table=f"stg_{batch.entity.code}") for batch in batches]


def begin(client, verb: str, batches: list[Batch], **more):
    """Tick these in the list and press the button of an action."""
    keys = [batch.pk for batch in batches]
    return client.post(LIST, {"action": verb, "_selected_action": keys, "index": "0", **more})


def confirm(client, **values) -> str:
    place = f"{LIST}chosen/{BulkAction.objects.latest('pk').pk}/"
    return client.post(place, values, follow=True).content.decode()


def test_held_batches_are_approved_after_a_question_that_counts_their_rows(steward, batches, held):
    asked = begin(steward, "approve_batches", [*held, batches[0]]).content.decode()
    assert "Approve 4 batches?" in asked and "It is about 3 rows." in asked
    assert f"Batch {held[0].pk} of Branch" in asked and "Nothing happens: it holds no rows" in asked
    assert not BatchReview.objects.exists()
    page = confirm(steward, comment="Looked at")
    assert f"Approved: Batch {held[2].pk} of Customer, Batch {held[1].pk} of Region" in page
    work_off(clock.now())
    assert Batch.objects.filter(approves__in=held, status="completed", inserted=1).count() == 3
    assert set(BatchReview.objects.values_list("decided_by", "comment")) == {("steward", "Looked at")}
    assert AuditEntry.objects.filter(kind="approved").count() == 3


def test_all_that_fit_a_filter_are_chosen_across_pages(steward, held, monkeypatch):
    monkeypatch.setattr("scheduling.admin.batches.admin.BatchAdmin.list_per_page", 1)
    assert "batches</a>" not in steward.get(LIST).content.decode()
    page = steward.get(f"{LIST}?status=held").content.decode()
    assert "Select all 3 batches" in " ".join(page.split())
    answer = steward.post(
        f"{LIST}?status=held",
        {"action": "approve_batches", "_selected_action": [held[2].pk], "index": "0", "select_across": "1"},
    )
    assert "Approve 3 batches?" in answer.content.decode()


def test_to_send_back_asks_what_is_to_be_mended(steward, held):
    begin(steward, "send_back_batches", held)
    assert "This field is required" in confirm(steward, comment="") and not BatchReview.objects.exists()
    assert "Sent back: " in confirm(steward, comment="Names are missing")
    assert BatchReview.objects.filter(verb="send_back", comment="Names are missing").count() == 3


@pytest.mark.parametrize("verb", ["approve_batches", "undo_batches"])
def test_a_page_about_very_many_asks_nothing_of_each(verb, steward, batches, held, monkeypatch):
    monkeypatch.setattr("scheduling.admin.batches.admin._ASKED_BEFORE", 1)
    with CaptureQueriesContext(connection) as of_two:
        begin(steward, verb, held[:2])
    with CaptureQueriesContext(connection) as of_three:
        begin(steward, verb, held)
    assert len(of_two) == len(of_three)


def test_discarded_together(steward, held):
    begin(steward, "discard_batches", held)
    assert "Discarded: " in confirm(steward, comment="")
    assert BatchReview.objects.filter(verb="discard").count() == 3
    assert "Nothing happens: it holds no rows" in begin(steward, "discard_batches", held).content.decode()


def test_who_started_one_is_refused_that_one_by_name(steward, held):
    Entity.objects.filter(code="branch").update(two_person_rule=True)
    Batch.objects.filter(pk=held[0].pk).update(started_by="steward")
    begin(steward, "approve_batches", held)
    page = confirm(steward, comment="")
    assert f"Batch {held[0].pk} of Branch: " in page and "two-person rule" in page
    assert set(BatchReview.objects.values_list("batch", flat=True)) == {held[1].pk, held[2].pk}


def test_batches_are_taken_back_and_what_stands_in_the_way_is_told(steward, batches):
    blocked, failed, free = batches
    merged(blocked.entity.configuration, "a", name="Later", table="stg_branch")
    Batch.objects.filter(pk=failed.pk).update(status="failed")
    asked = begin(steward, "undo_batches", batches).content.decode()
    assert "Undo 3 batches?" in asked and f"Batch {failed.pk} is failed; only a completed batch can be undone." in asked
    page = confirm(steward)
    assert f"Undo started: Batch {free.pk} of Customer." in page
    assert f"Batch {blocked.pk} of Branch: Nothing was changed." in page
    assert list(Batch.objects.exclude(undoes=None).values_list("undoes", flat=True)) == [free.pk]


@pytest.mark.parametrize("verb", ["approve_batches", "undo_batches"])
def test_who_may_not_is_offered_nothing_and_changes_nothing(viewer, operator, held, verb):
    for browser in (viewer, operator):
        assert verb not in browser.get(LIST).content.decode()
        begin(browser, verb, held)
        assert not BulkAction.objects.exists()


def test_only_batches_of_the_persons_entities(held):
    limited = client_of(make_limited("Steward", "branch"))
    runs = Run.objects.count()
    begin(limited, "approve_batches", held)
    confirm(limited, comment="")
    assert set(BatchReview.objects.values_list("batch", flat=True)) == {held[0].pk}
    assert Run.objects.count() == runs + 1
