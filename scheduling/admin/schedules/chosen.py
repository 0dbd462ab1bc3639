"""What a bulk action works on: the selected schedules, as long as one request can answer for them, and after a look."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps

from django.contrib import messages
from django.contrib.admin import ModelAdmin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse

from scheduling.admin.schedules.finding import Listed, list_place, name_of, readable
from scheduling.models import SchedulerConfiguration
from staging.pages import confirming, is_confirmed, may, shown
from staging.rights import is_limited
from staging.versions.reasons import missing
from staging.wording import counted, say

_MOST = 1_000  # a bulk action answers within one request
_NAMED = 10
Bulk = Callable[["ModelAdmin[Listed]", HttpRequest, list[Listed]], HttpResponse | None]
Action = Callable[["ModelAdmin[Listed]", HttpRequest, QuerySet[Listed]], HttpResponse | None]


def of_chosen(action: Bulk[Listed]) -> Action[Listed]:
    """Give a bulk action the selected schedules or jobs as a list, those of them for which this person may do it.

    More than one request can answer for are refused on a page of its own, from which the browser goes back to the
    list with everything still ticked.
    """

    @wraps(action)
    def with_list(
        model_admin: ModelAdmin[Listed], request: HttpRequest, queryset: QuerySet[Listed]
    ) -> HttpResponse | None:
        chosen = list(readable(queryset)[: _MOST + 1])
        if len(chosen) > _MOST:
            return _too_many(model_admin, request)
        allowed = _allowed(model_admin, request, chosen, getattr(with_list, "allowed_permissions", ()))
        return action(model_admin, request, allowed) if allowed or not chosen else None

    return with_list


def _allowed(
    model_admin: ModelAdmin[Listed], request: HttpRequest, chosen: list[Listed], needed: Sequence[str]
) -> list[Listed]:
    """Return those of the chosen for which this person has the permission, and tell the others: the list shows more."""
    if not is_limited(request.user):
        return chosen
    allowed = [each for each in chosen if may(model_admin, request, *needed, of=each)]
    left = [name_of(each) for each in chosen if each not in allowed]
    if left:
        text = say("Left out, because you may not do this for them: {names}.", names=first_few(left))
        model_admin.message_user(request, text, messages.WARNING)
    return allowed


def after_asking(*, verb: str, means: str) -> Callable[[Bulk[Listed]], Bulk[Listed]]:
    """Show first what a bulk action would do with which schedules; carry it out when that is confirmed."""

    def asking(action: Bulk[Listed]) -> Bulk[Listed]:
        @wraps(action)
        def asked(model_admin: ModelAdmin[Listed], request: HttpRequest, chosen: list[Listed]) -> HttpResponse | None:
            fault = missing(request) if is_confirmed(request) else ""
            if fault:
                model_admin.message_user(request, fault, messages.ERROR)
            elif is_confirmed(request):
                return action(model_admin, request, chosen)
            return _question(model_admin, request, chosen, action=action.__name__, verb=verb, means=means)

        return asked

    return asking


def first_few(names: Sequence[str]) -> str:
    """Return names as one sentence can hold them: the first ones, and how many more."""
    more, few = len(names) - _NAMED, ", ".join(names[:_NAMED])
    return say("{few} and {more:,} more", few=few, more=more) if more > 0 else few


def _so_many(model_admin: ModelAdmin[Listed], number: int) -> str:
    """Return "3 entities" or "1 schedule"."""
    if issubclass(model_admin.model, SchedulerConfiguration):
        return counted(number, "entity", "entities")
    return counted(number, "schedule", "schedules")


def _question(
    model_admin: ModelAdmin[Listed],
    request: HttpRequest,
    chosen: Sequence[Listed],
    *,
    action: str,
    verb: str,
    means: str,
) -> HttpResponse:
    """Return the page that names what would be done, with a button that confirms it."""
    back, words = list_place(model_admin)
    return shown(
        model_admin,
        request,
        "scheduling/ask.html",
        title=say("{verb} {chosen}?", verb=say(verb), chosen=_so_many(model_admin, len(chosen))),
        trail=[(back, words)],
        back=back,
        verb=say(verb),
        means=say(means),
        names=[name_of(schedule) for schedule in chosen],
        hidden=confirming(action, chosen),
        asks_reason=True,
    )


def _too_many(model_admin: ModelAdmin[Listed], request: HttpRequest) -> HttpResponse:
    back, words = list_place(model_admin)
    return shown(
        model_admin,
        request,
        "scheduling/too_many.html",
        title=say("Too many at once"),
        trail=[(back, words)],
        back=back,
        most=_MOST,
    )
