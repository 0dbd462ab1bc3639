"""What people see when a page is refused or fails: in words, with a way out, and whether trying again helps."""

import logging
import sys
from uuid import uuid4

from django.contrib.staticfiles.storage import staticfiles_storage
from django.db import OperationalError
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.template.loader import render_to_string

from scheduling.admin.unsent import keep, question
from staging.api.kit.problems import BUSY, plain_problem
from staging.errors import cannot_answer, gave_up_waiting
from staging.wording import say

logger = logging.getLogger(__name__)

_AGAIN_AFTER_SECONDS = 10
_SHEETS = ("admin/css/base.css", "admin/css/dark_mode.css", "admin/css/responsive.css", "scheduling/look.css")


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer 503 in words while the database is busy or cannot answer, with when to try again; else 500, in words too.

    Django calls this while it handles the error that made the page fail.
    """
    error = sys.exc_info()[1]
    if request.path.startswith("/api/"):
        is_away = isinstance(error, OperationalError) or cannot_answer(error)
        return plain_problem(503, BUSY) if is_away else plain_problem(500, say("This is a fault of the server."))
    is_busy = isinstance(error, OperationalError) and gave_up_waiting(error)
    if is_busy or cannot_answer(error):
        told = {**_known(request), "seconds": _AGAIN_AFTER_SECONDS, "is_busy": is_busy}
        page = render_to_string("503.html", told)
        return HttpResponse(page, status=503, headers={"Retry-After": str(_AGAIN_AFTER_SECONDS)})
    reference = uuid4().hex[:8].upper()
    kind = type(error).__name__
    logger.error(
        "page failed: %s %s: %s, reference %s",
        request.method,
        request.path,
        kind,
        reference,
        extra={"event": "page_failed", "reference": reference},
    )
    return HttpResponse(render_to_string("500.html", {**_known(request), "reference": reference}), status=500)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer 403 in words, to who is signed in with their name and the way to sign out."""
    return in_words(request, "403.html", 403)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer 404 in words, as `forbidden`; to machines as a problem is for the API to do."""
    return in_words(request, "404.html", 404)


def stale_form(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Answer to a form whose token is none, or not ours any more: who signed in since it was opened is asked again.

    The browser says of which site a form is, and Django refused those of other sites before it looked at the token. Of
    those that CSRF_TRUSTED_ORIGINS names it did not; what they send without a token is not kept.
    """
    if request.path.startswith("/api/"):
        return plain_problem(403, say("The request carries no token of a form of this session."))
    sent_from = request.headers.get("Sec-Fetch-Site", "same-origin") if "Origin" in request.headers else ""
    is_of_ours = sent_from == "same-origin" and reason.startswith("CSRF token from POST")
    if is_of_ours and request.user.is_authenticated and keep(request, str(request.user.pk)):
        return HttpResponseRedirect(question())
    return in_words(request, "stale.html", 403)


def in_words(request: HttpRequest, template: str, status: int) -> HttpResponse:
    """Answer with one of our pages, to who may enter with the frame of the admin."""
    user = getattr(request, "user", None)
    may_enter = user is not None and user.is_active and user.is_staff
    return render(request, template, {"has_permission": may_enter}, status=status)


def _known(request: HttpRequest) -> dict[str, object]:
    """Return what a page shows that may ask nothing of a database: style sheets, and who asks where that is known."""
    person = getattr(request, "_cached_user", None)
    return {"sheets": _sheets(), "name": person.get_username() if person is not None and person.is_active else ""}


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer 400 to what is no request: to machines as a problem, to people in words that ask nothing of it."""
    if request.path.startswith("/api/"):
        return plain_problem(400, say("The request could not be understood."))
    return HttpResponse(render_to_string("400.html", _known(request)), status=400)


def _sheets() -> list[str]:
    """Return the addresses of the style sheets; none when their files were never collected, which may be the fault."""
    try:
        return [staticfiles_storage.url(name) for name in _SHEETS]
    except ValueError:
        return []
