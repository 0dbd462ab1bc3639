"""The admin of what the engine writes and retention deletes: read only, and kind about a row that is gone."""

from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from staging.pages import ReadOnlyPages, warned


class ReadOnlyAdmin(ReadOnlyPages):
    """Pages of a table that only the engine writes."""

    actions = None

    def gone(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Lead back to the list and say that the row is not there (any more)."""
        text = f"There is no {self.opts.verbose_name} {object_id}; retention may have deleted it."
        return warned(request, text, reverse(f"admin:{self.opts.app_label}_{self.opts.model_name}_changelist"))
