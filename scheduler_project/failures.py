"""What people see when a page fails: in words, and told apart whether trying again helps."""

import sys

from django.db import OperationalError
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.views.defaults import server_error as plain_server_error

from staging.tables.guard import gave_up_waiting

_AGAIN_AFTER_SECONDS = 10


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer 503 in words while others keep the database busy, with when to try again; else 500, in words too.

    Django calls this while it handles the error that made the page fail.
    """
    error = sys.exc_info()[1]
    if isinstance(error, OperationalError) and gave_up_waiting(error):
        page = render_to_string("503.html", {"seconds": _AGAIN_AFTER_SECONDS})
        return HttpResponse(page, status=503, headers={"Retry-After": str(_AGAIN_AFTER_SECONDS)})
    return plain_server_error(request)
