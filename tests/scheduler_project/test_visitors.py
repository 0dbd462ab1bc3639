"""Promises of the log: who came, from where, who left and who was refused what stands in it, and no secret."""

import logging
from typing import Any

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import Client

from scheduler_project.around import ProxyMiddleware
from staging import tokens
from tests.json_lines import json_lines
from tests.scheduling.admin.conftest import client_for, make_user

pytestmark = pytest.mark.django_db


def lines_of(event: str, act: Any) -> list[str]:
    """Return the messages of an event that are logged while something is done."""
    with json_lines() as lines:
        act()
    return [line["message"] for line in lines.of(event)]


def test_who_comes_and_leaves_is_told() -> None:
    make_user("superuser")
    client = Client(REMOTE_ADDR="10.1.2.3")

    def act() -> None:
        client.post("/admin/login/", {"username": "superuser", "password": "secret"})

    assert lines_of("session_began", act) == ["'superuser' came in from 10.1.2.3"]
    assert lines_of("session_ended", lambda: client.post("/admin/logout/")) == ["'superuser' left, from 10.1.2.3"]


@pytest.mark.parametrize(
    ("method", "address", "status"),
    [("get", "/admin/staging/apitoken/", 403), ("post", "/api/v1/entities", 403), ("get", "/api/v1/jobs?x=1", 400)],
)
def test_who_is_refused_what_is_told(method: str, address: str, status: int) -> None:
    client = client_for("Viewer")
    (told,) = lines_of("refused", lambda: getattr(client, method)(address))
    path = address.partition("?")[0]
    assert told == f"refused with {status}: {method.upper()} '{path}', to 'viewer', from 127.0.0.1"


def test_a_forged_form_and_a_stranger_are_told() -> None:
    strict = Client(enforce_csrf_checks=True)
    (told,) = lines_of("refused", lambda: strict.post("/admin/login/", {"username": "x"}))
    assert "403" in told and "to nobody" in told
    (told,) = lines_of("refused", lambda: Client().get("/api/v1/entities"))
    assert "401" in told


def test_an_address_of_several_lines_is_one_line_and_no_parameter_is_told() -> None:
    (told,) = lines_of("refused", lambda: Client().get("/api/v1/entities/a%0Ab%1b%5B2J/rows?secret=canary"))
    assert told.isprintable() and "canary" not in told


def test_no_password_and_no_token_is_in_a_line(caplog: pytest.LogCaptureFixture) -> None:
    person = make_user("superuser")
    _, secret = tokens.issue(person, name="loader", scopes=["read"], entities=None, by="x")
    with caplog.at_level(logging.DEBUG):
        client = Client(raise_request_exception=False)
        for password in ("canary-password", "secret"):
            client.post("/admin/login/", {"username": "superuser", "password": password})
        client.post("/admin/login/", {"username": "canary-as-name", "password": "x"})
        for header in (f"Bearer {secret}", f"Bearer {secret}x"):
            client.get("/api/v1/jobs?nothing=1", headers={"authorization": header})
        client.post("/admin/password_change/", {"old_password": "canary-old", "new_password1": "canary-new"})
    everything = "\n".join(f"{record.getMessage()} {record.exc_text or ''}" for record in caplog.records)
    assert "came in" in everything and "canary" not in everything and secret not in everything


@pytest.mark.parametrize(
    ("proxies", "told", "expected"),
    [
        (0, "1.2.3.4", "10.0.0.1"),
        (1, "1.2.3.4", "1.2.3.4"),
        (1, "6.6.6.6, 1.2.3.4", "1.2.3.4"),
        (2, "6.6.6.6, 1.2.3.4, 10.0.0.7", "1.2.3.4"),
        (2, "1.2.3.4", "10.0.0.1"),
        (1, "2001:db8::1", "2001:db8::1"),
        (1, "", "10.0.0.1"),
        (1, "unknown", "10.0.0.1"),
        (1, "1.2.3.4\nforged", "10.0.0.1"),
    ],
)
def test_the_address_is_what_the_outermost_proxy_saw(settings, proxies: int, told: str, expected: str) -> None:
    settings.TRUSTED_PROXIES = proxies
    request = HttpRequest()
    request.META |= {"REMOTE_ADDR": "10.0.0.1", "HTTP_X_FORWARDED_FOR": told}
    seen = []
    ProxyMiddleware(lambda asked: seen.append(asked.META["REMOTE_ADDR"]) or HttpResponse())(request)
    assert seen == [expected]
