"""What a bulk action works on: the selected configurations, as long as one request can answer for them."""

from typing import Any

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest

_MOST = 200  # a bulk action answers within one request


def chosen_for(model_admin: Any, request: HttpRequest, queryset: QuerySet[Any]) -> list[Any] | None:
    """Return the selected configurations, or None after telling that they are too many for one request."""
    chosen = list(queryset.select_related("entity", "calendar")[: _MOST + 1])
    if len(chosen) <= _MOST:
        return chosen
    model_admin.message_user(request, f"Choose at most {_MOST} at once; nothing was done.", messages.ERROR)
    return None
