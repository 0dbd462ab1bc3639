"""Who may read /metrics, and what everybody else is told."""

import pytest
from django.contrib.auth.models import Group, User
from django.db import OperationalError
from django.test import Client
from prometheus_client.parser import text_string_to_metric_families

from staging import tokens
from staging.models import Entity
from staging.states import Role

pytestmark = pytest.mark.django_db

SECRET = "a-secret-of-the-monitoring-system"


@pytest.fixture(autouse=True)
def _token(settings) -> None:
    settings.METRICS_TOKEN = SECRET


def person(role: str) -> User:
    user = User.objects.create_user(f"a-{role.lower()}", password="pass", is_staff=True)
    user.groups.add(Group.objects.get(name=role))
    return user


def ask(client: Client, secret: str, scheme: str = "Bearer") -> int:
    return client.get("/metrics", headers={"authorization": f"{scheme} {secret}"}).status_code


def test_the_token_of_the_environment_reads_them(client: Client):
    answer = client.get("/metrics", headers={"authorization": f"Bearer {SECRET}"})
    assert answer.status_code == 200
    assert answer.headers["Content-Type"].startswith("text/plain")
    names = {family.name for family in text_string_to_metric_families(answer.content.decode())}
    assert "staging_scheduler_fires" in names


@pytest.mark.parametrize("secret", [SECRET[:-1], SECRET + "x", SECRET.upper(), "", "ä", "sst_unknown"])
def test_no_other_secret_does(client: Client, secret: str):
    assert ask(client, secret) == 401


def test_nor_another_scheme(client: Client):
    assert ask(client, SECRET, "Basic") == 401


def test_without_a_token_in_the_environment_no_empty_secret_opens(client: Client, settings):
    settings.METRICS_TOKEN = ""
    assert ask(client, "") == 401


def test_nobody_is_told_how_to_sign_in_and_nothing_else(client: Client):
    answer = client.get("/metrics")
    assert answer.status_code == 401
    assert answer.headers["WWW-Authenticate"].startswith("Bearer")
    assert b"staging_scheduler" not in answer.content


def test_the_session_of_an_administrator_reads_them_and_that_of_an_operator_does_not(client: Client):
    client.force_login(person(Role.ADMINISTRATOR))
    assert client.get("/metrics").status_code == 200
    client.force_login(person(Role.OPERATOR))
    assert client.get("/metrics").status_code == 401


def test_the_token_of_an_administrator_reads_them(client: Client):
    _, secret = tokens.issue(person(Role.ADMINISTRATOR), name="t", scopes=["read"], entities=None, by="test")
    assert ask(client, secret) == 200


def test_a_token_that_may_less_does_not(client: Client):
    administrator = person(Role.ADMINISTRATOR)
    entity = Entity.objects.create(code="branch", name="Branch")
    for scopes, entities, whose in (
        (["deposit"], None, administrator),
        (["read"], [entity], administrator),
        (["read"], None, person(Role.OPERATOR)),
    ):
        _, secret = tokens.issue(whose, name="t", scopes=scopes, entities=entities, by="test")
        assert ask(client, secret) == 401


def test_a_revoked_token_does_not(client: Client):
    token, secret = tokens.issue(person(Role.ADMINISTRATOR), name="t", scopes=["read"], entities=None, by="test")
    tokens.revoke(token, by="test")
    assert ask(client, secret) == 401


def test_a_machine_may_ask_by_address_and_plain_http(client: Client, settings):
    settings.ALLOWED_HOSTS = ["scheduler.example.com"]
    settings.SECURE_SSL_REDIRECT = True
    headers = {"host": "10.1.2.3:8000", "authorization": f"Bearer {SECRET}"}
    assert client.get("/metrics", headers=headers).status_code == 200


def test_a_database_that_is_away_is_503_in_words(client: Client, monkeypatch):
    def away(**_: object) -> None:
        raise OperationalError("connection refused by 10.0.0.7")

    monkeypatch.setattr("scheduler_project.metrics.clock.follow", away)
    answer = client.get("/metrics", headers={"authorization": f"Bearer {SECRET}"})
    assert (answer.status_code, answer.content) == (503, b"The database does not answer.")
