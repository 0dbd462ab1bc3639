"""Answers `/metrics` to a monitoring system with a token, and to people who may oversee the installation."""

import hmac
from typing import Any, cast

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser, User
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from prometheus_client.exposition import choose_encoder
from rest_framework.exceptions import AuthenticationFailed

from scheduling import clock
from scheduling.metrics.families import Metrics
from staging.api.kit.callers import BearerAuthentication
from staging.states import Scope
from staging.wording import say

_OVERSEE = "scheduling.oversee"
_PLAIN = "text/plain; charset=utf-8"


def metrics(request: HttpRequest) -> HttpResponse:
    """Answer with every metric as of now; 401 to whoever may not read them, 503 while the database is away."""
    try:
        if not _may_read(request):
            refused = say("This needs METRICS_TOKEN, or a token or a session of somebody who may oversee.")
            way = {"WWW-Authenticate": 'Bearer realm="metrics"'}
            return HttpResponse(refused, status=401, content_type=_PLAIN, headers=way)
        clock.follow()
        encode, content_type = choose_encoder(request.headers.get("Accept", ""))
        return HttpResponse(encode(cast(Any, Metrics(clock.now()))), content_type=content_type)
    except (OperationalError, InterfaceError):
        return HttpResponse(say("The database does not answer."), status=503, content_type=_PLAIN)


def _may_read(request: HttpRequest) -> bool:
    """Return whether the request brings METRICS_TOKEN, or belongs to somebody with the permission to oversee."""
    if request.headers.get("Authorization"):
        return _is_the_token(request) or _has_a_good_token(request)
    person: AbstractBaseUser | AnonymousUser | None = getattr(request, "user", None)
    return isinstance(person, User) and person.is_active and person.has_perm(_OVERSEE)


def _is_the_token(request: HttpRequest) -> bool:
    """Return whether the secret is METRICS_TOKEN; how long the answer takes tells nothing about it."""
    scheme, _, secret = request.headers["Authorization"].partition(" ")
    wanted = settings.METRICS_TOKEN.encode()
    return bool(wanted) and scheme.lower() == "bearer" and hmac.compare_digest(secret.strip().encode(), wanted)


def _has_a_good_token(request: HttpRequest) -> bool:
    """Return whether it is a token of the API that reads everything, of a person who may oversee."""
    try:
        found = BearerAuthentication().authenticate(request)
    except AuthenticationFailed:
        return False
    if found is None:
        return False
    person, token = found
    return token.allows(Scope.READ) and token.all_entities and person.has_perm(_OVERSEE)
