"""The settings of the whole installation: how long things are kept."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse

from scheduling.models import RetentionPolicy
from staging.pages import PagesAdmin, page
from staging.version_pages import Versioned


@admin.register(RetentionPolicy)
class RetentionAdmin(Versioned, PagesAdmin):
    """The one retention policy: the list leads straight to its form."""

    never = ("add", "delete")  # there is always exactly one
    actions = None

    @page("view")
    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Send to the form; there is only one row."""
        return HttpResponseRedirect(reverse("admin:scheduling_retentionpolicy_change", args=[1]))

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> RetentionPolicy | None:
        """Return the stored policy, or the defaults that hold while none was saved."""
        return RetentionPolicy.current() if object_id == "1" else None
