"""Keeps what a person sent when the session had ended, until they are signed in again and say whether it is sent.

Nothing is sent twice or unasked: what is kept was refused, and the page only shows it with the button once more. It is
kept for the person who was signed in last in this browser, which a signed cookie says; strangers have none, so they
cannot fill the table of sessions, and nobody gets what somebody else typed. It is kept for an hour, signed in or not.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.admin import ModelAdmin
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.auth.models import User
from django.contrib.auth.signals import user_logged_in
from django.contrib.auth.views import redirect_to_login
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme

from scheduling import clock
from scheduling.models import SchedulerConfiguration
from staging.pages import ASK, insist, is_of_a_script, may, page, shown, warned
from staging.wording import say

KEPT = "unsent"  # in the session
_COOKIE, _SALT, _AGE = "person", "scheduling.unsent", 90 * 24 * 3600
_KEPT_FOR_SECONDS = 3600
_MOST_CHARACTERS = 250_000
_PRIVATE = ("password", "secret", "url")  # a form with a field of such a name is not kept: it lies in no session
_TOKEN = "csrfmiddlewaretoken"  # noqa: S105 (the name of a field)


def cookie() -> str:
    """Return the name of the cookie; by HTTPS it is one that browsers keep to this host alone."""
    return f"__Host-{_COOKIE}" if settings.SESSION_COOKIE_SECURE else _COOKIE


def remember(response: HttpResponse, person: int) -> None:
    """Let the browser know who was signed in last."""
    response.set_signed_cookie(
        cookie(), str(person), salt=_SALT, max_age=_AGE, httponly=True, samesite="Lax",
        secure=settings.SESSION_COOKIE_SECURE,
    )  # fmt: skip


def ask_after_sign_in(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """Return the answer to a form of nobody: where it leads to the sign-in, that leads to the question."""
    to = urlsplit(response.headers.get("Location", "")).path if response.status_code == 302 else ""
    if to != reverse("admin:login") or request.path == to:
        return response
    return redirect_to_login(_ask_later(request), to)


def keep(request: HttpRequest, person: str) -> bool:
    """Keep what was sent for this person; return False for what cannot be sent again, or should lie nowhere.

    A file is not there any more, and what a script sent has a script to answer to.
    """
    if is_of_a_script(request) or request.content_type != "application/x-www-form-urlencoded":
        return False
    fields = [(name, value) for name, values in request.POST.lists() for value in values if name != _TOKEN]
    is_private = any(word in name.casefold() for name, _ in fields for word in _PRIVATE)
    if is_private or sum(len(name) + len(value) for name, value in fields) > _MOST_CHARACTERS:
        return False
    request.session[KEPT] = {
        "person": person, "to": request.get_full_path(), "from": _pressed_on(request), "fields": fields,
        "at": clock.now().timestamp(),
    }  # fmt: skip
    return True


def kept_in(session: Any) -> dict[str, Any] | None:
    """Return what a session keeps; what waited for longer than an hour is too old to be sent, and is dropped."""
    kept: dict[str, Any] | None = session.get(KEPT)
    if kept is not None and clock.now().timestamp() - kept["at"] > _KEPT_FOR_SECONDS:
        del session[KEPT]
        return None
    return kept


def question() -> str:
    """Return the address of the page that asks whether to send what is kept."""
    return reverse("admin:scheduling_schedulerconfiguration_unsent")


@page(methods=ASK)
def unsent_page(model_admin: ModelAdmin[SchedulerConfiguration], request: HttpRequest) -> HttpResponse:
    """Show what is kept with the button that sends it to where it was for (GET); forget it (POST)."""
    kept = kept_in(request.session)
    if kept is None:
        insist(may(model_admin, request, "view"))
        return warned(request, say("Nothing waits to be sent."), reverse("admin:index"))
    if request.method == "POST":
        del request.session[KEPT]
        return HttpResponseRedirect(kept["from"])
    return shown(
        model_admin,
        request,
        "scheduling/unsent.html",
        title=say("Send it now?"),
        kept=kept,
        chosen=sum(name == ACTION_CHECKBOX_NAME for name, _ in kept["fields"]),
    )


def _ask_later(request: HttpRequest) -> str:
    """Return where the sign-in leads: to the question, or to the page with the form where nothing could be kept."""
    person = request.get_signed_cookie(cookie(), "", salt=_SALT, max_age=_AGE)
    if not person or not User.objects.filter(pk=person, is_active=True).exists() or not keep(request, person):
        return _pressed_on(request)
    request.session.set_expiry(_KEPT_FOR_SECONDS)
    return question()


def _pressed_on(request: HttpRequest) -> str:
    """Return the page on which the button was; the start page where the browser does not say."""
    told = request.headers.get("Referer", "")
    if not url_has_allowed_host_and_scheme(told, {request.get_host()}, require_https=request.is_secure()):
        return reverse("admin:index")
    parts = urlsplit(told)
    path = f"{parts.path}?{parts.query}" if parts.query else parts.path
    return path if path.startswith(reverse("admin:index")) else reverse("admin:index")


@receiver(user_logged_in, dispatch_uid="scheduling.unsent")
def _remember(request: Any, user: Any, **_: Any) -> None:
    """Let the answer say who signed in, and drop what was kept for somebody else."""
    session = getattr(request, "session", None)
    if session is None:
        return
    request.came_in = user.pk
    kept = session.get(KEPT)
    if kept is not None:
        session.set_expiry(None)
        if kept["person"] != str(user.pk):
            del session[KEPT]
