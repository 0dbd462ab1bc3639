"""What a bulk action works on: the selected schedules, as long as one request can answer for them, and after a look."""

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse

from scheduling.admin.finding import list_place, name_of, readable

_MOST = 1_000  # a bulk action answers within one request
_NAMED = 10
Action = Callable[[Any, HttpRequest, Any], HttpResponse | None]


def of_chosen(action: Callable[[Any, HttpRequest, list[Any]], HttpResponse | None]) -> Action:
    """Give a bulk action the selected schedules or jobs as a list.

    More than one request can answer for are refused on a page of its own, from which the browser goes back to the
    list with everything still ticked.
    """

    @wraps(action)
    def with_list(model_admin: Any, request: HttpRequest, queryset: Any) -> HttpResponse | None:
        chosen = list(readable(queryset)[: _MOST + 1])
        return action(model_admin, request, chosen) if len(chosen) <= _MOST else _too_many(model_admin, request)

    return with_list


def is_confirmed(request: HttpRequest) -> bool:
    """Return whether the person has seen what is about to happen, and wants it."""
    return request.POST.get("confirmed") == "yes"


def ask(
    model_admin: Any, request: HttpRequest, chosen: Sequence[Any], *, action: str, verb: str, means: str
) -> HttpResponse:
    """Show what would be done with which schedules, with a button that confirms it."""
    back, words = list_place(model_admin)
    several = ("entity", "entities") if words == "Configurations" else ("schedule", "schedules")
    context = {
        **model_admin.admin_site.each_context(request),
        "title": f"{verb} {len(chosen):,} {several[len(chosen) != 1]}?",
        "opts": model_admin.opts,
        "trail": [(back, words)],
        "back": back,
        "verb": verb,
        "means": means,
        "names": [name_of(schedule) for schedule in chosen],
        "hidden": [("action", action), ("confirmed", "yes")]
        + [(ACTION_CHECKBOX_NAME, str(schedule.pk)) for schedule in chosen],
    }
    return TemplateResponse(request, "scheduling/ask.html", context)


def listed(names: Sequence[str]) -> str:
    """Return names as one sentence can hold them: the first ones, and how many more."""
    more = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {more:,} more" if more > 0 else "")


def _too_many(model_admin: Any, request: HttpRequest) -> HttpResponse:
    back, words = list_place(model_admin)
    context = {
        **model_admin.admin_site.each_context(request),
        "title": "Too many at once",
        "opts": model_admin.opts,
        "trail": [(back, words)],
        "back": back,
        "most": _MOST,
    }
    return TemplateResponse(request, "scheduling/too_many.html", context)
