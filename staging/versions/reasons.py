"""The reason that people may, or by a setting must, give for a change on a page or through the API."""

from __future__ import annotations

from contextlib import suppress

from django.conf import settings
from django.http import HttpRequest

from staging.versions.doers import LONGEST_REASON
from staging.wording import say

FIELD = "change_reason"
HEADER = "Change-Reason"


def reason_in(request: HttpRequest) -> str:
    """Return the reason that came with a form; empty without one."""
    return request.POST.get(FIELD, "").strip()[:LONGEST_REASON] if request.method == "POST" else ""


def reason_in_header(request: HttpRequest) -> str:
    """Return the reason that came with a call of the API; a header is bytes, which we read as UTF-8."""
    text = request.headers.get(HEADER, "").strip()
    with suppress(UnicodeError):
        text = text.encode("latin-1").decode()
    return text[:LONGEST_REASON]


def is_required() -> bool:
    """Return whether this installation asks for a reason."""
    return bool(settings.CHANGE_REASON_REQUIRED)


def missing(request: HttpRequest) -> str:
    """Return the sentence that asks for the reason; empty when it is there, or none is asked for."""
    if not is_required() or reason_in(request):
        return ""
    return say("Say why you change this: it stands in the history.")
