"""Two runs beside each other: what each step took, how it ended, and what differs in parameters and settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.contrib.admin import ModelAdmin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse

from scheduling import clock
from scheduling.admin.durations import durations_of
from scheduling.admin.keyset import link
from scheduling.admin.runs.state import STEPS_AT_ONCE, name_of_run
from scheduling.explanations.changed import changes_between
from scheduling.formatters import milliseconds
from scheduling.models import Run, SchedulerLog, Task
from scheduling.states import RunStatus
from staging.pages import number_in, page, seen, shown, sight
from staging.wording import say

BY_DIFFERENCE = "difference"


@dataclass(frozen=True)
class Side:
    """What became of a step in one of the runs: its state, its milliseconds, its rows."""

    status: str
    took: int | None = None
    rows: int | None = None


@dataclass(frozen=True)
class Pair:
    """One step in both runs; None where a run has no such step."""

    step: str
    one: Side | None
    other: Side | None

    @property
    def difference(self) -> int | None:
        """Return by how many milliseconds it took longer in the first; None where it has no duration in both."""
        if self.one is None or self.other is None or self.one.took is None or self.other.took is None:
            return None
        return self.one.took - self.other.took

    @property
    def words(self) -> str:
        """Return the difference as people read it; empty for none that is known."""
        if not self.difference:
            return "" if self.difference is None else say("the same")
        took = milliseconds(abs(self.difference))
        return say("{took} longer", took=took) if self.difference > 0 else say("{took} shorter", took=took)


def pairs_of(run: Run, other: Run, now: datetime) -> list[Pair]:
    """Return the steps of two runs, in the order of the first, those that only the other has behind; one statement."""
    sides: dict[int, dict[str, Side]] = {run.pk: {}, other.pk: {}}
    tasks = Task.objects.steps().filter(run__in=sides).order_by("step_index", "id")
    for task in tasks.only(
        "run_id", "key", "status", "held_at", "waits_since", "items", "warnings", "started_at", "finished_at",
        "rows_total",
    ):  # fmt: skip
        took = _took(task.started_at, task.finished_at, now)
        sides[task.run_id][task.key] = Side(task.shown_status, took, task.rows_total)
    ones, others = sides[run.pk], sides[other.pk]
    return [Pair(step, ones.get(step), others.get(step)) for step in dict.fromkeys([*ones, *others])]


def whole_of(run: Run, other: Run, now: datetime) -> Pair:
    """Return two runs as one line."""
    one, two = (Side(each.shown_status, _took(each.started_at, each.finished_at, now)) for each in (run, other))
    return Pair(say("The whole run"), one, two)


def by_difference(pairs: list[Pair]) -> list[Pair]:
    """Return the steps with what differs most first; those without a duration in both stay behind in their order."""
    return sorted(pairs, key=lambda pair: -1 if pair.difference is None else abs(pair.difference), reverse=True)


def differing(one: Mapping[str, Any] | None, other: Mapping[str, Any] | None) -> list[tuple[str, Any, Any]]:
    """Return the parameters that differ, by name, with the value in each run; None where a run was given none."""
    ones, others = one or {}, other or {}
    return [
        (name, ones.get(name), others.get(name))
        for name in sorted({*ones, *others})
        if ones.get(name) != others.get(name)
    ]


@page("view")
def compare_page(model_admin: ModelAdmin[Run], request: HttpRequest, pk: int) -> HttpResponse:
    """Lead to the comparison with the run that was chosen, else with the run before of the same that completed."""
    run, known = _run(model_admin, request, pk), _runs(model_admin, request)
    if run is None:
        return model_admin.gone(request, str(pk))  # type: ignore[attr-defined]
    other = number_in(request.GET.get("with", ""))
    if other is None:
        before = known.like(run).filter(pk__lt=run.pk, status=RunStatus.COMPLETED)  # type: ignore[attr-defined]
        other = before.order_by("-pk").values_list("pk", flat=True).first()
    if other is None:
        return _shown(model_admin, request, run, None)
    return HttpResponseRedirect(reverse("admin:scheduling_run_compared", args=[run.pk, other]))


@page("view")
def compared_page(model_admin: ModelAdmin[Run], request: HttpRequest, pk: int, other: int) -> HttpResponse:
    """Show both runs beside each other, to whoever may see both."""
    run, second = _run(model_admin, request, pk), _run(model_admin, request, other)
    if run is None or second is None:
        return model_admin.gone(request, str(other if run else pk))  # type: ignore[attr-defined]
    return _shown(model_admin, request, run, second)


def _shown(model_admin: ModelAdmin[Run], request: HttpRequest, run: Run, other: Run | None) -> HttpResponse:
    """Return the page; without another run it only offers those that there are."""
    now = clock.now()
    offered = durations_of(seen(Run.objects.like(run), request), now)
    context: dict[str, Any] = {"run": run, "other": other, "offered": offered.runs[::-1]}
    if other is not None:
        first, last = sorted((run, other), key=lambda each: each.pk)
        context |= {
            "whole": whole_of(run, other, now),
            "parameters": differing(run.parameters, other.parameters),
            "changed": changes_between(first, last, of=sight(SchedulerLog, request)),
            **_steps(pairs_of(run, other, now), request),
        }
    title = say("Compare {title}, run {run}", title=name_of_run(run), run=run.pk)
    return shown(model_admin, request, "scheduling/run_compare.html", title=title, **context)


def _steps(pairs: list[Pair], request: HttpRequest) -> dict[str, Any]:
    """Return a page of the steps, in the order that the address asks for."""
    order = BY_DIFFERENCE if request.GET.get("order") == BY_DIFFERENCE else ""
    ordered = by_difference(pairs) if order else pairs
    number = min(max(number_in(request.GET.get("steps", "")) or 1, 1), 10_000)
    start, end = (number - 1) * STEPS_AT_ONCE, number * STEPS_AT_ONCE

    def address(page: int, order: str) -> str:
        return link({"order": order, "steps": str(page) if page > 1 else ""}) or "?"

    return {
        "pairs": ordered[start:end],
        "order": order,
        "other_order": address(1, "" if order else BY_DIFFERENCE),
        "earlier": address(number - 1, order) if number > 1 else "",
        "later": address(number + 1, order) if pairs[end:] else "",
    }


def _took(started: datetime | None, finished: datetime | None, now: datetime) -> int | None:
    """Return milliseconds, so far while it runs; None for what has not begun."""
    if started is None:
        return None
    return round(max((finished or now) - started, timedelta()).total_seconds() * 1000)


def _runs(model_admin: ModelAdmin[Run], request: HttpRequest) -> QuerySet[Run]:
    return model_admin.get_queryset(request).select_related("entity")


def _run(model_admin: ModelAdmin[Run], request: HttpRequest, pk: int) -> Run | None:
    number = number_in(str(pk))
    return None if number is None else _runs(model_admin, request).filter(pk=number).first()
