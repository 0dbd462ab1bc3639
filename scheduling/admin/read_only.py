"""The admin of what people read and never write: no add, change or delete for anyone, superusers included."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from staging.pages import PagesAdmin, warned


class ReadOnlyAdmin(PagesAdmin):
    """Pages of a table that only the engine writes."""

    actions = None

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Nobody adds."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nobody changes."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nobody deletes; retention does."""
        return False

    def gone(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Lead back to the list and say that the row is not there (any more)."""
        text = f"There is no {self.opts.verbose_name} {object_id}; retention may have deleted it."
        return warned(request, text, reverse(f"admin:{self.opts.app_label}_{self.opts.model_name}_changelist"))
