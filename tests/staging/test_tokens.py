"""Tokens: never more than their account and their entities, whatever becomes of either."""

from typing import Any

import pytest
from django.contrib.auth.models import Group, Permission, User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from staging import tokens
from staging.entities.save import save_entity
from staging.models import ApiToken, Entity
from staging.phrases import beginning_of_tokens, by_token, person_in
from staging.rights import EntityRights, held_by

pytestmark = pytest.mark.django_db


def _account(name: str, role: str = "Viewer", **fields: Any) -> User:
    user = User.objects.create_user(name, **fields)
    user.groups.add(Group.objects.get(name=role))
    return User.objects.get(pk=user.pk)


def _get(secret: str, address: str) -> Any:
    return Client().get(f"/api/v1/{address}", headers={"Authorization": f"Bearer {secret}"})


def test_the_secret_is_stored_nowhere() -> None:
    token, secret = tokens.issue(_account("anna"), name="x", scopes=["read"], entities=None, by="test")
    stored = str(ApiToken.objects.values().get())
    assert secret not in stored and secret[12:] not in stored and token.hint == secret[:8]
    assert tokens.find(secret) == token and tokens.find(secret[:-1]) is None and tokens.find("") is None


def test_an_entity_that_goes_opens_no_other_to_its_token() -> None:
    own, other = Entity(code="own", name="Own"), Entity(code="other", name="Other")
    save_entity(own, [])
    save_entity(other, [])
    _, secret = tokens.issue(_account("anna"), name="x", scopes=["read"], entities=[own], by="test")
    assert [each["code"] for each in _get(secret, "entities").json()["results"]] == ["own"]
    own.delete()
    assert _get(secret, "entities").json()["results"] == []
    assert _get(secret, "entities/other").status_code == 403


def test_a_person_who_loses_a_right_loses_it_in_their_tokens() -> None:
    anna = _account("anna")
    _, secret = tokens.issue(anna, name="x", scopes=["read"], entities=None, by="test")
    assert _get(secret, "batches").status_code == 200
    anna.groups.clear()
    assert _get(secret, "batches").status_code == 403
    anna.is_active = False
    anna.save()
    assert _get(secret, "batches").status_code == 401
    anna.delete()
    assert _get(secret, "batches").status_code == 401


@pytest.mark.parametrize(
    ("whose", "hand", "allowed"),
    [
        ("admin", "admin", True), ("service", "admin", True), ("viewer", "admin", False), ("root", "admin", False),
        ("root service", "admin", False), ("root service", "root", True), ("service", "viewer", False),
    ],
)  # fmt: skip
def test_whose_tokens_may_be_handed_out(whose: str, hand: str, allowed: bool) -> None:
    people = {
        "admin": _account("admin", "Administrator", password="x"),
        "viewer": _account("viewer", password="x"),
        "service": _account("service", "Steward"),
        "root": _account("root", is_superuser=True, password="x"),
        "root service": _account("root-service", is_superuser=True),
    }
    assert tokens.may_have_one(people[whose], from_hand=people[hand]) is allowed


def test_who_did_something_by_a_token_is_known_as_the_person() -> None:
    assert by_token("anna", "loader") == "anna (token loader)" and person_in("anna (token loader)") == "anna"
    long = "a" * 149
    assert by_token(long, "loader") == long and person_in(long) == long
    assert by_token("anna", "loader").startswith(beginning_of_tokens("anna"))
    assert not by_token("annabel", "x").startswith(beginning_of_tokens("anna"))


def test_a_token_brings_its_person_with_what_that_was_given_in_one_statement() -> None:
    group = Group.objects.create(name="Own")
    group.permissions.set(Permission.objects.filter(codename__in=("upload_rows", "view_rows")))
    person = User.objects.create(username="loader")
    person.groups.add(group)
    person.user_permissions.set(Permission.objects.filter(codename="oversee"))
    made, secret = tokens.issue(person, name="nightly", scopes=["deposit"], entities=None, by="root")
    with CaptureQueriesContext(connection) as asked:
        token = tokens.find(secret)
        assert token is not None and token == made
        held = held_by(token.person)
    assert len(asked) == 1
    assert held.own == {"scheduling.oversee"}
    assert {"staging.upload_rows", "staging.view_rows"} <= held.everywhere
    by_session = EntityRights().get_user(person.pk)
    assert by_session is not None and held_by(by_session) == held
    group.permissions.clear()
    person.user_permissions.clear()
    again = tokens.find(secret)
    assert again is not None and not held_by(again.person).everywhere
    assert tokens.find("sst_other") is None and ApiToken.objects.count() == 1
