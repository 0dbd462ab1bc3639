"""Promises of a form that is sent when the session has ended: nothing of it is lost, and nothing is done unasked."""

import re
from datetime import timedelta
from html import unescape
from urllib.parse import urlencode

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from scheduler_project.around import UnsentMiddleware
from scheduling import clock
from scheduling.models import BulkAction, Plan
from tests.scheduling.admin.conftest import make_configuration, make_user

pytestmark = pytest.mark.django_db
LIST = "/admin/scheduling/plan/"
LOGIN = "/admin/login/"


@pytest.fixture
def steward() -> User:
    return make_user("Steward")


@pytest.fixture
def plans() -> list[Plan]:
    return [Plan.objects.create(name=f"Plan {number}") for number in range(3)]


def sign_in(browser: Client, name: str = "steward", to: str = "/admin/") -> str:
    answer = browser.post(to if to.startswith(LOGIN) else LOGIN, {"username": name, "password": "secret"})
    assert answer.status_code == 302
    return str(answer.headers["Location"])


def forget_session(browser: Client) -> None:
    """Let the session end as a browser sees it: its cookie is gone with it."""
    Session.objects.all().delete()
    del browser.cookies[settings.SESSION_COOKIE_NAME]


@pytest.fixture
def browser(steward: User) -> Client:
    """A browser in which the steward was signed in until the session ended."""
    browser = Client()
    sign_in(browser)
    forget_session(browser)
    return browser


def send(browser: Client, to: str, values: dict[str, object], **headers: str):
    """Send a form as a browser does."""
    body = urlencode(values, doseq=True)
    headers = {"Referer": f"http://testserver{to}", "Sec-Fetch-Dest": "document"} | headers
    return browser.post(to, body, content_type="application/x-www-form-urlencoded", headers=headers)


def choose(browser: Client, plans: list[Plan], **headers: str) -> str:
    """Send a selection; return where the browser is led."""
    chosen = {"action": "pause_selected", "index": "0", "_selected_action": [plan.pk for plan in plans]}
    answer = send(browser, f"{LIST}?o=1", chosen, **headers)
    assert answer.status_code == 302
    return str(answer.headers["Location"])


def kept_form(page: str) -> tuple[str, dict[str, list[str]]]:
    """Return where the form of the question goes, and what it holds."""
    forms = re.findall(r'<form method="post" action="([^"]*)">(.*?)</form>', page, re.DOTALL)
    (form,) = (each for each in forms if "Send it now" in each[1])
    fields: dict[str, list[str]] = {}
    for name, value in re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)">', form[1]):
        fields.setdefault(unescape(name), []).append(unescape(value))
    fields.pop("csrfmiddlewaretoken", None)
    return unescape(form[0]), fields


def test_the_selection_is_there_after_the_sign_in_and_nothing_was_done(browser, plans):
    to_sign_in = choose(browser, plans)
    assert "is kept: sign in" in browser.get(to_sign_in).content.decode()
    question = sign_in(browser, to=to_sign_in)
    page = browser.get(question).content.decode()
    assert "3 lines of the list are chosen." in page and not BulkAction.objects.exists()
    to, fields = kept_form(page)
    assert fields["_selected_action"] == [str(plan.pk) for plan in plans]
    asked = send(browser, to, fields).content.decode()
    assert "Pause 3 plans?" in asked and not Plan.objects.filter(paused_at__isnull=False).exists()
    assert browser.get(question).headers["Location"] == "/admin/", "it is sent once"


def test_what_was_typed_into_a_form_is_there_too(browser):
    entity = make_configuration("customer").entity
    url = reverse("admin:staging_entity_change", args=[entity.pk])
    typed = {"name": 'A "new"\nname', "description": "a<b & c", "csrfmiddlewaretoken": "x", "empty": ""}
    page = browser.get(sign_in(browser, to=send(browser, url, typed).headers["Location"])).content.decode()
    del typed["csrfmiddlewaretoken"]
    assert kept_form(page) == (url, {name: [value] for name, value in typed.items()})


def test_who_does_not_want_it_sent_goes_back_to_the_page(browser, plans):
    question = sign_in(browser, to=choose(browser, plans))
    assert browser.post(question).headers["Location"] == f"{LIST}?o=1"
    assert browser.get(question).headers["Location"] == "/admin/"


def test_somebody_else_at_the_same_browser_does_not_get_it(browser, plans):
    make_user("Operator")
    question = sign_in(browser, "operator", to=choose(browser, plans))
    assert browser.get(question).headers["Location"] == "/admin/"
    assert b"_selected_action" not in browser.get(question, follow=True).content


def test_a_stranger_keeps_nothing_and_fills_no_table(plans):
    stranger = Client()
    stranger.cookies["person"] = "1:forged"
    assert choose(stranger, plans).endswith("?next=/admin/scheduling/plan/%3Fo%3D1")
    assert not Session.objects.exists()


