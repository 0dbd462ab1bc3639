"""What a person has chosen about times and language: kept in the database, and in the session, where no page asks.

Commands, workers and the API know no reader and stay in UTC, and in the language of the site.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from zoneinfo import ZoneInfo

from django.conf import settings
from django.contrib.auth.signals import user_logged_in
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.cache import patch_vary_headers
from django.utils.translation import get_language, get_language_from_request, get_language_info, override

from scheduling.admin.inputs import known_zones
from scheduling.formatters import by_schedule
from scheduling.models import PersonalChoices
from scheduling.states import TimesShown

GUESS = "browser_zone"  # the cookie in which the browser says where it is
_ZONE, _SHOWN, DISMISSED, LANGUAGE = "timezone", "times_shown", "first_steps_dismissed", "language"
_SHORTCUTS = "has_shortcuts"


def is_zone(name: str) -> bool:
    """Return whether this machine knows a zone of this name."""
    return name in known_zones()


def is_language(code: str) -> bool:
    """Return whether pages can be read in this language."""
    return code in dict(settings.LANGUAGES)


def others() -> list[tuple[str, str]]:
    """Return the languages in which this page can be read as well, each with its own name for itself."""
    active = get_language()
    return [(code, get_language_info(code)["name_local"]) for code, _ in settings.LANGUAGES if code != active]


def chosen_by(request: HttpRequest) -> tuple[str, str] | None:
    """Return the zone of who asks and whose times they want to see; None while no zone is known."""
    session = getattr(request, "session", {})
    zone, times = session.get(_ZONE, ""), session.get(_SHOWN, TimesShown.MINE)
    if is_zone(zone):
        return zone, times
    return ("UTC", times) if times == TimesShown.UTC else None


def has_shortcuts(request: HttpRequest) -> bool:
    """Return whether single keys do something for who asks; they do for whoever has not switched them off."""
    return bool(getattr(request, "session", {}).get(_SHORTCUTS, True))


def choose(request: HttpRequest, **columns: Any) -> None:
    """Keep what this person chooses, for now and for the next sign-in."""
    kept, _ = PersonalChoices.objects.update_or_create(person_id=request.user.pk, defaults=columns)
    _remember(request, kept)


@receiver(user_logged_in, dispatch_uid="scheduling.times")
def _bring(request: Any, user: Any, **_: Any) -> None:
    """Bring the choices of who signs in; at the first time the browser's zone and language are theirs."""
    session = getattr(request, "session", None)
    if session is None:
        return
    kept = PersonalChoices.objects.filter(person=user).first()
    guessed = {name: value for name, value in _guesses(request).items() if not (kept and getattr(kept, name))}
    if guessed:
        kept, _created = PersonalChoices.objects.update_or_create(person=user, defaults=guessed)
    if kept is not None:
        _remember(request, kept)


def _guesses(request: Any) -> dict[str, str]:
    """Return what the browser tells of its person."""
    zone = getattr(request, "COOKIES", {}).get(GUESS, "").replace("%2F", "/")
    asked = "HTTP_ACCEPT_LANGUAGE" in getattr(request, "META", {})
    guesses = {"timezone": zone if is_zone(zone) else "", LANGUAGE: get_language_from_request(request) if asked else ""}
    return {name: value for name, value in guesses.items() if value}


def _remember(request: Any, kept: PersonalChoices) -> None:
    request.session[_ZONE] = kept.timezone
    request.session[_SHOWN] = kept.times_shown
    request.session[DISMISSED] = kept.has_dismissed_first_steps
    request.session[_SHORTCUTS] = kept.has_shortcuts
    request.session[LANGUAGE] = kept.language


class TimesMiddleware:
    """Stands behind the sessions."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]):
        """Stand before `get_response`."""
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer in the zone of who asks; whose zone nobody knows yet reads the site's, and schedules in their own."""
        chosen = None if request.path.startswith("/api/") else chosen_by(request)
        if chosen is None:
            return self._get_response(request)
        zone, shown = chosen
        mark = by_schedule.set(shown == TimesShown.SCHEDULES)
        try:
            with timezone.override(ZoneInfo("UTC" if shown == TimesShown.UTC else zone)):
                return self._get_response(request)
        finally:
            by_schedule.reset(mark)


class LanguageMiddleware:
    """Stands behind the sessions."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]):
        """Stand before `get_response`."""
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer in the language of who asks."""
        if request.path.startswith("/api/"):
            return self._get_response(request)
        chosen = getattr(request, "session", {}).get(LANGUAGE, "")
        language = chosen if is_language(chosen) else get_language_from_request(request)
        with override(language):
            response = self._get_response(request)
        response.headers.setdefault("Content-Language", language)
        patch_vary_headers(response, ["Accept-Language"])
        return response
