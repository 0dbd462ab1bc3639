"""The page of tokens: who sees it, who gets one, the secret once, revoked after asking."""

from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client
from django.urls import reverse

from staging import tokens
from staging.models import ApiToken, Entity

pytestmark = pytest.mark.django_db
LIST, ADD = "admin:staging_apitoken_changelist", "admin:staging_apitoken_add"


def _service(name: str, role: str) -> User:
    user = User(username=name)
    user.set_unusable_password()
    user.save()
    user.groups.add(Group.objects.get(name=role))
    return user


def _add(client: Client, **data: Any) -> Any:
    fields = {"name": "loader", "scopes": ["read"], "all_entities": "on", "expires_at": "2099-01-31T06:00"}
    return client.post(reverse(ADD), {key: value for key, value in (fields | data).items() if value is not None})


@pytest.mark.parametrize("role", ["Viewer", "Operator", "Steward"])
def test_only_administrators_see_tokens(as_role: Any, role: str) -> None:
    client = as_role(role)
    assert client.get(reverse(LIST)).status_code == client.get(reverse(ADD)).status_code == 403
    assert "API tokens" not in client.get(reverse("admin:index")).content.decode()


def test_a_token_is_made_shown_once_and_works(administrator: Client, region: Entity) -> None:
    service = _service("warehouse", "Operator")
    made = _add(administrator, person=service.pk, scopes=["read", "deposit"], all_entities=None, entities=[region.pk])
    token = ApiToken.objects.get()
    secret = made.context["secret"]
    assert made.status_code == 200 and secret in made.content.decode() and "no-store" in made.headers["Cache-Control"]
    assert str(token.expires_at) == "2099-01-31 06:00:00+00:00"
    assert token.created_by == "Administrator-user" and list(token.entities.all()) == [region]
    assert tokens.find(secret) == token
    listed = administrator.get(reverse(LIST)).content.decode()
    assert "loader" in listed and "region" in listed and "active" in listed and secret not in listed
    assert administrator.get(reverse("admin:staging_apitoken_change", args=[token.pk])).status_code == 200


def test_nobody_makes_a_token_of_somebody_else_or_of_more_than_they_may(administrator: Client, person_of: Any) -> None:
    powerful = _service("powerful", "Viewer")
    powerful.is_superuser = True
    powerful.save()
    assert "Select a valid choice" in _add(administrator, person=person_of("Viewer").pk).content.decode()
    assert "Only your own account" in _add(administrator, person=powerful.pk).content.decode()
    assert not ApiToken.objects.exists()
    mine = User.objects.get(username="Administrator-user")
    assert _add(administrator, person=mine.pk).status_code == 200 and ApiToken.objects.get().person == mine


@pytest.fixture
def person_of() -> Any:
    """Return a maker of people with a password and a role."""

    def make(role: str) -> User:
        user = User.objects.create_user("somebody", password="x")
        user.groups.add(Group.objects.get(name=role))
        return user

    return make


def test_faults_stand_at_their_fields(administrator: Client, region: Entity) -> None:
    nobody = User(username="nobody")
    nobody.set_unusable_password()
    nobody.save()
    for data, text in (
        ({"person": nobody.pk}, "has no role"),
        ({"person": _service("s", "Viewer").pk, "scopes": None}, "This field is required"),
        ({"person": _service("t", "Viewer").pk, "all_entities": None}, "Name at least one entity"),
        ({"person": _service("u", "Viewer").pk, "entities": [region.pk]}, "not both"),
    ):
        assert text in _add(administrator, **data).content.decode()
    assert not ApiToken.objects.exists()


def test_tokens_are_revoked_after_asking_and_never_deleted(administrator: Client) -> None:
    token, _ = tokens.issue(_service("s", "Viewer"), name="old", scopes=["read"], entities=None, by="test")
    chosen = {"action": "revoke_selected", "_selected_action": [token.pk]}
    asked = administrator.post(reverse(LIST), chosen)
    assert "cannot be taken back" in asked.content.decode()
    token.refresh_from_db()
    assert token.revoked_at is None
    administrator.post(reverse(LIST), chosen | {"confirmed": "yes"})
    token.refresh_from_db()
    assert token.revoked_at is not None and token.revoked_by == "Administrator-user"
    assert "revoked" in administrator.get(reverse(LIST)).content.decode()
    assert (
        administrator.post(reverse("admin:staging_apitoken_delete", args=[token.pk]), {"post": "yes"}).status_code
        == 403
    )
