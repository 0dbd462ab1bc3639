"""Runs as people read them: what was asked, how far it is, how each try ended; and the ways to act on them."""

from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import Count, Q
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.views.decorators.http import require_GET

from scheduling import clock
from scheduling.admin import run_actions as actions
from scheduling.admin.keyset import link, read_page
from scheduling.admin.read_only import ReadOnlyAdmin
from scheduling.admin.run_filter import RunFilter
from scheduling.admin.run_views import VIEWS, view_of
from scheduling.models import Run, Task
from scheduling.states import TaskStatus


@admin.register(Run)
class RunAdmin(ReadOnlyAdmin):
    """The list of runs, the pages of one, and what people do with it."""

    def has_cancel_permission(self, request: HttpRequest) -> bool:
        """Return whether this person may cancel runs."""
        return request.user.has_perm("scheduling.cancel_run")

    def has_restart_permission(self, request: HttpRequest) -> bool:
        """Return whether this person may restart runs and release failed steps again."""
        return request.user.has_perm("scheduling.restart_run")

    def get_urls(self) -> list[URLPattern]:
        """Add the views of one run and its verbs to the stock pages."""
        wrap = self.admin_site.admin_view
        pages = {
            "times": require_GET(self.times), "order": require_GET(self.order), "fragment": require_GET(self.fragment),
            "cancel": self.cancel, "restart": self.restart, "retry": self.retry, "release": self.release,
        }  # fmt: skip
        own = [path(f"<int:pk>/{name}/", wrap(page), name=f"scheduling_run_{name}") for name, page in pages.items()]
        of_task = path("of-task/<int:pk>/", wrap(require_GET(self.of_task)), name="scheduling_run_of_task")
        return [*own, of_task, *super().get_urls()]

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Show one page of runs, newest first."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        asked = RunFilter(request.GET)
        runs = asked.apply(Run.objects.select_related("entity"))
        page = read_page(runs, request.GET.dict(), time_field="created_at")
        context = {
            **self.admin_site.each_context(request),
            "title": "Runs",
            "opts": self.opts,
            "filter": asked,
            "page": page,
            "rows": _with_progress(page.rows),
            "newer_url": link(asked.asked, newer=page.newer) if page.newer else "",
            "older_url": link(asked.asked, older=page.older) if page.older else "",
            "newest_url": link(asked.asked),
        }
        return TemplateResponse(request, "scheduling/run_list.html", context)

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show one run with its steps and attempts."""
        return self._view(request, object_id, "steps")

    def times(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Show when each step waited and worked."""
        return self._view(request, str(pk), "times")

    def order(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Show the graph of the manifest."""
        return self._view(request, str(pk), "order")

    def fragment(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Return the part of a view that changes while the run runs."""
        run = self._run(request, str(pk))
        if run is None:
            raise Http404
        view = request.GET.get("view", "")
        context = view_of(run, view if view in VIEWS else "steps", request.GET, clock.now())
        context["may_restart"] = self.has_restart_permission(request)
        context["may_cancel"] = self.has_cancel_permission(request)
        response = render(request, context["fragment"], context)
        response["Cache-Control"] = "no-store"
        return response

    def cancel(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Ask, then cancel."""
        return actions.cancel_page(self, request, pk)

    def restart(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Ask, then start an ended run again."""
        return actions.restart_page(self, request, pk)

    def release(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Take a running step away from a dead worker, after a question."""
        return actions.release_page(self, request, pk)

    def retry(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Ask, then let a failed step start again."""
        return actions.retry_page(self, request, pk)

    def of_task(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Lead to the run of a task, which is all that a batch knows of its run."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        run_id = Task.objects.filter(pk=pk).values_list("run_id", flat=True).first() if pk < 2**63 else None
        if run_id is None:
            return self.gone(request, f"of task {pk}")
        return HttpResponseRedirect(reverse("admin:scheduling_run_change", args=[run_id]))

    def _view(self, request: HttpRequest, pk: str, view: str) -> HttpResponse:
        """Return one view of a run with what is around it."""
        run = self._run(request, pk)
        if run is None:
            return self.gone(request, pk)
        context = view_of(run, view, request.GET, clock.now())
        may_restart = self.has_restart_permission(request)
        more = {
            "title": context["state"].title,
            "opts": self.opts,
            "may_cancel": self.has_cancel_permission(request),
            "may_restart": may_restart,
            "may_start": may_restart and run.made_good_by_id is None and actions.may_start(request, run),
            "poll": reverse("admin:scheduling_run_fragment", args=[run.pk]) + context["query"],
        }
        return TemplateResponse(
            request, "scheduling/run_page.html", {**self.admin_site.each_context(request), **context, **more}
        )

    def _run(self, request: HttpRequest, pk: str) -> Run | None:
        """Return a run, for people who may see runs."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        if not pk.isdecimal() or len(pk) > 18:
            return None
        return self.get_queryset(request).select_related("entity").filter(pk=pk).first()


def _with_progress(runs: list[Run]) -> list[tuple[Run, int | None, int | None]]:
    """Return each run with how many of its steps have ended, and of how many, while it has not ended; one query."""
    live = [run.pk for run in runs if run.finished_at is None]
    if not live:
        return [(run, None, None) for run in runs]
    ended = Count("pk", filter=Q(status__in=TaskStatus.final()))
    counted = Task.objects.filter(run__in=live).order_by().values("run").annotate(ended=ended, number=Count("pk"))
    found = {row["run"]: (row["ended"], row["number"]) for row in counted}
    return [(run, *found.get(run.pk, (None, None))) for run in runs]
