"""Who calls: a person in a browser, or a token of a person; what the call may touch, and by which name it is told."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from django.apps import apps
from django.contrib.auth.models import User
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from rest_framework.authentication import BaseAuthentication, SessionAuthentication
from rest_framework.exceptions import APIException, AuthenticationFailed

from staging import tokens
from staging.api.kit.problems import ApiProblem
from staging.models import ApiToken, Entity
from staging.phrases import by_token
from staging.rights import common, covers, reach, visible
from staging.states import Scope, TokenState
from staging.wording import say

_REALM = 'Bearer realm="api"'
_LONGEST_SECRET = 200
_Rows = TypeVar("_Rows", bound=QuerySet[Any])


@dataclass(frozen=True)
class Caller:
    """Whoever makes this request. `entity_ids` are the entities that it may touch here; None: all of them.

    Those are the token's, as far as its person holds what is needed for them: a token never does more than its owner.
    """

    person: User
    token: ApiToken | None
    entity_ids: frozenset[int] | None
    demands: list[list[Any]] = field(default_factory=list, compare=False)

    @classmethod
    def of(cls, person: User, token: ApiToken | None, needed: Sequence[str] = ()) -> Caller:
        """Return the caller of a request that was authenticated, for what needs these permissions."""
        is_limited = token is not None and not token.all_entities
        ids = frozenset(token.entities.values_list("pk", flat=True)) if token is not None and is_limited else None
        return cls(person, token, common([ids, reach(person, *needed)]))

    @property
    def by(self) -> str:
        """Return who did it, as logs and histories tell it."""
        name = self.person.get_username()
        return name if self.token is None else by_token(name, self.token.name)

    @property
    def key(self) -> str:
        """Return what tells this caller from all others."""
        return f"person:{self.person.pk}" if self.token is None else f"token:{self.token.pk}"

    @property
    def is_limited(self) -> bool:
        """Return whether it may touch named entities only."""
        return self.entity_ids is not None

    @property
    def _whose(self) -> str:
        is_the_token = self.token is not None and not self.token.all_entities
        return say("that this token is for") if is_the_token else say("that you may do this for")

    def insist_on_scope(self, scope: Scope) -> None:
        """Refuse a token that lacks the scope; a session has every scope, for its person has the rights."""
        if self.token is not None and not self.token.allows(scope):
            raise ApiProblem(403, say("This needs a token with the scope {scope}.", scope=scope.value))

    def insist_on_rights(self, *needed: str, of: Model | None = None) -> None:
        """Refuse when the person lacks one of these permissions, for this thing where one is named."""
        self.demands.append(["rights", list(needed), *_named(of)])
        missing = [one for one in needed if not self.person.has_perm(one, of)]
        if missing:
            name = self.person.get_username()
            text = say("This needs the permission {permission}, which {name} lacks.", permission=missing[0], name=name)
            raise ApiProblem(403, text)

    def sees(self, entity_id: int | None) -> bool:
        """Return whether something of this entity may be touched; of None: of no entity, or of several."""
        return self.entity_ids is None or entity_id in self.entity_ids

    def insist_on(self, entity_id: int | None, what: str = "") -> None:
        """Refuse what is not of the caller's entities."""
        self.demands.append(["entity", entity_id])
        if not self.sees(entity_id):
            text = say("{what} is not of the entities {whose}.", what=what or say("This"), whose=self._whose)
            raise ApiProblem(403, text)

    def insist_on_code(self, code: str | None) -> None:
        """Refuse an entity that is not of the caller's; None asks for none in particular."""
        if code is None or self.entity_ids is None:
            return
        if not Entity.objects.filter(pk__in=self.entity_ids, code=code[:41]).exists():
            raise ApiProblem(403, say("The entity {code} is not of those {whose}.", code=code, whose=self._whose))

    def insist_on_thing(self, thing: Model, what: str) -> None:
        """Refuse what works on more than the caller's entities."""
        self.demands.append(["thing", *_named(thing)])
        if not covers(self.entity_ids, thing):
            self.insist_on_all(what)

    def insist_on_all(self, what: str) -> None:
        """Refuse whoever is limited to entities what belongs to none, or to all of them."""
        self.demands.append(["all"])
        if self.is_limited:
            text = say("{what} touches more than the entities {whose}.", what=what, whose=self._whose)
            raise ApiProblem(403, text)

    def insist_again(self, demands: Iterable[Sequence[Any]]) -> None:
        """Refuse whoever may no longer what was demanded once; of what is gone by now, whoever is limited at all."""
        for kind, *told in demands:
            if kind == "rights":
                self.insist_on_rights(*told[0], of=_found(*told[1:]))
            elif kind == "entity":
                self.insist_on(told[0])
            elif kind == "thing" and (thing := _found(*told)) is not None:
                self.insist_on_thing(thing, say("This"))
            else:
                self.insist_on_all(say("This"))

    def only(self, rows: _Rows) -> _Rows:
        """Return those rows that are of the caller's entities."""
        return visible(rows, self.entity_ids)


def _named(thing: Model | None) -> list[Any]:
    """Return how a thing is found again."""
    return [] if thing is None else [thing._meta.label, thing.pk]


def _found(label: str = "", key: Any = None) -> Model | None:
    """Return the thing; None when it is gone, or none was named."""
    return apps.get_model(label)._default_manager.filter(pk=key).first() if label else None


class BearerAuthentication(BaseAuthentication):
    """`Authorization: Bearer SECRET`, asked first: what it refuses is a 401 with the way to sign in."""

    def authenticate(self, request: Any) -> tuple[User, ApiToken] | None:
        """Return the person and the token; None when the request brings none."""
        scheme, _, secret = request.META.get("HTTP_AUTHORIZATION", "").strip().partition(" ")
        if not scheme:
            return None
        if scheme.lower() != "bearer":
            raise AuthenticationFailed(say("Send the token as: Authorization: Bearer TOKEN."))
        token = tokens.find(secret.strip()) if 0 < len(secret.strip()) <= _LONGEST_SECRET else None
        if token is None:
            raise AuthenticationFailed(say("There is no such token."))
        if token.state != TokenState.ACTIVE:
            raise AuthenticationFailed(say("This token cannot be used: {state}.", state=token.state.label))
        tokens.note_use(token)
        return token.person, token

    def authenticate_header(self, request: Any) -> str:
        """Return how to sign in."""
        return _REALM


class BrowserAuthentication(SessionAuthentication):
    """The session of somebody who is signed in to the pages; what changes something needs their CSRF token."""

    def enforce_csrf(self, request: Any) -> None:
        """Refuse what another site's page may have sent."""
        try:
            super().enforce_csrf(request)
        except APIException:
            text = say("What changes something by a session needs the header X-CSRFToken, with the token of any form.")
            raise ApiProblem(403, text) from None


def limiting_key(request: HttpRequest | Any) -> str:
    """Return whose requests are counted together."""
    token = getattr(request, "auth", None)
    if isinstance(token, ApiToken):
        return f"token:{token.pk}"
    person = getattr(request, "user", None)
    return f"person:{person.pk}" if person is not None and person.pk else "nobody"
