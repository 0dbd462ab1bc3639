"""Promises of every answer: it is what it says it is, no other site frames or gets it, and no script its cookies."""

from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.messages import get_messages
from django.test import Client, override_settings

from tests.scheduling.admin.addresses import addresses
from tests.scheduling.admin.conftest import make_user

pytestmark = pytest.mark.django_db
BESIDE = ["/", "/admin/login/", "/admin/nowhere/", "/healthz", "/readyz", "/metrics", "/api/v1/entities",
          "/api/nowhere", "/api/v1/schema/", "/static/scheduling/look.css", "/static/nowhere.css", "/%ff",
          "/admin/jsi18n/"]  # fmt: skip


def answers() -> Any:
    """Yield an answer of each kind of address: pages, files, probes, the API, and what is not there."""
    client = Client(raise_request_exception=False)
    client.force_login(make_user("superuser"))
    for pattern, _ in addresses():
        if pattern.startswith("/admin/") and "<" not in pattern and "(" not in pattern and "logout" not in pattern:
            yield pattern, client.get(pattern)
    for address in BESIDE:
        yield address, client.get(address)
        yield address, Client(raise_request_exception=False).get(address)
    yield "no host", client.get("/admin/", headers={"host": "evil.example"})
    yield "too large", Client().post("/admin/login/", {"a": "x" * 3_000_000})


def test_every_answer_says_what_it_is_and_is_framed_by_nobody() -> None:
    wrong, read = {}, 0
    for address, answer in answers():
        read += 1
        policy = answer.headers.get("Content-Security-Policy", "")
        needed = {
            "nosniff": answer.headers.get("X-Content-Type-Options") == "nosniff",
            "referrer": answer.headers.get("Referrer-Policy") == "same-origin",
            "opener": answer.headers.get("Cross-Origin-Opener-Policy") == "same-origin",
            "resource": answer.headers.get("Cross-Origin-Resource-Policy") == "same-origin",
            "frames": "frame-ancestors 'none'" in policy and answer.headers.get("X-Frame-Options") == "DENY",
            "base": "base-uri 'none'" in policy,
            "scripts": "unsafe" not in policy and ("object-src 'none'" in policy or "default-src 'none'" in policy),
            "other sites": not any(name.lower().startswith("access-control") for name in answer.headers),
        }
        if missing := [name for name, is_there in needed.items() if not is_there]:
            wrong[address, answer.status_code] = missing
    assert wrong == {} and read > 60


def test_what_is_no_page_runs_nothing_in_a_browser() -> None:
    client = Client()
    client.force_login(make_user("superuser"))
    for address in ("/api/v1/entities", "/healthz"):
        assert client.get(address)["Content-Security-Policy"].startswith("default-src 'none'")


def test_by_https_every_answer_says_so_for_a_year_and_plain_http_leads_there() -> None:
    with override_settings(SECURE_SSL_REDIRECT=True, SECURE_HSTS_SECONDS=31_536_000):
        plain = Client().get("/admin/login/")
        assert plain.status_code == 301 and plain["Location"].startswith("https://")
        for address in ("/admin/login/", "/api/v1/entities", "/admin/nowhere/"):
            told = Client().get(address, secure=True)["Strict-Transport-Security"]
            assert told.startswith("max-age=31536000")


def sign_in(client: Client, password: str = "secret") -> Any:
    """Send the form of the sign-in."""
    return client.post("/admin/login/", {"username": "superuser", "password": password})


@pytest.fixture
def person() -> User:
    return make_user("superuser")


def test_no_script_reads_a_cookie_and_no_other_host_gets_one(person: User) -> None:
    client = Client()
    client.get("/admin/login/")
    sign_in(client)
    assert {settings.SESSION_COOKIE_NAME, settings.CSRF_COOKIE_NAME, "person"} == set(client.cookies)
    for cookie in client.cookies.values():
        assert cookie["httponly"] and cookie["path"] == "/" and not cookie["domain"]
        assert cookie["samesite"] in ("Lax", "Strict")


def test_a_message_is_in_no_cookie(person: User) -> None:
    client = Client()
    client.force_login(person)
    answer = client.post("/admin/auth/group/add/", {"name": "g", "role": "Viewer", "reach": "all"})
    assert answer.status_code == 302 and "messages" not in client.cookies
    assert [str(each) for each in get_messages(client.get("/admin/auth/group/").wsgi_request)]


def test_a_session_ends_with_signing_out(person: User) -> None:
    client, thief = Client(), Client()
    sign_in(client)
    thief.cookies[settings.SESSION_COOKIE_NAME] = client.cookies[settings.SESSION_COOKIE_NAME].value
    assert thief.get("/admin/").status_code == 200
    client.post("/admin/logout/")
    assert thief.get("/admin/").status_code == 302


def test_other_sessions_end_with_a_new_password_and_with_the_account(person: User) -> None:
    here, there = Client(), Client()
    sign_in(here), sign_in(there)
    new = {"old_password": "secret", "new_password1": "quite-long-7", "new_password2": "quite-long-7"}
    assert here.post("/admin/password_change/", new).status_code == 302
    assert here.get("/admin/").status_code == 200 and there.get("/admin/").status_code == 302
    User.objects.update(is_active=False)
    assert here.get("/admin/").status_code == 302


def test_a_sign_in_begins_a_session_of_a_new_name(person: User) -> None:
    """Who planted a session before has nothing of it."""
    client = Client()
    sign_in(client)
    first = client.cookies[settings.SESSION_COOKIE_NAME].value
    client.post("/admin/logout/")
    client.cookies[settings.SESSION_COOKIE_NAME] = first
    sign_in(client)
    assert client.cookies[settings.SESSION_COOKIE_NAME].value != first
