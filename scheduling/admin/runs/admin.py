"""Runs as people read them: what was asked, how far it is, how each try ended; and the ways to act on them."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.contrib import admin
from django.contrib.admin import ModelAdmin
from django.db.models import Case, When
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse

from scheduling import clock
from scheduling.admin.durations import durations_of
from scheduling.admin.keyset import link, read_page
from scheduling.admin.read_only import ReadOnlyAdmin
from scheduling.admin.runs import actions, compare, several
from scheduling.admin.runs.filter import RunFilter
from scheduling.admin.runs.order import order_of
from scheduling.admin.runs.path import path_table
from scheduling.admin.runs.state import RunState, counts_of, run_state
from scheduling.admin.runs.times import MARKS, chart_of
from scheduling.admin.schedules.chosen import chosen_page
from scheduling.explanations.changed import changes_around
from scheduling.models import Run, SchedulerLog, Task
from scheduling.runs.spent import path_and_counts
from scheduling.schedules.deadlines import late_runs, late_since
from scheduling.states import RunStatus
from staging.pages import insist, may, number_in, page, seen, shown, sight
from staging.wording import say

VIEWS = {
    "steps": "scheduling/run_state.html",
    "times": "scheduling/run_times.html",
    "order": "scheduling/run_order.html",
}
_RESTARTS, _USUAL_OF = 20, 10


def view_of(request: HttpRequest, run: Run, view: str, now: datetime) -> dict[str, Any]:
    """Return what the template of a view shows; `query` asks the fragment for the same. Few queries, however big."""
    durations = durations_of(seen(Run.objects.like(run), request), now, of=run.pk)
    before = [each.pk for each in durations.runs if each.pk != run.pk][-_USUAL_OF:]
    # While the run goes on, its steps are asked for again and again, and the way that it took would be, too.
    is_wanted = view == "times" or (view == "steps" and run.status in RunStatus.final())
    path, counted = path_and_counts(run, now) if is_wanted else ((), {})
    is_order = view == "order"
    state = RunState(run, counts_of(run, now)) if is_order else run_state(run, request.GET, now, before, counted)
    again = getattr(run, "was_restarted", True)
    context = {
        "durations": durations,
        "run": run,
        "state": state,
        "late_since": late_since(run, now),
        "has_late_steps": bool(state.counts.get("late")),
        "view": view,
        "fragment": VIEWS[view],
        "path": path_table(path),
        "restarts": list(run.restarts.order_by("id").values_list("pk", flat=True)[:_RESTARTS]) if again else [],
        "query": link({"view": view, "state": state.asked, "steps": str(state.page) if state.page > 1 else ""}),
    }
    if view == "times":
        context |= {"chart": chart_of(state, now, path), "marks": MARKS.items()}
    elif view == "order":
        context |= {"order": order_of(run)}
    return context


@page("view")
def times_page(model_admin: RunAdmin, request: HttpRequest, pk: int) -> HttpResponse:
    """Show when each step waited and worked."""
    return _view(model_admin, request, str(pk), "times")


@page("view")
def order_page(model_admin: RunAdmin, request: HttpRequest, pk: int) -> HttpResponse:
    """Show the graph of the manifest."""
    return _view(model_admin, request, str(pk), "order")


@page("view")
def fragment(model_admin: RunAdmin, request: HttpRequest, pk: int) -> HttpResponse:
    """Return the part of a view that changes while the run runs."""
    run = _run(model_admin, request, str(pk))
    if run is None:
        raise Http404
    view = request.GET.get("view", "")
    context = view_of(request, run, view if view in VIEWS else "steps", clock.now())
    context["may_restart"] = may(model_admin, request, "restart")
    context["may_cancel"] = may(model_admin, request, "cancel")
    response = render(request, context["fragment"], context)
    response["Cache-Control"] = "no-store"
    return response


@page("view")
def run_of_task(model_admin: RunAdmin, request: HttpRequest, task_id: int) -> HttpResponse:
    """Lead to the run of a task, which is all that a batch knows of its run."""
    task = Task.objects.filter(pk=task_id).select_related("run").first()
    insist(may(model_admin, request, "view", of=task.run if task else Run()))
    if task is None:
        return model_admin.gone(request, say("of task {id}", id=task_id))
    return HttpResponseRedirect(reverse("admin:scheduling_run_change", args=[task.run_id]))


@admin.register(Run)
class RunAdmin(ReadOnlyAdmin):
    """The list of runs, the pages of one, and what people do with it."""

    bulk = several.BULK
    pages = (
        ("choose/", several.choose_page, "scheduling_run_choose"),
        ("cancel-everything/", several.cancel_everything_page, "scheduling_run_cancel_everything"),
        ("chosen/<int:number>/", chosen_page, "scheduling_run_chosen"),
        ("<int:pk>/times/", times_page, "scheduling_run_times"),
        ("<int:pk>/order/", order_page, "scheduling_run_order"),
        ("<int:pk>/fragment/", fragment, "scheduling_run_fragment"),
        ("<int:pk>/cancel/", actions.cancel_page, "scheduling_run_cancel"),
        ("<int:pk>/restart/", actions.restart_page, "scheduling_run_restart"),
        ("<int:pk>/retry/", actions.retry_page, "scheduling_run_retry"),
        ("<int:pk>/release/", actions.release_page, "scheduling_run_release"),
        ("<int:pk>/step/", actions.step_page, "scheduling_run_step"),
        ("<int:pk>/compare/", compare.compare_page, "scheduling_run_compare"),
        ("<int:pk>/compare/<int:other>/", compare.compared_page, "scheduling_run_compared"),
        ("of-task/<int:task_id>/", run_of_task, "scheduling_run_of_task"),
    )

    def has_cancel_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Return whether this person may cancel runs."""
        return request.user.has_perm("scheduling.cancel_run", obj)

    def has_restart_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Return whether this person may restart runs, and release again, skip, mark and hold their steps."""
        return request.user.has_perm("scheduling.restart_run", obj)

    @page("view")
    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Show one page of runs, newest first."""
        asked = RunFilter(request)
        known = self.get_queryset(request).select_related("entity")
        found = read_page(asked.apply(known), request.GET.dict(), time_field="created_at")
        return shown(
            self,
            request,
            "scheduling/run_list.html",
            title=say("Runs"),
            filter=asked,
            page=found,
            rows=_with_steps(found.rows, clock.now()),
            verbs=[each for each in self.bulk if may(self, request, each.needs)],
            here=link(asked.asked),
            newer_url=link(asked.asked, newer=found.newer) if found.newer else "",
            older_url=link(asked.asked, older=found.older) if found.older else "",
            newest_url=link(asked.asked),
        )

    @page("view")
    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show one run with its steps and attempts."""
        return _view(self, request, object_id, "steps")


def _view(model_admin: RunAdmin, request: HttpRequest, pk: str, view: str) -> HttpResponse:
    """Return one view of a run with what is around it."""
    run = _run(model_admin, request, pk)
    if run is None:
        return model_admin.gone(request, pk)
    context = view_of(request, run, view, clock.now())
    may_restart, tasks = may(model_admin, request, "restart"), context["state"].all_tasks
    return shown(
        model_admin,
        request,
        "scheduling/run_page.html",
        title=context["state"].title,
        may_cancel=may(model_admin, request, "cancel"),
        may_restart=may_restart,
        may_start=may_restart and run.made_good_by_id is None and actions.may_start(request, run, tasks),
        changed=changes_around(run, of=sight(SchedulerLog, request)),
        poll=reverse("admin:scheduling_run_fragment", args=[run.pk]) + context["query"],
        **context,
    )


def _run(model_admin: ModelAdmin[Run], request: HttpRequest, pk: str) -> Run | None:
    """Return a run; None for an unknown one."""
    rows: Any = model_admin.get_queryset(request).select_related("entity")
    known, number = rows.with_restarts(), number_in(pk)
    return known.filter(pk=number).first() if number is not None else None


def _with_steps(runs: list[Run], now: datetime) -> list[tuple[Run, Run | None, bool]]:
    """Return each run with itself as counted, while it has not ended, and whether it is or was late; one query."""
    live = [run.pk for run in runs if run.finished_at is None]
    is_late = Case(When(late_runs(now), then=True), default=False)
    counted: dict[int, Any] = {}
    if live:
        counted = Run.objects.filter(pk__in=live).with_steps().annotate(is_late=is_late).in_bulk()
    return [
        (run, found := counted.get(run.pk), found.is_late if found else late_since(run, now) is not None)
        for run in runs
    ]
