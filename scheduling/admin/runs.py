"""Runs as people read them: what was asked, how far it is, how each try ended; and the button to cancel."""

from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.views.decorators.http import require_GET, require_POST

from scheduling import clock
from scheduling.admin.keyset import link, read_page
from scheduling.admin.read_only import ReadOnlyAdmin
from scheduling.admin.run_state import RunFilter, RunState, run_state
from scheduling.models import Run
from scheduling.runs.cancel import cancel_run


@admin.register(Run)
class RunAdmin(ReadOnlyAdmin):
    """The list of runs, the page of one, its polled fragment, and cancel."""

    def has_cancel_permission(self, request: HttpRequest) -> bool:
        """Return whether this person may cancel runs."""
        return request.user.has_perm("scheduling.cancel_run")

    def get_urls(self) -> list[URLPattern]:
        """Add the fragment and the cancel verb to the stock pages."""
        wrap = self.admin_site.admin_view
        own = [
            path("<int:pk>/fragment/", wrap(require_GET(self.fragment)), name="scheduling_run_fragment"),
            path("<int:pk>/cancel/", wrap(require_POST(self.cancel)), name="scheduling_run_cancel"),
        ]
        return own + super().get_urls()

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Show one page of runs, newest first."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        asked = RunFilter(request.GET)
        page = read_page(asked.apply(Run.objects.select_related("entity")), request.GET.dict())
        context = {
            **self.admin_site.each_context(request),
            "title": "Runs",
            "opts": self.opts,
            "filter": asked,
            "page": page,
            "newer_url": link(asked.asked, newer=page.newer) if page.newer else "",
            "older_url": link(asked.asked, older=page.older) if page.older else "",
            "newest_url": link(asked.asked),
        }
        return TemplateResponse(request, "scheduling/run_list.html", context)

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show one run with its tasks and attempts."""
        state = self._state(request, object_id)
        if state is None:
            return self.gone(request, object_id)
        context = {
            **self.admin_site.each_context(request),
            "title": state.title,
            "opts": self.opts,
            "state": state,
            "may_cancel": self.has_cancel_permission(request),
        }
        return TemplateResponse(request, "scheduling/run_page.html", context)

    def fragment(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Return the part of the page that changes while the run runs."""
        state = self._state(request, str(pk))
        if state is None:
            raise Http404
        response = render(request, "scheduling/run_state.html", {"state": state})
        response["Cache-Control"] = "no-store"
        return response

    def cancel(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Cancel: at once what waits, at its next safe point what runs."""
        if not self.has_cancel_permission(request):
            raise PermissionDenied
        run = Run.objects.filter(pk=pk).first()
        if run is None:
            raise Http404
        if cancel_run(run, by=request.user.get_username(), now=clock.now()):
            self.message_user(request, "Cancel asked for. What already runs stops at its next safe point.")
        else:
            self.message_user(request, "There was nothing left to cancel.", messages.WARNING)
        return HttpResponseRedirect(reverse("admin:scheduling_run_change", args=[pk]))

    def _state(self, request: HttpRequest, pk: str) -> RunState | None:
        """Return a run with its tasks, for people who may see runs."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        run = self.get_queryset(request).select_related("entity").filter(pk=pk).first() if pk.isdecimal() else None
        return run_state(run) if run is not None else None
