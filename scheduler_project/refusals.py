"""Tells in the process log who was refused what: somebody who tries doors is seen, whichever door it was."""

import logging
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

logger = logging.getLogger(__name__)
_REFUSALS = (400, 401, 403, 413, 429)
_LONGEST = 200


class RefusalsMiddleware:
    """Writes a line for each answer that refuses something; parameters, headers and bodies are private and stay out."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]):
        """Stand before `get_response`."""
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer, and tell of a refusal."""
        response = self._get_response(request)
        if response.status_code in _REFUSALS:
            logger.warning(
                "refused with %s: %s %r, to %s, from %s",
                response.status_code,
                request.method,
                request.path[:_LONGEST],
                _who(request),
                request.META.get("REMOTE_ADDR") or "an unknown address",
                extra={"event": "refused"},
            )
        return response


def _who(request: HttpRequest) -> str:
    """Return who asked, by the name of the account."""
    person = getattr(request, "user", None)
    return repr(person.get_username()) if person is not None and person.is_authenticated else "nobody"
