"""Promises of what was opened lately: the latest first, few, only what is there and may be seen, nobody else's."""

import pytest
from django.urls import reverse

from scheduling.admin.search.visited import MOST, cookie
from scheduling.models import Plan
from tests.scheduling.admin.conftest import client_for, client_of, make_configuration, make_limited

pytestmark = pytest.mark.django_db
SEARCH = "admin:scheduling_schedulerconfiguration_search"


def change(one) -> str:
    return reverse("admin:scheduling_schedulerconfiguration_change", args=[one.pk])


def lately(client) -> str:
    return client.get(reverse(SEARCH)).content.decode().partition('id="visited"')[2]


def test_what_was_opened_stands_there_the_latest_first_and_once(viewer):
    one, two = make_configuration("customer"), make_configuration("branch")
    for each in (one, two, one):
        viewer.get(change(each))
    page = lately(viewer)
    assert page.index(change(one)) < page.index(change(two)) and page.count(change(one)) == 1


def test_few_are_kept(viewer):
    plans = [Plan.objects.create(name=f"Plan {number}") for number in range(MOST + 2)]
    addresses = [reverse("admin:scheduling_plan_change", args=[plan.pk]) for plan in plans]
    for each in addresses:
        viewer.get(each)
    page = lately(viewer)
    assert page.count("<li>") == MOST and addresses[0] not in page
    assert len(viewer.cookies[cookie()].value) < 250


def test_what_is_gone_vanishes(viewer):
    plan = Plan.objects.create(name="Nightly")
    address = reverse("admin:scheduling_plan_change", args=[plan.pk])
    viewer.get(address)
    assert address in lately(viewer)
    plan.delete()
    assert address not in lately(viewer)


def test_what_may_no_more_be_seen_vanishes_and_is_not_named():
    one = make_configuration("customer")
    make_configuration("region")
    client = client_for("Viewer")
    client.get(change(one))
    limited = make_limited("Viewer", "region")
    other = client_of(limited)
    other.cookies[cookie()] = f"{limited.pk}.c{one.pk}.e{one.entity_id}"  # whatever a cookie says
    assert "ustomer" not in lately(other)


def test_what_somebody_else_opened_in_the_same_browser_is_not_shown(viewer, operator):
    one = make_configuration("customer")
    viewer.get(change(one))
    operator.cookies[cookie()] = viewer.cookies[cookie()].value
    assert change(one) not in lately(operator)


def test_a_page_that_was_refused_or_is_not_there_is_not_kept(viewer):
    viewer.get(reverse("admin:scheduling_plan_change", args=[999999]))
    assert cookie() not in viewer.cookies


@pytest.mark.parametrize("text", ["", ".", "1.x9", "1.c99999999999999999999", "1.c²", "a" * 4000, "1" + ".c1" * 500])
def test_a_cookie_of_any_text_is_answered(viewer, text):
    viewer.cookies[cookie()] = text
    assert viewer.get(reverse(SEARCH)).status_code == 200


def test_by_https_the_cookie_is_of_this_host_alone(viewer, settings):
    settings.SESSION_COOKIE_SECURE = True
    viewer.get(change(make_configuration("customer")))
    kept = viewer.cookies["__Host-visited"]
    assert kept["secure"] and kept["httponly"] and kept["path"] == "/" and not kept["domain"]
