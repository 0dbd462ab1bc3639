"""Promises of the keys: told on a page, offered within rights, switched off for good by who does not want them."""

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from tests.scheduling.admin.conftest import client_of, make_configuration, make_limited

pytestmark = pytest.mark.django_db
KEYS = "admin:scheduling_schedulerconfiguration_keys"


def sheet(client) -> str:
    """The sheet that a page offers; empty where it offers none."""
    address = f"{reverse(KEYS)}?sheet=1"
    if f'data-sheet="{address}"' not in client.get(reverse("admin:index")).content.decode():
        return ""
    return client.get(address).content.decode().partition('<dialog id="keys"')[2]


def test_the_sheet_names_the_pages_with_their_letters(viewer):
    page = sheet(viewer)
    assert 'data-letter="c"' in page and reverse("admin:scheduling_run_changelist") in page
    assert reverse("admin:scheduling_run_changelist") in viewer.get(reverse(KEYS)).content.decode()


def test_who_switches_them_off_has_none_also_after_the_next_sign_in(viewer):
    page = viewer.post(reverse(KEYS), {}, follow=True).content.decode()
    assert "The keys are off." in page and sheet(viewer) == ""
    assert sheet(client_of(User.objects.get(username="viewer"))) == ""
    assert "The keys are on." in viewer.post(reverse(KEYS), {"has_shortcuts": "on"}, follow=True).content.decode()
    assert sheet(viewer)


def test_a_page_that_a_person_may_not_open_has_no_key():
    make_configuration("customer")
    page = sheet(client_of(make_limited("Viewer", "customer")))
    assert reverse("admin:scheduling_schedulerconfiguration_changelist") in page
    assert reverse("admin:scheduling_job_changelist") not in page
