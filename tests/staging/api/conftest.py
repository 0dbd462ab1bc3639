"""Callers of the API: a person of a role with a token of given scopes, and what they send."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client

from staging import tokens
from staging.models import ApiToken, Entity
from staging.states import Scope

ALL = tuple(Scope.values)


@dataclass
class Api:
    """A client that sends JSON with a token."""

    client: Client
    token: ApiToken | None
    secret: str

    def __call__(self, method: str, address: str, body: Any = None, **headers: str) -> Any:
        """Send a request to an address below /api/v1/; underscores of headers are hyphens."""
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        if self.secret:
            sent = {"Authorization": f"Bearer {self.secret}"} | sent
        content = {} if body is None else {"data": body if isinstance(body, str | bytes) else json.dumps(body)}
        if content and not {"Content-Type", "content-type"} & sent.keys():
            content["content_type"] = "application/json"
        if kind := sent.pop("Content-Type", None):
            content["content_type"] = kind
        return self.client.generic(method.upper(), f"/api/v1/{address}", headers=sent, **content)

    def get(self, address: str, **headers: str) -> Any:
        """Send a GET."""
        return self("GET", address, **headers)

    def post(self, address: str, body: Any = None, **headers: str) -> Any:
        """Send a POST."""
        return self("POST", address, body, **headers)


MakeApi = Callable[..., Api]


@pytest.fixture
def person(db: None) -> Callable[..., User]:
    """Return a maker of accounts with a role."""

    def make(role: str = "Administrator", name: str = "") -> User:
        user, _ = User.objects.get_or_create(username=name or role.lower() or "nobody")
        if role:
            user.groups.add(Group.objects.get(name=role))
        return User.objects.get(pk=user.pk)

    return make


@pytest.fixture
def api(person: Callable[..., User]) -> MakeApi:
    """Return a maker of clients with a token: of a role, with scopes, for all entities or for some."""

    def make(
        role: str = "Administrator",
        scopes: tuple[str, ...] = ALL,
        entities: list[Entity] | None = None,
        name: str = "loader",
    ) -> Api:
        token, secret = tokens.issue(person(role), name=name, scopes=scopes, entities=entities, by="test")
        return Api(Client(), token, secret)

    return make
