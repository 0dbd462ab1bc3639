"""Links to runs: only to those that the person may open, for a run may hold the work of several entities."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.db.models import Exists, OuterRef, Value
from django.http import HttpRequest
from django.urls import reverse

from scheduling.models import Run, Task
from staging.pages import sight
from staging.rights import visible


def note_runs(request: HttpRequest, run_ids: Iterable[int | None]) -> None:
    """Find out in one statement which of these runs the person may open, for a page with many links."""
    ids, wanted = sight(Run, request), {one for one in run_ids if one is not None}
    if ids is None or not wanted:
        return
    open_ones = set(visible(Run.objects.filter(pk__in=wanted), ids).values_list("pk", flat=True))
    _known(request).update((one, one in open_ones) for one in wanted)


def opens(request: HttpRequest, column: str) -> Any:
    """Return what tells of each row of a list whether the person may open the run in a column."""
    ids = sight(Run, request)
    return Value(True) if ids is None else Exists(visible(Run.objects.filter(pk=OuterRef(column)), ids))


def url_of_run(request: HttpRequest, run_id: int | None) -> str:
    """Return the address of a run; empty when the person may not open it, or there is none to name."""
    if run_id is None:
        return ""
    if sight(Run, request) is not None:
        if run_id not in _known(request):
            note_runs(request, [run_id])
        if not _known(request)[run_id]:
            return ""
    return reverse("admin:scheduling_run_change", args=[run_id])


def url_of_task(request: HttpRequest, task_id: int | None) -> str:
    """Return the address of the run of a task, which is all that a batch knows of its run; empty as above."""
    if task_id is None:
        return ""
    return url_of_run(request, Task.objects.filter(pk=task_id).values_list("run_id", flat=True).first())


def _known(request: HttpRequest) -> dict[int, bool]:
    found: dict[int, bool] = request.__dict__.setdefault("_runs_that_open", {})
    return found
