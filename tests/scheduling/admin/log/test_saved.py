"""Promises of saved filters: kept by name, shared by who may, opened by everybody within their rights."""

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from scheduling.models import SavedFilter
from tests.scheduling.admin.conftest import client_of, make_user

pytestmark = pytest.mark.django_db
LIST = "admin:scheduling_schedulerlog_changelist"
SAVE = "admin:scheduling_schedulerlog_save_filter"
FILTERS = "admin:scheduling_schedulerlog_filters"


def save(client, name="Errors", query="?event_type=error&period=30d", **more) -> str:
    return client.post(reverse(SAVE), {"name": name, "query": query, **more}, follow=True).content.decode()


def test_a_filter_is_saved_and_is_a_link_that_is_marked_where_it_is_open(viewer):
    page = save(viewer)
    assert "The filter “Errors” was saved." in page
    assert SavedFilter.objects.get().query == "?event_type=error&period=30d"
    assert 'href="?event_type=error&amp;period=30d" aria-current="page">Errors' in page
    assert 'aria-current="page">Errors' not in viewer.get(reverse(LIST)).content.decode()


def test_only_what_the_filter_knows_is_kept(viewer):
    save(viewer, query="?event_type=error&older=5-7&x=<script>&period=nonsense&job=999999")
    assert SavedFilter.objects.get().query == "?event_type=error"


def test_the_same_name_replaces_the_own_filter_and_leaves_that_of_others(viewer, operator):
    save(operator, query="?q=theirs")
    save(viewer, query="?q=one")
    save(viewer, query="?q=two")
    assert sorted(SavedFilter.objects.values_list("query", flat=True)) == ["?period=7d&q=theirs", "?period=7d&q=two"]


def test_an_own_filter_is_seen_by_nobody_else_and_a_shared_one_by_all(viewer, operator):
    save(operator, name="Mine alone")
    save(operator, name="For all", is_shared="on")
    page = viewer.get(reverse(LIST)).content.decode()
    assert "Mine alone" not in page and "For all" in page and "by operator" in page


def test_a_viewer_shares_nothing_and_deletes_only_the_own(viewer, operator):
    save(viewer, name="Mine", is_shared="on")
    assert not SavedFilter.objects.get().is_shared
    save(operator, name="For all", is_shared="on")
    theirs, mine = SavedFilter.objects.get(name="For all"), SavedFilter.objects.get(name="Mine")
    delete = "admin:scheduling_schedulerlog_delete_filter"
    assert viewer.post(reverse(delete), {"number": theirs.pk}).status_code == 404
    page = viewer.post(reverse(delete), {"number": mine.pk}, follow=True).content.decode()
    assert "The filter “Mine” was deleted." in page and "For all" in page
    assert list(SavedFilter.objects.all()) == [theirs]


def test_whoever_may_share_deletes_what_others_share(operator):
    other = client_of(make_user("Steward"))
    save(other, name="For all", is_shared="on")
    operator.post(reverse("admin:scheduling_schedulerlog_delete_filter"), {"number": SavedFilter.objects.get().pk})
    assert not SavedFilter.objects.exists()


@pytest.mark.parametrize(("name", "query", "words"), [
    ("", "?q=x", "Give the filter a name"),
    ("x" * 61, "?q=x", "Give the filter a name"),
])  # fmt: skip
def test_what_cannot_be_saved_is_said(viewer, name, query, words):
    assert words in save(viewer, name=name, query=query)
    assert not SavedFilter.objects.exists()


def test_nobody_keeps_more_than_fifty(viewer):
    SavedFilter.objects.bulk_create(
        SavedFilter(owner=User.objects.get(username="viewer"), name=f"Filter {number}") for number in range(50)
    )
    assert "You keep 50 filters already" in save(viewer, name="One more")
    save(viewer, name="Filter 7", query="?q=replaced")
    assert SavedFilter.objects.count() == 50 and "q=replaced" in SavedFilter.objects.get(name="Filter 7").query


def test_without_any_the_page_says_how_to_save_one(viewer):
    assert "Save this filter" in viewer.get(reverse(FILTERS)).content.decode()
