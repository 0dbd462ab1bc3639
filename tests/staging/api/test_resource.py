"""What every address does: who is let in, what is refused, and how everything that goes wrong is told."""

from typing import Any

import pytest
from django.core.cache import caches
from django.db import OperationalError
from django.test import Client

from staging import tokens
from staging.api import batches
from staging.api.kit.problems import code_of
from staging.wording import Said
from tests.staging.api.conftest import Api, MakeApi

pytestmark = pytest.mark.django_db


def problem(response: Any, status: int) -> dict[str, Any]:
    """Return the problem that a response is."""
    assert response.status_code == status, response.content
    assert response.headers["Content-Type"] == "application/problem+json"
    document = response.json()
    assert set(document) == {"type", "title", "status", "detail", "errors"} and document["status"] == status
    return document


def test_programs_get_the_same_codes_in_every_language() -> None:
    assert code_of(Said.of("Dit is verplicht.", "This is required.", {})) == "required"
    assert code_of(Said.of("Er is hier geen sleutel 'x'.", "There is no key {key!r} here.", {"key": "x"})) == "unknown"
    assert code_of(Said.of("There is no number.", "Schrijf een getal.", {})) == code_of("Write a number.") == "invalid"


def test_nobody_is_told_how_to_sign_in() -> None:
    response = Api(Client(), None, "").get("batches")
    problem(response, 401)
    assert response.headers["WWW-Authenticate"].startswith("Bearer")


@pytest.mark.parametrize(
    "header", ["Bearer wrong", "Bearer ", "Basic YTpi", "Token x", "Bearer \x00", "Bearer " + "x" * 9999]
)
def test_a_wrong_token_is_a_401(header: str) -> None:
    problem(Api(Client(), None, "").get("batches", Authorization=header), 401)


def test_half_a_character_that_was_sent_is_told_as_it_came(api: MakeApi) -> None:
    """No encoding has bytes for it, so that the answer that names it could not be written."""
    told = problem(api()("PUT", "model", '{"version": 1, "\\ud800": 1}', If_Match="*"), 400)
    assert told["errors"][0]["path"] == "\ud800"


def test_a_token_lets_in(api: MakeApi) -> None:
    response = api().get("batches")
    assert response.status_code == 200 and response.json() == {"results": [], "next": None, "previous": None}
    assert response.headers["Cache-Control"] == "private, no-cache" and "Authorization" in response.headers["Vary"]


def test_a_revoked_token_and_one_of_an_account_switched_off_do_not(api: MakeApi) -> None:
    first, second = api(), api("Viewer")
    tokens.revoke(first.token, by="somebody")
    assert "revoked" in problem(first.get("batches"), 401)["detail"]
    second.token.person.is_active = False
    second.token.person.save()
    assert "switched off" in problem(second.get("batches"), 401)["detail"]


def test_a_session_reads_and_needs_the_csrf_token_to_change(person: Any) -> None:
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(person("Administrator"))
    assert browser.get("/api/v1/batches").status_code == 200
    assert "X-CSRFToken" in problem(browser.post("/api/v1/batches"), 403)["detail"]


def test_a_token_without_the_scope_is_refused(api: MakeApi) -> None:
    assert "scope read" in problem(api(scopes=("deposit", "operate", "configure")).get("batches"), 403)["detail"]


def test_a_token_has_no_more_than_its_person(api: MakeApi) -> None:
    caller = api("Viewer")
    caller.token.person.groups.clear()
    assert "staging.view_batch" in problem(caller.get("batches"), 403)["detail"]


def test_unknown_parameters_are_named_with_the_likely_one(api: MakeApi) -> None:
    (error,) = problem(api().get("batches?statsu=held"), 400)["errors"]
    assert error["path"] == "statsu" and "Did you mean 'status'?" in error["text"] and error["code"] == "unknown"


@pytest.mark.parametrize(
    "query",
    [
        *("limit=0", "limit=1001", "limit=x", "limit=-1", "limit=1&limit=2", "limit=%F0", "status=bad", "tag=%00"),
        *("cursor=x", "cursor=%00", "cursor=WyJhIiwgIngiXQ", "cursor=WyJhIl0", "cursor=" + "W" * 3000),
        *("cursor=WyJhIiwgOTk5OTk5OTk5OTk5OTk5OTk5OTldCg", "entity=" + "x" * 3000),
    ],
)
def test_bad_parameters_are_a_400(api: MakeApi, query: str) -> None:
    assert problem(api().get(f"batches?{query}"), 400)["errors"]


def test_what_is_not_there(api: MakeApi) -> None:
    for address in ("nothing", "batches/", "batches/x", "", "schema", f"batches/{10**30}", "batches/1"):
        problem(api().get(address), 404)
    problem(Api(Client(), None, "").get("nothing"), 404)


def test_other_methods_and_forms(api: MakeApi) -> None:
    caller = api()
    for method in ("POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "QUERY"):
        told = problem(caller(method, "batches"), 405)["detail"]
        assert told == f"{method} does nothing here; use GET, HEAD."
    assert "application/json" in problem(caller.get("batches", Accept="text/html"), 406)["detail"]
    assert caller("HEAD", "batches").status_code == 200


def test_a_database_that_is_away_is_a_503(api: MakeApi, monkeypatch: pytest.MonkeyPatch) -> None:
    caller = api()

    def away(*_: Any, **__: Any) -> Any:
        raise OperationalError("connection refused")

    monkeypatch.setattr(batches, "paged", away)
    response = caller.get("batches")
    problem(response, 503)
    assert response.headers["Retry-After"]
    monkeypatch.setattr(tokens, "find", away)
    problem(caller.get("batches"), 503)


def test_a_fault_is_a_500_that_tells_nothing_of_the_inside(api: MakeApi, monkeypatch: pytest.MonkeyPatch) -> None:
    caller = api()
    caller.client.raise_request_exception = False

    def fail(*_: Any, **__: Any) -> Any:
        raise KeyError("secret")

    monkeypatch.setattr(batches, "paged", fail)
    assert "secret" not in str(problem(caller.get("batches"), 500))


def test_too_many_requests(api: MakeApi, settings: Any) -> None:
    caches["default"].clear()
    settings.API_REQUESTS_PER_MINUTE = 2
    caller, other = api(), api("Viewer")
    answers = [caller.get("batches") for _ in range(6)]  # a new window may have begun in between
    refused = next(answer for answer in answers if answer.status_code == 429)
    wait = refused.headers["Retry-After"]
    assert f"more than 2 requests in a minute; the next one is taken in {wait} s" in problem(refused, 429)["detail"]
    assert other.get("batches").status_code == 200


def test_the_use_is_noted_once_a_minute(api: MakeApi) -> None:
    caller = api()
    caller.get("batches")
    caller.token.refresh_from_db()
    first = caller.token.last_used_at
    caller.get("batches")
    caller.token.refresh_from_db()
    assert first is not None and caller.token.last_used_at == first


def test_the_description_is_json_unless_yaml_is_asked_for(api: MakeApi) -> None:
    caller = api()
    described = caller.get("schema/").json()
    assert described["openapi"] == "3.1.0" and "/api/v1/batches" in described["paths"]
    assert caller.get("schema/", Accept="application/yaml").content.startswith(b"openapi: 3.1.0")
    assert caller.get("schema/?format=yaml").content.startswith(b"openapi: 3.1.0")
