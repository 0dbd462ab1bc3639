"""What a bulk action works on: the selected schedules, as long as one request can answer for them, and after a look."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

from django.contrib.admin import ModelAdmin
from django.http import HttpRequest, HttpResponse

from scheduling.admin.schedules.finding import list_place, name_of, readable
from staging.pages import confirming, shown

_MOST = 1_000  # a bulk action answers within one request
_NAMED = 10
Action = Callable[[Any, HttpRequest, Any], HttpResponse | None]


def of_chosen(action: Callable[[Any, HttpRequest, list[Any]], HttpResponse | None]) -> Action:
    """Give a bulk action the selected schedules or jobs as a list.

    More than one request can answer for are refused on a page of its own, from which the browser goes back to the
    list with everything still ticked.
    """

    @wraps(action)
    def with_list(model_admin: ModelAdmin[Any], request: HttpRequest, queryset: Any) -> HttpResponse | None:
        chosen = list(readable(queryset)[: _MOST + 1])
        return action(model_admin, request, chosen) if len(chosen) <= _MOST else _too_many(model_admin, request)

    return with_list


def ask(
    model_admin: ModelAdmin[Any], request: HttpRequest, chosen: Sequence[Any], *, action: str, verb: str, means: str
) -> HttpResponse:
    """Show what would be done with which schedules, with a button that confirms it."""
    back, words = list_place(model_admin)
    several = ("entity", "entities") if words == "Configurations" else ("schedule", "schedules")
    return shown(
        model_admin,
        request,
        "scheduling/ask.html",
        title=f"{verb} {len(chosen):,} {several[len(chosen) != 1]}?",
        trail=[(back, words)],
        back=back,
        verb=verb,
        means=means,
        names=[name_of(schedule) for schedule in chosen],
        hidden=confirming(action, chosen),
    )


def listed(names: Sequence[str]) -> str:
    """Return names as one sentence can hold them: the first ones, and how many more."""
    more = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {more:,} more" if more > 0 else "")


def _too_many(model_admin: ModelAdmin[Any], request: HttpRequest) -> HttpResponse:
    back, words = list_place(model_admin)
    return shown(
        model_admin,
        request,
        "scheduling/too_many.html",
        title="Too many at once",
        trail=[(back, words)],
        back=back,
        most=_MOST,
    )
