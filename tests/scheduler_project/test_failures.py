"""A page that fails says so in words: busy with when to try again, anything else without a trace of the inside."""

import pytest
from django.conf import settings
from django.db import OperationalError
from django.test import Client
from django.urls import reverse

from tests.scheduling.admin.conftest import make_user

pytestmark = pytest.mark.django_db


class _ByServer(Exception):
    sqlstate = "55P03"


def _sign_in(client: Client, following: str = "/admin/") -> object:
    client.raise_request_exception = False
    return client.post(f"/admin/login/?next={following}", {"username": "steward", "password": "secret"})


def _failing(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    def login(*_: object) -> None:
        raise error

    monkeypatch.setattr("django.contrib.auth.views.auth_login", login)


def test_while_others_keep_the_database_busy_a_sign_in_is_told_when_to_try_again(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite says it in words, PostgreSQL by a code."""
    make_user("Steward")
    waited = OperationalError("canceling statement due to lock timeout")
    waited.__cause__ = _ByServer()
    for error in (OperationalError("database is locked"), waited):
        _failing(monkeypatch, error)
        answer = _sign_in(client)
        assert (answer.status_code, answer["Retry-After"]) == (503, "10")
        assert b"The database is busy" in answer.content and b"scheduling/look.css" in answer.content


def test_any_other_fault_is_told_in_words_and_shows_nothing_of_the_inside(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_user("Steward")
    for error in (OperationalError("no such table: secret_table"), ValueError("secret value")):
        _failing(monkeypatch, error)
        answer = _sign_in(client)
        assert answer.status_code == 500 and b"Something failed on this page" in answer.content
        assert b"secret" not in answer.content


def test_it_says_so_without_style_where_the_files_of_the_style_were_never_collected(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Then every page fails, and this one must not fail with them."""

    def missing(name: str) -> str:
        raise ValueError(f"Missing staticfiles manifest entry for '{name}'")

    monkeypatch.setattr("scheduler_project.failures.staticfiles_storage.url", missing)
    make_user("Steward")
    _failing(monkeypatch, ValueError("x"))
    answer = _sign_in(client)
    assert answer.status_code == 500 and b"Something failed on this page" in answer.content
    assert b"stylesheet" not in answer.content


@pytest.mark.parametrize("following", ["https://evil.example/", "//evil.example", "javascript:alert(1)"])
def test_a_sign_in_that_leads_elsewhere_ends_on_the_start_page(client: Client, following: str) -> None:
    make_user("Steward")
    answer = _sign_in(client, following)
    assert (answer.status_code, answer["Location"]) == (302, "/admin/")


def test_a_fault_of_a_page_is_logged_with_its_trace(
    client: Client, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    make_user("Steward")
    _failing(monkeypatch, ValueError("what went wrong"))
    assert _sign_in(client).status_code == 500
    (told,) = [record for record in caplog.records if record.levelname == "ERROR" and record.exc_info]
    assert told.name == "django.request" and "what went wrong" in str(told.exc_info[1])


def test_a_fault_has_a_reference_that_stands_in_the_log(
    client: Client, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    make_user("Steward")
    _failing(monkeypatch, ValueError("secret value"))
    page = _sign_in(client).content.decode()
    (told,) = [record for record in caplog.records if getattr(record, "event", "") == "page_failed"]
    assert f"<strong>{told.reference}</strong>" in page and told.reference in told.getMessage()
    assert "ValueError" in told.getMessage() and "secret" not in told.getMessage()
    assert 'href="/admin/"' in page


@pytest.mark.parametrize(
    ("path", "status", "words"),
    [
        ("/admin/scheduling/schedulerlog/add/", 403, "You may not do this"),
        ("/admin/scheduling/nothing/", 404, "There is nothing here"),
        ("/admin/scheduling/schedulerconfiguration/resume-everything/", 405, "This address does something"),
    ],
)
def test_who_is_signed_in_keeps_the_name_and_the_way_out(client: Client, path: str, status: int, words: str) -> None:
    client.force_login(make_user("Steward"))
    answer = client.get(path)
    page = answer.content.decode()
    assert answer.status_code == status and words in page
    assert "steward" in page and "/admin/logout/" in page and "To the start page" in page
    assert status != 405 or answer["Allow"] == "POST"


def test_strangers_meet_the_same_words_without_a_name(client: Client) -> None:
    page = client.get("/nothing/").content.decode()
    assert "There is nothing here" in page and "/admin/logout/" not in page


def test_the_api_answers_a_wrong_method_as_it_did(client: Client) -> None:
    answer = client.delete("/api/v1/schema/")
    assert answer.status_code in (401, 403, 405) and b"<html" not in answer.content


@pytest.mark.parametrize(
    ("language", "words", "way_out"),
    [
        ("en", "This cannot be understood", "To the start page"),
        ("nl", "Dit is niet te begrijpen", "Naar de startpagina"),
    ],
)
def test_what_cannot_be_understood_is_refused_in_words_too(
    client: Client, language: str, words: str, way_out: str
) -> None:
    """An address that nothing here makes, and more fields than a page takes."""
    client.force_login(make_user("superuser"))
    address = "/admin/scheduling/queue/add/?_to_field=nothing"
    many = dict.fromkeys((f"field-{number}" for number in range(settings.DATA_UPLOAD_MAX_NUMBER_FIELDS + 1)), "1")
    for answer in (
        client.get(address, headers={"Accept-Language": language}),
        client.post("/admin/scheduling/queue/add/", many, headers={"Accept-Language": language}),
    ):
        page = answer.content.decode()
        assert answer.status_code == 400 and words in page and way_out in page
        assert "scheduling/look.css" in page and 'href="/admin/"' in page


def test_a_host_that_is_not_ours_is_refused_in_words(client: Client) -> None:
    answer = client.get("/admin/", headers={"Host": "elsewhere.example"})
    assert answer.status_code == 400 and b"This cannot be understood" in answer.content


@pytest.mark.parametrize("page", ["password_change", "password_change_done"])
def test_the_pages_of_the_own_password_have_the_menu_of_every_other_page(client: Client, page: str) -> None:
    client.force_login(make_user("Steward"))
    shown = client.get(reverse(f"admin:{page}")).content.decode()
    for each in ('name="times_shown"', 'class="person"', 'name="language"'):
        assert each in shown
    assert shown.count('id="logout-form"') == 1
