"""What a bulk action works on: the selected schedules, as long as one request can answer for them."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest

from scheduling.admin.finding import readable

_MOST = 200  # a bulk action answers within one request


def chosen_for(model_admin: Any, request: HttpRequest, queryset: Any) -> list[Any] | None:
    """Return the selected schedules or jobs, or None after telling that they are too many for one request."""
    chosen = list(readable(queryset)[: _MOST + 1])
    if len(chosen) <= _MOST:
        return chosen
    model_admin.message_user(request, f"Choose at most {_MOST} at once; nothing was done.", messages.ERROR)
    return None
