"""What stands around every request: whence it comes, what its answer carries, a line about a refusal, its garbage."""

import gc
import logging
from collections.abc import Callable
from ipaddress import ip_address
from typing import Any, ParamSpec, TypeVar

from django.conf import settings
from django.contrib.sessions.middleware import SessionMiddleware
from django.core.files.uploadhandler import load_handler
from django.core.signals import request_finished
from django.http import HttpRequest, HttpResponse

from scheduler_project.failures import in_words
from scheduling.admin.search.visited import ABOUT, note_visit
from scheduling.admin.unsent import KEPT, ask_after_sign_in, kept_in, remember
from staging.pages import is_of_a_script
from staging.states import DoorKind
from staging.versions.doers import DOING, Author
from staging.versions.reasons import reason_in
from staging.wording import say

logger = logging.getLogger(__name__)

P = ParamSpec("P")
T = TypeVar("T")

_REFUSALS = (400, 401, 403, 413, 429)
_LONGEST = 200
# Of answers that are no page: should a browser show one all the same, nothing in it runs, loads or is framed.
_INERT = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
_ALL = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


def with_room(action: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
    """Return what the action does; how deep a loop stands in its calls does not decide what that costs.

    CPython keeps calls in chunks of 16 KB, and asks the system for another whenever a call crosses the end of one, to
    give it back when the call returns: a loop at such an end does so at each turn, thousands of times a page. A call
    that claims much room gets a chunk of 512 KB, of which half is left for all calls below it; what nobody uses of it
    is only an address.
    """
    return action(*args, **kwargs)


_PLACES = 33_000  # for values, of 8 bytes each: more than 256 KB, and chunks double in size
with_room.__code__ = with_room.__code__.replace(co_stacksize=_PLACES)

_ENOUGH_GARBAGE = 20_000  # things for which a look is worth its while: small pages leave less, large ones more
_TOO_MUCH_GARBAGE = 300_000  # of one page, a long export for example: then in the middle of it


def collect_between_pages() -> None:
    """Look for garbage when an answer has been sent, so that nobody waits for it; never at what is loaded by now.

    In the middle of a page each look took its reader a fiftieth of a second, and every other large page had one.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(_TOO_MUCH_GARBAGE)
    request_finished.connect(collect_garbage)


def collect_garbage(**_signal: Any) -> None:
    """Look for garbage where there may be enough of it; among what has stayed for long as seldom as Python would."""
    young, looks, longer_looks = gc.get_count()
    _, until_older, until_all = gc.get_threshold()
    if young >= _ENOUGH_GARBAGE:
        gc.collect(0 if looks < until_older else 1 if longer_looks < until_all else 2)


class HeadersMiddleware:
    """Adds what is missing; what a page says itself stays. It stands first, so that no answer passes it by.

    All that answers stands below it, so it is here that a request gets its room.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]):
        """Stand before `get_response`."""
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer, with the headers."""
        response = with_room(self._get_response, request)
        for name, value in _ALL.items():
            response.headers.setdefault(name, value)
        is_page = response.headers.get("Content-Type", "").startswith("text/html")
        if not is_page:
            response.headers["Content-Security-Policy"] = _INERT
        else:
            response.headers.setdefault("Content-Security-Policy", _INERT)
        return response


class ProxyMiddleware:
    """Makes the visitor's address REMOTE_ADDR, so that the lock of the sign-in and the log tell one from another.

    Each of TRUSTED_PROXIES proxies adds the address it was called from to the end of X-Forwarded-For; what stands
    before those was written by the visitor, and is not believed. Without proxies the header is not read at all.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]):
        """Stand before `get_response`."""
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer whom the proxies tell of."""
        if settings.TRUSTED_PROXIES:
            address = _seen_by(settings.TRUSTED_PROXIES, request.META.get("HTTP_X_FORWARDED_FOR", ""))
            if address:
                request.META["REMOTE_ADDR"] = address
        return self._get_response(request)


def _seen_by(number: int, told: str) -> str:
    """Return what the outermost of so many proxies saw; empty when the header is not as they write it."""
    addresses = [each.strip() for each in told.split(",")]
    try:
        return str(ip_address(addresses[-number]))
    except (IndexError, ValueError):
        return ""


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


class SessionsMiddleware(SessionMiddleware):
    """Django's sessions; which of them a browser has, only the answers to pages say.

    A script of a page asks while the person sends a form. When the session has ended, the form is kept in a new one;
    the answer to the script, which came with the old one and arrives later, would take that away from the browser.
    """

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        """Store the session if it changed; leave its cookie as it is where a script asked."""
        answer = super().process_response(request, response)
        if is_of_a_script(request):
            answer.cookies.pop(settings.SESSION_COOKIE_NAME, None)
        return answer


class IntakeMiddleware:
    """Decides, before anything of the body is read, what takes its files in: nothing, unless somebody is signed in.

    The API decides by itself: it takes no files, bounds what it reads, and reads nothing before it knows who sends.

    It stands behind the authentication and before the check of the form's token, which reads the whole body.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]):
        """Stand before `get_response`."""
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Refuse what is too large for a form, and hand files to those handlers that this person may use."""
        if request.path.startswith("/api/"):
            return self._get_response(request)
        if request.method in ("POST", "PUT", "PATCH"):
            is_known = request.user.is_authenticated and request.user.is_active
            if not is_known and _announced(request) > (settings.DATA_UPLOAD_MAX_MEMORY_SIZE or 0):
                return HttpResponse(say("This is more than may be sent without being signed in."), status=413)
            if is_known:
                request.upload_handlers = [load_handler(name, request) for name in settings.UPLOAD_HANDLERS]
        return self._get_response(request)


def _announced(request: HttpRequest) -> int:
    """Return how many bytes the request says it has; without a word the server reads none."""
    length = request.META.get("CONTENT_LENGTH") or "0"
    return int(length) if length.isdecimal() else 0


class DoerMiddleware:
    """Lets whatever a page changes be told as the work of whoever is signed in, with the reason they gave.

    It stands behind the authentication. The API says by itself who is at work, with the token.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]):
        """Stand before `get_response`."""
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer; who is signed in is asked only where something changes."""
        before = DOING.set(lambda: Author(request.user.get_username(), DoorKind.PAGE, reason=reason_in(request)))
        try:
            return self._get_response(request)
        finally:
            DOING.reset(before)


class VisitsMiddleware:
    """Notes what a person opens, for the search. It stands behind the sign-in; other pages cost it a look at a name."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]):
        """Stand before `get_response`."""
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer, and note a page about one thing."""
        response = self._get_response(request)
        if request.resolver_match is not None and request.resolver_match.url_name in ABOUT:
            note_visit(request, response)
        return response


class UnsentMiddleware:
    """Leads who sends a form without a session over the sign-in to the question whether it is sent after all.

    It stands behind the check of the form's token: what was forged is not kept.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]):
        """Stand before `get_response`."""
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer; keep a form that was turned away, and forget one that is sent, unless the answer was a failure."""
        is_form = request.method == "POST" and not request.path.startswith("/api/")
        kept = kept_in(request.session) if is_form else None
        response = self._get_response(request)
        if (person := getattr(request, "came_in", None)) is not None:
            remember(response, person)
        if is_form and not request.user.is_authenticated:
            return ask_after_sign_in(request, response)
        was_sent = kept is not None and kept["to"] == request.get_full_path() and response.status_code < 500
        if was_sent and request.session.get(KEPT) is kept:
            del request.session[KEPT]
        return response


class WrongMethodMiddleware:
    """Says in words that an address is none to open in a browser, where an empty answer would say nothing."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]):
        """Stand before `get_response`."""
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Return the answer, with a page in the place of an empty 405; its headers stay."""
        response = self._get_response(request)
        if response.status_code != 405 or request.path.startswith("/api/") or response.content:
            return response
        page = in_words(request, "405.html", 405)
        page.headers["Allow"] = response.headers.get("Allow", "")
        return page
