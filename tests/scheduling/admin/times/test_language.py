"""Promises about languages: everybody reads their own, guessed once from the browser and changed by one click."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from scheduling.models import PersonalChoices
from tests.scheduling.admin.conftest import make_user

pytestmark = pytest.mark.django_db
SWITCH = "/admin/scheduling/schedulerconfiguration/language/switch/"
LIST = "/admin/scheduling/schedulerconfiguration/"
LOG = "/admin/scheduling/schedulerlog/?period=all"
LOGIN = "/admin/login/?next=/admin/"


def sign_in(browser: str = "") -> Client:
    """Return a browser that asks for these languages, in which somebody has just signed in by the form."""
    if not User.objects.exists():
        make_user("Steward")
    client = Client(headers={"Accept-Language": browser} if browser else None)
    assert client.post(LOGIN, {"username": "steward", "password": "secret"}).status_code == 302
    return client


def language_of(client: Client, path: str = LIST) -> str:
    answer = client.get(path)
    language = answer.headers["Content-Language"]
    assert f'<html lang="{language}"' in answer.content.decode()
    return language


@pytest.mark.parametrize(
    ("browser", "language"), [("nl-BE,nl;q=0.9,en;q=0.5", "nl"), ("de,fr;q=0.8", "en"), ("", "en")]
)
def test_before_the_sign_in_pages_are_in_the_browsers_language(browser, language):
    assert language_of(Client(headers={"Accept-Language": browser}), "/admin/login/") == language


def test_the_browsers_language_becomes_the_persons_at_the_first_sign_in_and_stays():
    assert language_of(sign_in("nl")) == "nl"
    assert language_of(sign_in("en-GB")) == "nl"
    assert PersonalChoices.objects.get().language == "nl"


def test_one_click_changes_the_language_on_the_same_page_and_in_the_next_browser():
    client = sign_in("en")
    assert '<button name="language" value="nl" lang="nl">Nederlands</button>' in client.get(LIST).content.decode()
    assert client.post(SWITCH, {"language": "nl", "next": LIST}).headers["Location"] == LIST
    assert language_of(client) == language_of(sign_in("en")) == "nl"
    assert '<button name="language" value="en" lang="en">English</button>' in client.get(LIST).content.decode()


@pytest.mark.parametrize("asked", ["", "xx", "nl-be", "<b>", "x" * 5000])
def test_a_language_that_is_none_is_refused_in_words(asked):
    client = sign_in("nl")
    client.post(SWITCH, {"language": "en"})
    answer = client.post(SWITCH, {"language": asked, "next": LIST}, follow=True)
    assert "is no language of these pages" in answer.content.decode()
    assert language_of(client) == "en"


def test_the_api_answers_in_the_language_of_the_site():
    answer = Client(headers={"Accept-Language": "nl"}).get("/api/v1/entities")
    assert answer.status_code == 401 and "Content-Language" not in answer.headers


def test_a_cache_keeps_the_languages_apart():
    assert "Accept-Language" in Client().get("/admin/login/").headers["Vary"]
