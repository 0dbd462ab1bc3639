"""What a person opened lately: kept in a cookie of their browser, as kinds and keys; names are looked up when shown.

So nothing is written to the database when a page is opened, what was deleted is gone, and rights are asked each time.
"""

from __future__ import annotations

import re

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from scheduling.admin.search.finding import FoundThing, look_up
from staging.pages import number_in

_COOKIE = "visited"
MOST = 10
_AGE = 90 * 24 * 3600
_LETTERS = {"c": "configuration", "e": "entity", "p": "plan", "j": "job", "r": "run", "b": "batch"}
_KEY = re.compile(r"[cepjrb][0-9]{1,18}")
# The pages that count: the name of an address, the kind that it is about, and which part of it is the key.
ABOUT = {
    "scheduling_schedulerconfiguration_change": ("c", "object_id"), "staging_entity_change": ("e", "object_id"),
    "staging_rows": ("e", "entity_id"), "staging_members": ("e", "entity_id"),
    "scheduling_plan_change": ("p", "object_id"), "scheduling_job_change": ("j", "object_id"),
    "scheduling_run_change": ("r", "object_id"), "staging_batch_change": ("b", "object_id"),
}  # fmt: skip


def cookie() -> str:
    """Return the name of the cookie; by HTTPS it is one that browsers keep to this host alone."""
    return f"__Host-{_COOKIE}" if settings.SESSION_COOKIE_SECURE else _COOKIE


def visited(request: HttpRequest) -> list[FoundThing]:
    """Return what this person opened lately in this browser and may still open, the latest first."""
    keys = [(_LETTERS[letter], int(key)) for letter, key in map(_parts, _kept(request))]
    found = look_up(request, keys) if keys else {}
    return [found[each] for each in keys if each in found]


def note_visit(request: HttpRequest, response: HttpResponse) -> None:
    """Put what a page is about first among what was opened lately, unless the page was refused or is not there."""
    opened = _opened(request) if response.status_code == 200 else ""
    if opened:
        kept = [opened, *(each for each in _kept(request) if each != opened)][:MOST]
        response.set_cookie(
            cookie(),
            ".".join([str(request.user.pk), *kept]),
            max_age=_AGE,
            httponly=True,
            samesite="Lax",
            secure=settings.SESSION_COOKIE_SECURE,
        )


def _opened(request: HttpRequest) -> str:
    """Return what the page is about, as the cookie keeps it; empty for a page about nothing, and for nobody."""
    match = request.resolver_match
    letter, part = ABOUT.get(str(match.url_name) if match else "", ("", ""))
    if not letter or match is None or request.method != "GET" or not request.user.is_authenticated:
        return ""
    number = number_in(str(match.kwargs.get(part, "")))
    return "" if number is None else f"{letter}{number}"


def _kept(request: HttpRequest) -> list[str]:
    """Return what the cookie keeps of this person; that of somebody else at the same browser counts for nothing."""
    person, *kept = request.COOKIES.get(cookie(), "").split(".")[: MOST + 1]
    if person != str(request.user.pk):
        return []
    return list(dict.fromkeys(each for each in kept if _KEY.fullmatch(each)))


def _parts(kept: str) -> tuple[str, str]:
    return kept[0], kept[1:]