@pytest.mark.parametrize(
    ("to", "values", "headers"),
    [
        ("/admin/password_change/", {"old_password": "secret"}, {}),
        ("/admin/scheduling/alertchannel/add/", {"name": "x", "secret": "s"}, {}),
        ("/admin/scheduling/plan/add/", {"name": "x" * 300_000}, {}),
        ("/admin/scheduling/plan/add/", {"name": "x"}, {"Sec-Fetch-Dest": "empty"}),
        ("/admin/scheduling/plan/add/", {"name": "x"}, {"X-Requested-With": "fetch"}),
    ],
)
def test_what_is_secret_too_long_or_sent_by_a_script_is_not_kept(browser, to, values, headers):
    answer = send(browser, to, values, **headers)
    assert answer.headers["Location"].startswith(f"{LOGIN}?next=/admin/") and "unsent" not in answer.headers["Location"]
    assert not Session.objects.exists()


@pytest.mark.parametrize("marked", [{"X-Requested-With": "fetch"}, {"Sec-Fetch-Dest": "empty"}])
def test_a_script_that_asked_before_and_is_answered_later_takes_no_kept_form_away(steward, plans, marked):
    browser = Client()
    sign_in(browser)
    Session.objects.all().delete()
    ended = Client()  # what the script asks with: the cookies of the moment before the form was sent
    ended.cookies.load({name: each.value for name, each in browser.cookies.items()})
    to_sign_in = choose(browser, plans)
    late = ended.get("/admin/", headers=marked)
    assert settings.SESSION_COOKIE_NAME not in late.cookies and late.status_code == 302
    browser.cookies.update(late.cookies)
    assert "3 lines of the list are chosen." in browser.get(sign_in(browser, to=to_sign_in)).content.decode()


def test_people_sign_in_inside_an_app_that_names_itself_with_every_page(steward):
    answer = send(Client(), LOGIN, {"username": "steward", "password": "secret"}, **{"X-Requested-With": "org.example"})
    assert answer.status_code == 302 and answer.cookies[settings.SESSION_COOKIE_NAME].value


def test_a_page_of_a_session_that_ended_still_ends_its_cookie(browser):
    browser.cookies[settings.SESSION_COOKIE_NAME] = "ended"
    assert browser.get("/admin/").cookies[settings.SESSION_COOKIE_NAME]["max-age"] == 0


def test_a_button_of_an_address_that_only_does_something_leads_back_to_its_page(steward):
    address = reverse("admin:scheduling_schedulerconfiguration_resume_everything")
    answer = send(Client(), address, {}, Referer="http://testserver/admin/scheduling/run/?p=2")
    assert answer.headers["Location"] == f"{LOGIN}?next=/admin/scheduling/run/%3Fp%3D2"
    elsewhere = send(Client(), address, {}, Referer="http://other.example/admin/")
    assert elsewhere.headers["Location"] == f"{LOGIN}?next=/admin/"


def test_the_session_lasts_as_long_as_any_after_the_sign_in(browser, plans):
    to_sign_in = choose(browser, plans)
    assert browser.session.get_expiry_age() == 3600
    sign_in(browser, to=to_sign_in)
    assert browser.session.get_expiry_age() == settings.SESSION_COOKIE_AGE


def test_what_is_kept_is_gone_after_an_hour_although_its_session_goes_on(browser, plans, monkeypatch):
    question = sign_in(browser, to=choose(browser, plans))
    assert b"It goes to /admin/scheduling/plan/?o=1." in browser.get(question).content
    later = clock.now() + timedelta(hours=1, minutes=1)
    monkeypatch.setattr(clock, "now", lambda: later)
    assert browser.get(question).headers["Location"] == "/admin/" and "unsent" not in browser.session


def test_for_an_account_that_is_closed_nothing_is_kept(browser, steward, plans):
    User.objects.filter(pk=steward.pk).update(is_active=False)
    assert "unsent" not in choose(browser, plans)
    assert not Session.objects.exists(), "who knew a password once fills no table"


@pytest.mark.parametrize("status", [503, 200])
def test_what_could_not_be_done_is_kept_still(rf, steward, status):
    request = rf.post(LIST)
    kept = {"person": str(steward.pk), "to": LIST, "at": clock.now().timestamp()}
    request.session, request.user = {"unsent": kept}, steward
    UnsentMiddleware(lambda _: HttpResponse(status=status))(request)
    assert ("unsent" in request.session) is (status == 503)


def test_a_form_from_before_the_sign_in_in_another_tab_is_asked_about(steward, plans):
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(steward)
    browser.cookies[settings.CSRF_COOKIE_NAME] = "a" * 32
    old = {"action": "pause_selected", "_selected_action": [plans[0].pk], "csrfmiddlewaretoken": "b" * 32}
    answer = send(browser, LIST, old, Origin="http://testserver")
    assert answer.status_code == 302
    page = browser.get(answer.headers["Location"]).content.decode()
    assert kept_form(page)[1]["action"] == ["pause_selected"]


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Origin": "http://other.example"},
        {"Origin": "null"},
        {"Origin": "http://trusted.example", "Sec-Fetch-Site": "same-site"},
    ],
)
def test_a_form_of_another_site_is_refused_in_words_and_not_kept(steward, plans, headers, settings):
    settings.CSRF_TRUSTED_ORIGINS = ["http://trusted.example"]
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(steward)
    browser.cookies[settings.CSRF_COOKIE_NAME] = "a" * 32
    answer = send(browser, LIST, {"action": "x", "csrfmiddlewaretoken": "b" * 32}, **headers)
    assert answer.status_code == 403 and b"This page is too old to be sent" in answer.content
    assert "unsent" not in browser.session
