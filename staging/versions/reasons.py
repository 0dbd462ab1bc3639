"""The reason that people may, or by a setting must, give for a change on a page."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest

from staging.versions.doers import LONGEST_REASON
from staging.wording import say

FIELD = "change_reason"


def reason_in(request: HttpRequest) -> str:
    """Return the reason that came with a form; empty without one."""
    return request.POST.get(FIELD, "").strip()[:LONGEST_REASON] if request.method == "POST" else ""


def is_required() -> bool:
    """Return whether this installation asks for a reason."""
    return bool(settings.CHANGE_REASON_REQUIRED)


def missing(request: HttpRequest) -> str:
    """Return the sentence that asks for the reason; empty when it is there, or none is asked for."""
    if not is_required() or reason_in(request):
        return ""
    return say("Say why you change this: it stands in the history.")
