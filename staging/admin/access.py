"""Who may see rows, mend and bring them, the entity a page is about, and what becomes of a refusal on pages of rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

from django.contrib import messages
from django.contrib.admin import ModelAdmin
from django.db import DatabaseError
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.translation import gettext_noop

from staging.errors import StagingError
from staging.models import Entity
from staging.pages import LOOK, View, page, told
from staging.wording import say

SEE = "staging.view_rows"
MEND = "staging.mend_rows"
UPLOAD = "staging.upload_rows"
BUSY = gettext_noop("The database could not do this just now; nothing was changed. Please try again in a moment.")


def get_entity(entity_id: int) -> Entity:
    """Return the entity that an address names; an unknown one is a 404."""
    return get_object_or_404(Entity, pk=entity_id)


def get_with_attributes(entity_id: int) -> Entity:
    """Return the entity as `get_entity`, with the attributes that it has now: for pages that change none of them."""
    return get_object_or_404(Entity.objects.with_attributes(), pk=entity_id)


def rows_page(*needed: str, methods: Sequence[str] = LOOK) -> Callable[[View], View]:
    """Open a page as `page` does; what the tables refuse is a message on the list of rows.

    Broken tables are explained there, too.
    """

    def guarded(view: View) -> View:
        @wraps(view)
        def answered(
            model_admin: ModelAdmin[Entity], request: HttpRequest, entity_id: int, *args: Any, **kwargs: Any
        ) -> HttpResponseBase:
            try:
                return view(model_admin, request, entity_id, *args, **kwargs)
            except StagingError as error:
                why = str(error)
            except DatabaseError:
                why = say(BUSY)
            return told(request, why, reverse("admin:staging_rows", args=[entity_id]), messages.ERROR)

        return page(*needed, methods=methods)(answered)

    return guarded
