"""What people see when a page fails: in words, and told apart whether trying again helps."""

import sys

from django.contrib.staticfiles.storage import staticfiles_storage
from django.db import OperationalError
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.views.defaults import bad_request as plain_bad_request

from staging.api.kit.problems import BUSY, plain_problem
from staging.tables.columns import cannot_answer, gave_up_waiting
from staging.wording import say

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
        told = {"seconds": _AGAIN_AFTER_SECONDS, "sheets": _sheets(), "is_busy": is_busy}
        page = render_to_string("503.html", told)
        return HttpResponse(page, status=503, headers={"Retry-After": str(_AGAIN_AFTER_SECONDS)})
    return HttpResponse(render_to_string("500.html", {"sheets": _sheets()}), status=500)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer 400 to what is no request: to machines as a problem, to people as Django does."""
    if request.path.startswith("/api/"):
        return plain_problem(400, say("The request could not be understood."))
    return plain_bad_request(request, exception)


def _sheets() -> list[str]:
    """Return the addresses of the style sheets; none when their files were never collected, which may be the fault."""
    try:
        return [staticfiles_storage.url(name) for name in _SHEETS]
    except ValueError:
        return []
