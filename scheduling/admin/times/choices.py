"""What a person has chosen about times: kept in the database, and in the session, where no page has to ask for it."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.signals import user_logged_in
from django.dispatch import receiver
from django.http import HttpRequest

from scheduling.admin.inputs import known_zones
from scheduling.models import PersonalChoices
from scheduling.states import TimesShown

GUESS = "browser_zone"  # the cookie in which the browser says where it is
_ZONE, _SHOWN, DISMISSED = "timezone", "times_shown", "first_steps_dismissed"


def is_zone(name: str) -> bool:
    """Return whether this machine knows a zone of this name."""
    return name in known_zones()


def chosen_by(request: HttpRequest) -> tuple[str, str] | None:
    """Return the zone of who asks and whose times they want to see; None while no zone is known."""
    session = getattr(request, "session", {})
    zone, times = session.get(_ZONE, ""), session.get(_SHOWN, TimesShown.MINE)
    if is_zone(zone):
        return zone, times
    return ("UTC", times) if times == TimesShown.UTC else None


def choose(request: HttpRequest, **columns: Any) -> None:
    """Keep what this person chooses, for now and for the next sign-in."""
    kept, _ = PersonalChoices.objects.update_or_create(person_id=request.user.pk, defaults=columns)
    _remember(request, kept)


@receiver(user_logged_in, dispatch_uid="scheduling.times")
def _bring(request: Any, user: Any, **_: Any) -> None:
    """Bring the choices of who signs in; at the first time the browser's zone is theirs."""
    session = getattr(request, "session", None)
    if session is None:
        return
    kept = PersonalChoices.objects.filter(person=user).first()
    guess = getattr(request, "COOKIES", {}).get(GUESS, "").replace("%2F", "/")
    if (kept is None or not kept.timezone) and is_zone(guess):
        kept, _created = PersonalChoices.objects.update_or_create(person=user, defaults={"timezone": guess})
    if kept is not None:
        _remember(request, kept)


def _remember(request: Any, kept: PersonalChoices) -> None:
    request.session[_ZONE] = kept.timezone
    request.session[_SHOWN] = kept.times_shown
    request.session[DISMISSED] = kept.has_dismissed_first_steps
