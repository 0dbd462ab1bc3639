"""What people do with a run: cancel it, restart it, let a step start again, skip or hold one. Each asks first."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.admin import ModelAdmin
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop

from scheduling import clock
from scheduling.admin.inputs import Listed
from scheduling.admin.runs.state import CHANGEABLE, name_of_run
from scheduling.dag.manifest import Manifest
from scheduling.dispatch.recover import release_task
from scheduling.errors import SchedulingError
from scheduling.lifecycle.anew import behind_of, may_run_anew
from scheduling.models import Run, Task
from scheduling.runs.cancel import cancel_run
from scheduling.runs.fire import needed_to_start
from scheduling.runs.intervene import (
    complete_step,
    hold_step,
    let_step_go_on,
    retry_now,
    run_from,
    run_only,
    skip_step,
)
from scheduling.runs.restart import (
    RunPart,
    differences,
    manifest_now,
    manifest_of,
    restart_run,
    without_completed,
)
from scheduling.states import AttemptOutcome, RunStatus, TaskStatus
from staging.errors import StagingError
from staging.pages import ASK, insist, page, row_or_404, shown, told, warned
from staging.wording import say

_NO_RUN = gettext_noop("There is no such run.")
_MOST_LINES = 8
_NAMED = 20  # steps and differences that a page of questions lists


class RestartForm(forms.Form):
    """What is restarted, and by which manifest; `seen` tells the differences that the person was shown."""

    what = forms.ChoiceField(
        choices=[
            ("failed", _("Only what failed, was cancelled or never ran")),
            ("all", _("Everything, from the start")),
            ("from", _("A step and all that comes after it")),
            ("only", _("One step alone")),
        ],
        widget=forms.RadioSelect,
        label=_("What runs"),
    )
    manifest = forms.ChoiceField(
        choices=[("was", _("As it was")), ("now", _("As its plans are now"))],
        widget=forms.RadioSelect,
        label=_("In which order, with which settings"),
    )
    step = forms.ChoiceField(required=False, label=_("Which step"))
    without = forms.MultipleChoiceField(required=False, label=_("Leave out, as done"), widget=forms.SelectMultiple)
    seen = forms.CharField(required=False, widget=forms.HiddenInput)

    def __init__(self, data: Any, keys: list[str], **kwargs: Any):
        """Offer these steps; a run of one step has no parts."""
        super().__init__(data, **kwargs)
        self.has_parts = len(keys) > 1
        what, step, without = (self.fields[name] for name in ("what", "step", "without"))
        step.choices = Listed(keys, ("", "—"))  # type: ignore[attr-defined]
        without.choices = Listed(keys)  # type: ignore[attr-defined]
        without.widget.attrs["size"] = min(len(keys), _MOST_LINES)
        if not self.has_parts:
            what.choices = what.choices[:2]  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        """Ask for the step that a part begins with."""
        told = super().clean() or {}
        if told.get("what") in ("from", "only") and not told.get("step") and "step" not in self.errors:
            self.add_error("step", say("Choose a step."))
        return told

    @property
    def part(self) -> RunPart:
        """Return what of the run is wanted."""
        told = self.cleaned_data
        parts = {"from": "start_at", "only": "only"}
        named = {parts[told["what"]]: told["step"]} if told["what"] in parts else {}
        return RunPart(**named, without=told["without"])


@page("cancel", methods=ASK)
def cancel_page(model_admin: ModelAdmin[Run], request: HttpRequest, pk: int) -> HttpResponse:
    """Ask (GET), then cancel (POST): at once what waits, at its next safe point what runs."""
    run = row_or_404(Run.objects.select_related("entity"), pk, say(_NO_RUN))
    if request.method == "POST":
        if not cancel_run(run, by=request.user.get_username(), now=clock.now()):
            return warned(request, say("There was nothing left to cancel."), _page(run))
        text = say("Cancel asked for. What already runs stops at its next safe point.")
        if run.status in RunStatus.final():
            text = say("Run {run} is not tried again.", run=run.pk)
        return told(request, text, _page(run), messages.INFO)
    live = run.tasks.exclude(status__in=TaskStatus.final())
    running = live.filter(status=TaskStatus.RUNNING).count()
    more = {"running": running, "unstarted": live.count() - running, "is_tried_again": run.goes_on}
    return _question(model_admin, request, run, say("Cancel"), "run_cancel.html", **more)


@page("restart", methods=ASK)
def retry_page(model_admin: ModelAdmin[Run], request: HttpRequest, pk: int) -> HttpResponse:
    """Ask (GET), then let a failed step of a live run, or one that waits for its next attempt, start now (POST)."""
    run = row_or_404(Run.objects.select_related("entity"), pk, say(_NO_RUN))
    task = _asked(request, run)
    if request.method == "POST":
        return _retry(request, run, task)
    blocked = list(run.tasks.filter(blocked_by=task).order_by("step_index", "id").values_list("key", flat=True))
    more = {"task": task, "blocked": blocked[:_NAMED], "blocked_left": max(len(blocked) - _NAMED, 0)}
    return _question(model_admin, request, run, say("Retry now"), "run_retry.html", **more)


@page("cancel", methods=ASK)
def release_page(model_admin: ModelAdmin[Run], request: HttpRequest, pk: int) -> HttpResponse:
    """Ask (GET), then take a running step away from a worker that is known to be dead (POST)."""
    run = row_or_404(Run.objects.select_related("entity"), pk, say(_NO_RUN))
    task = _asked(request, run)
    if request.method == "POST":
        return _release(request, run, task)
    attempt = task.attempts.filter(outcome=AttemptOutcome.RUNNING).first()
    more = {"task": task, "attempt": attempt, "now": clock.now()}
    return _question(model_admin, request, run, say("Release"), "run_release.html", **more)


@page("restart", methods=ASK)
def step_page(model_admin: ModelAdmin[Run], request: HttpRequest, pk: int) -> HttpResponse:
    """Ask what to do with a step that is not at work (GET); skip, mark or hold it, let it go on, or run it (POST)."""
    run = row_or_404(Run.objects.select_related("entity"), pk, say(_NO_RUN))
    task = _asked(request, run)
    if request.method == "POST" and request.POST.get("verb") in _ON_STEPS:
        return _on_step(request, run, task, *_ON_STEPS[request.POST["verb"]])
    behind = run.tasks.filter(dependencies__depends_on=task).order_by("step_index", "id")
    keys = list(behind.values_list("key", flat=True))
    is_live = run.status not in RunStatus.final()
    more = {
        "task": task, "behind": keys[:_NAMED], "behind_left": max(len(keys) - _NAMED, 0),
        "may_be_changed": is_live and task.status in CHANGEABLE, "may_run": is_live and may_run_anew(task),
        "behind_in_all": len(behind_of(task)),
    }  # fmt: skip
    return _question(model_admin, request, run, say("Change a step"), "run_step.html", **more)


_ON_STEPS: dict[str, tuple[Callable[..., None], str]] = {
    "skip": (skip_step, gettext_noop("Step {task} is skipped; what comes after it goes on.")),
    "complete": (complete_step, gettext_noop("Step {task} counts as succeeded; what comes after it goes on.")),
    "hold": (hold_step, gettext_noop("Step {task} is held until somebody lets it go on.")),
    "let_go": (let_step_go_on, gettext_noop("Step {task} goes on.")),
    "run_only": (run_only, gettext_noop("Step {task} starts as soon as a worker is free, whatever stands before it.")),
    "run_from": (run_from, gettext_noop("Step {task} and all that comes after it run.")),
}


def _on_step(request: HttpRequest, run: Run, task: Task, verb: Callable[..., None], done: str) -> HttpResponse:
    """Do it to the step and lead back to its run; somebody who was faster is a warning."""
    try:
        verb(task, by=request.user.get_username(), person=request.user, now=clock.now())
    except SchedulingError as error:
        return warned(request, error, _page(run))
    return told(request, say(done, task=task.key), _page(run))


def _asked(request: HttpRequest, run: Run) -> Task:
    """Return the step that the request names; 404 when the run has none such."""
    asked = (request.POST if request.method == "POST" else request.GET).get("task", "")
    return row_or_404(run.tasks.select_related("run"), asked, say("There is no such step in this run."))


@page("restart", methods=ASK)
def restart_page(model_admin: ModelAdmin[Run], request: HttpRequest, pk: int) -> HttpResponse:
    """Ask what of an ended run to run again, with what its plans changed since (GET), then start it (POST)."""
    known = Run.objects.select_related("entity")
    # What starts it looks for itself whether it was restarted: it may have been since this row was read.
    run = row_or_404(known if request.method == "POST" else known.with_restarts(), pk, say(_NO_RUN))
    insist(may_start(request, run))
    was = manifest_of(run)
    current, problem = _current(run)
    changes = differences(was, current) if current else []
    mark = hashlib.sha256("\n".join(changes).encode()).hexdigest()
    left = [item.key for item in without_completed(was, run)]
    keys = list(dict.fromkeys(item.key for item in (*was, *(current or ()))))
    usual = {"what": "failed" if left else "all", "manifest": "was"}
    form = RestartForm(request.POST or None, keys, initial=usual)
    if request.method == "POST" and form.is_valid():
        chosen = current if form.cleaned_data["manifest"] == "now" else None
        if form.cleaned_data["manifest"] == "was" or (chosen and form.cleaned_data["seen"] == mark):
            return _restart(request, run, form, chosen)
        form.add_error("manifest", problem or say("Its plans changed while you looked. This is how they differ now."))
    more = {
        "form": form, "mark": mark, "changes": changes[:_NAMED], "changes_left": max(len(changes) - _NAMED, 0),
        "left": left[:_NAMED], "left_out": max(len(left) - _NAMED, 0), "total": len(was), "has_current": bool(current),
        "problem": problem, "is_final": run.status in RunStatus.final(),
    }  # fmt: skip
    return _question(model_admin, request, run, say("Restart"), "run_restart.html", **more)


def may_start(request: HttpRequest, run: Run, tasks: Iterable[Task] | None = None) -> bool:
    """Return whether this person may start what the run is made of: a restart is no way around a permission.

    `tasks`: all of its tasks, where they were read already.
    """
    return request.user.has_perms(needed_to_start(run, tasks), run)


def _current(run: Run) -> tuple[Manifest | None, str]:
    """Return what the plans of a run are now, or why that cannot be told; neither for a run of no plan."""
    if not run.plans:
        return None, ""
    try:
        return manifest_now(run), ""
    except SchedulingError as error:
        return None, str(error)


def _restart(request: HttpRequest, run: Run, form: RestartForm, manifest: Manifest | None) -> HttpResponse:
    """Start the run again and lead to the new one; what stands in its way is a warning."""
    by, only_failed = request.user.get_username(), form.cleaned_data["what"] == "failed"
    try:
        started = restart_run(
            run, only_failed=only_failed, part=form.part, manifest=manifest, started_by=by, person=request.user,
            now=clock.now(),
        )  # fmt: skip
    except (SchedulingError, StagingError) as error:
        return warned(request, error, _page(run))
    return told(
        request, say("Run {run} started again as run {started}.", run=run.pk, started=started.pk), _page(started)
    )


def _retry(request: HttpRequest, run: Run, task: Task) -> HttpResponse:
    """Release a step again and lead back to its run; somebody who was faster is a warning."""
    try:
        retry_now(task, by=request.user.get_username(), person=request.user, now=clock.now())
    except SchedulingError as error:
        return warned(request, error, _page(run))
    return told(request, say("{task} starts as soon as a worker is free.", task=task.key), _page(run))


def _release(request: HttpRequest, run: Run, task: Task) -> HttpResponse:
    """Take a step away from its worker and lead back to its run; what stands in the way is a warning."""
    try:
        release_task(task.pk, by=request.user.get_username(), now=clock.now())
    except SchedulingError as error:
        return warned(request, error, _page(run))
    task.refresh_from_db(fields=["status"])
    text = say("Step {task} was released and is {status} again.", task=task.key, status=task.status)
    if task.status == TaskStatus.FAILED:
        text = say("Step {task} was released and has failed: no attempt was left.", task=task.key)
    return told(request, text, _page(run))


def _question(
    model_admin: ModelAdmin[Run], request: HttpRequest, run: Run, verb: str, template: str, **more: Any
) -> TemplateResponse:
    """Return a page that asks before it does."""
    return shown(
        model_admin,
        request,
        f"scheduling/{template}",
        title=say("{verb}: {title}, run {run}?", verb=verb, title=name_of_run(run), run=run.pk),
        verb=verb,
        run=run,
        **more,
    )


def _page(run: Run) -> str:
    return reverse("admin:scheduling_run_change", args=[run.pk])
