"""The admin of what the engine writes and retention deletes: read only, and kind about a row that is gone."""

from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from staging.pages import ReadOnlyPages, warned
from staging.wording import say


class ReadOnlyAdmin(ReadOnlyPages):
    """Pages of a table that only the engine writes."""

    actions = None

    def gone(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Lead back to the list and say that the row is not there (any more)."""
        text = say(
            "There is no {kind} {number}; retention may have deleted it.", kind=self.opts.verbose_name, number=object_id
        )
        return warned(request, text, reverse(f"admin:{self.opts.app_label}_{self.opts.model_name}_changelist"))
