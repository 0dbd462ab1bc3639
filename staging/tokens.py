"""Hands out, finds and revokes tokens; the secret exists in one answer and is never stored."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth.models import User
from django.db import OperationalError, transaction
from django.db.models import Q
from django.db.models.functions import Now

from staging.entities.values import is_storable
from staging.errors import InvalidDefinition, gave_up_waiting
from staging.models import ApiToken, Entity
from staging.models.token import SECRET_PREFIX
from staging.rights import bring, may_no_more, with_given
from staging.sql.compose import FixedQuery
from staging.states import AuditKind, Scope
from staging.versions.audit import note
from staging.wording import say

_BYTES = 32  # so much chance needs no slow hash: nobody tries 2**256 secrets
_HINT = len(SECRET_PREFIX) + 4
_LONGEST_NAME = 50
_USE_NOTED_EACH = timedelta(minutes=1)
_BY_HASH: FixedQuery[ApiToken] = FixedQuery(
    lambda secret_hash: with_given(ApiToken.objects.with_now().select_related("person"), "person_id").filter(
        secret_hash=secret_hash
    ),
    str,
)


def issue(
    person: User,
    *,
    name: str,
    scopes: Sequence[str],
    entities: Iterable[Entity] | None,
    expires_at: datetime | None = None,
    by: str,
) -> tuple[ApiToken, str]:
    """Store a token of a person, or of a service's account, and return it with its secret, which nobody sees again.

    `entities` None: all, also those to come. Raises InvalidDefinition with everything that is wrong.
    """
    chosen = None if entities is None else list(entities)
    if errors := token_errors(person, name, scopes, chosen):
        raise InvalidDefinition(errors)
    secret = SECRET_PREFIX + secrets.token_urlsafe(_BYTES)
    token = ApiToken(
        name=name.strip(),
        person=person,
        secret_hash=_hash(secret),
        hint=secret[:_HINT],
        scopes=[scope for scope in Scope.values if scope in scopes],
        all_entities=chosen is None,
        expires_at=expires_at,
        created_by=by[:150],
    )
    with transaction.atomic():
        token.save()
        token.entities.set(chosen or [])
        note(AuditKind.TOKEN_MADE, person=by, about=_about(token))
    return ApiToken.objects.with_now().get(pk=token.pk), secret


def find(secret: str) -> ApiToken | None:
    """Return the token with this secret, whatever its state, as of the database's clock; None when there is none.

    Its person comes along, with everything that they were given.
    """
    token = _BY_HASH.first(_hash(secret))
    if token is not None:
        bring(token.person, token.given_permissions)  # type: ignore[attr-defined]
    return token


def note_use(token: ApiToken) -> None:
    """Remember that a token was just used; written once a minute at most, and never in the way of the request."""
    now: datetime = token.read_at  # type: ignore[attr-defined]
    if token.last_used_at is not None and now - token.last_used_at < _USE_NOTED_EACH:
        return
    unused = Q(last_used_at=None) | Q(last_used_at__lte=now - _USE_NOTED_EACH)
    try:
        ApiToken.objects.filter(unused, pk=token.pk).update(last_used_at=now)
    except OperationalError as error:
        if not gave_up_waiting(error):
            raise


def revoke(token: ApiToken, *, by: str) -> bool:
    """Let a token sign in no more; False when it was revoked before."""
    live = ApiToken.objects.filter(pk=token.pk, revoked_at=None)
    with transaction.atomic():
        if not live.update(revoked_at=Now(), revoked_by=by[:150]):
            return False
        note(AuditKind.TOKEN_REVOKED, person=by, about=_about(token))
    return True


def _about(token: ApiToken) -> str:
    """Return which token it is, as the audit tells it."""
    scopes = ", ".join(token.scopes)
    return say(
        "Token {token} of {account}: {scopes}", token=token.name, account=token.person.get_username(), scopes=scopes
    )


def token_document(token: ApiToken) -> dict[str, Any]:
    """Return a token as commands show it, without its secret; `entities` is null where it holds for all of them."""
    codes = None if token.all_entities else sorted(entity.code for entity in token.entities.all())
    return {
        "id": token.pk,
        "name": token.name,
        "scopes": token.scopes,
        "entities": codes,
        "expires": _shown(token.expires_at),
    }


def listed_document(token: ApiToken) -> dict[str, Any]:
    """Return a token as a list shows it: with its account, its state and when it was used."""
    return {
        **token_document(token),
        "person": token.person.get_username(),
        "hint": token.hint,
        "state": token.state,
        "created": _shown(token.created_at),
        "created_by": token.created_by,
        "last_used": _shown(token.last_used_at),
    }


def may_have_one(person: User, *, from_hand: User) -> bool:
    """Return whether somebody may hand a token to an account: to their own, or to a service's that can do no more.

    A service is an account without a password of its own. Whoever could make tokens of other people could act as them.
    """
    if person.pk == from_hand.pk:
        return True
    if person.has_usable_password() or (person.is_superuser and not from_hand.is_superuser):
        return False
    return from_hand.is_superuser or may_no_more(person, than=from_hand)


def token_errors(
    person: User, name: str, scopes: Sequence[str], entities: Sequence[Entity] | None
) -> dict[str, list[str]]:
    """Return everything that is wrong with a token to be made, by field."""
    errors: dict[str, list[str]] = {}
    if not name.strip() or not name.isprintable() or not is_storable(name):
        errors["name"] = [say("Say what uses the token: the log names it.")]
    elif len(name.strip()) > _LONGEST_NAME:
        errors["name"] = [say("This is too long: at most {most} characters are kept.", most=_LONGEST_NAME)]
    if not scopes:
        errors["scopes"] = [say("Name at least one scope: {scopes}.", scopes=", ".join(Scope.values))]
    elif unknown := [scope for scope in scopes if scope not in Scope.values]:
        errors["scopes"] = [
            say("There is no scope {unknown!r}; use {scopes}.", unknown=unknown[0], scopes=", ".join(Scope.values))
        ]
    if entities is not None and not entities:
        errors["entities"] = [say("Name at least one entity, or let it hold for all.")]
    if not person.is_active:
        errors["person"] = [say("The account {account} is switched off.", account=person.get_username())]
    elif not person.get_all_permissions():
        errors["person"] = [
            say("{account} has no role, so a token of theirs could do nothing.", account=person.get_username())
        ]
    return errors


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "backslashreplace")).hexdigest()


def _shown(instant: datetime | None) -> str | None:
    return None if instant is None else instant.isoformat()
