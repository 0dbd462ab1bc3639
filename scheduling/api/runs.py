"""Runs: listed, read with their tasks, cancelled and started again; and what is done to one step of them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.db.models import Q

from scheduling.api.base import (
    RUN_EXAMPLE,
    RUN_SCHEMA,
    STARTED,
    STEP_COUNTS,
    SchedulingResource,
    instant,
    started_document,
)
from scheduling.api.plans import is_of
from scheduling.dag.manifest import Manifest
from scheduling.dag.path import Spent
from scheduling.errors import NothingToCancel, UnknownStep
from scheduling.models import Run
from scheduling.models.run import COMPLETED_WITH_WARNINGS, HELD
from scheduling.runs import intervene
from scheduling.runs.by_hand import item_document, run_document
from scheduling.runs.cancel import cancel_run
from scheduling.runs.fire import needed_to_start
from scheduling.runs.restart import RunPart, manifest_now, restart_run
from scheduling.runs.spent import path_document
from scheduling.schedules.deadlines import late_since
from scheduling.states import RunKind, RunStatus, TaskStatus
from staging.api.kit.doors import TOGETHER, Answer, Body, answer, door
from staging.api.kit.listing import page_example, page_schema, paged
from staging.api.kit.parameters import MINE, PAGED, Parameter
from staging.api.kit.problems import ApiProblem, invalid
from staging.model_files.shape import LIST, TEXT, YES_NO
from staging.states import WARNED, Scope
from staging.wording import say

_TEXT = {"type": "string"}
_NUMBER = {"type": ["integer", "null"]}
_INSTANT = {"type": ["string", "null"], "format": "date-time"}
_LISTED: dict[str, Any] = {
    "type": "object",
    "required": ["run", "kind", "status", *STEP_COUNTS],
    "properties": {
        "run": {"type": "integer"},
        "kind": {"type": "string", "enum": [*RunKind.values]},
        "status": {"type": "string", "enum": [*RunStatus.values]},
        "warnings": {"type": "integer"},
        **STEP_COUNTS,
        "title": _TEXT,
        "entity": {"type": ["string", "null"]},
        "plans": {"type": "array", "items": _TEXT},
        "parameters": {"type": ["object", "null"]},
        "restart_of": _NUMBER,
        "made_good_by": _NUMBER,
        "trigger_source": _TEXT,
        "started_by": _TEXT,
        "scheduled_for": _INSTANT,
        "created_at": _INSTANT,
        "started_at": _INSTANT,
        "finished_at": _INSTANT,
        "timed_out_at": _INSTANT,
        "attempt": {"type": "integer", "description": "Which attempt of its plan it is; each is a run of its own."},
        "attempts_allowed": {"type": "integer"},
        "next_attempt_at": _INSTANT,
        "expected_minutes": _NUMBER,
        "deadline_at": _INSTANT,
        "is_late": {"type": "boolean", "description": "It takes, or took, longer than it should."},
        "error": _TEXT,
    },
}
_LISTED_EXAMPLE = {
    "run": 31,
    "kind": "batch",
    "status": "completed",
    "warnings": 0,
    "steps_done": 1,
    "steps_total": 1,
    "title": "",
    "entity": "branch",
    "plans": [],
    "parameters": None,
    "restart_of": None,
    "made_good_by": None,
    "trigger_source": "Manual",
    "started_by": "anna (token loader)",
    "scheduled_for": None,
    "created_at": "2026-03-01T06:00:00+00:00",
    "started_at": "2026-03-01T06:00:01+00:00",
    "finished_at": "2026-03-01T06:00:02+00:00",
    "timed_out_at": None,
    "attempt": 1,
    "attempts_allowed": 1,
    "next_attempt_at": None,
    "expected_minutes": None,
    "deadline_at": None,
    "is_late": False,
    "error": "",
}
_SPENT = {
    f"{what}_ms": {"type": "integer", "description": words}
    for what, words in {
        Spent.QUEUED: "Milliseconds in which it waited in its queue.",
        Spent.RETRY: "Milliseconds in which it waited for its next attempt.",
        Spent.HELD: "Milliseconds in which it was held back.",
        Spent.WORKED: "Milliseconds in which it worked.",
        Spent.AWAITED: "Milliseconds in which it waited for a time, for rows or for a query.",
        Spent.OTHERWISE: "Milliseconds in which it waited for a person.",
    }.items()
}
_PATH = {
    "type": "array",
    "description": "Of plans and ordered work: the steps that decided when it ended, in their order; so far while it "
    "runs. All their milliseconds together are the time from its creation to its end.",
    "items": {"type": "object", "required": ["task"], "properties": {"task": _TEXT, **_SPENT}},
}
_WHOLE = {
    **_LISTED,
    "properties": {**_LISTED["properties"], "tasks": RUN_SCHEMA["properties"]["tasks"], "critical_path": _PATH},
}
_ITEM = {
    "type": "object",
    "required": ["step", "task", "number", "item", "status", "attempts", "message"],
    "properties": {
        **dict.fromkeys(("step", "task", "message"), _TEXT),
        **{name: {"type": "integer"} for name in ("number", "attempts", "warnings")},
        "item": {"description": "The item itself."},
        "status": {"type": "string", "enum": [*TaskStatus.values]},
        "result": {"description": "What it gave; null where it gave nothing."},
        "held_by": {"type": ["string", "null"]},
        **dict.fromkeys(("held_at", "next_attempt_at", "started_at", "finished_at"), _INSTANT),
    },
}
_ITEM_EXAMPLE = {
    "step": "job Load", "task": "job Load [2]", "number": 2, "item": "north", "status": "waiting", "attempts": 0,
    "message": "", "warnings": 0, "result": None, "held_by": None, "held_at": None, "next_attempt_at": None,
    "started_at": None, "finished_at": None,
}  # fmt: skip
_WHOLE_EXAMPLE = {**_LISTED_EXAMPLE, "tasks": RUN_EXAMPLE["tasks"]}


class Runs(SchedulingResource):
    """The runs that the caller may see, newest first."""

    @door(
        Scope.READ,
        "scheduling.view_run",
        summary="List runs, newest first",
        query=(
            Parameter(
                "status",
                "text",
                "Only in this state; warned: completed with warnings; held: a person holds a step of it.",
                choices=[*RunStatus.values, WARNED, HELD],
            ),
            Parameter("kind", "text", "Only of this kind.", choices=RunKind.values),
            Parameter("entity", "text", "Only single batches of the entity with this code."),
            Parameter("title", "text", "Only of the job, or the plans, of this name, as their runs are called."),
            MINE,
            *PAGED,
        ),
        answers={200: answer(page_schema(_LISTED), page_example(_LISTED_EXAMPLE), "A page of runs.")},
    )
    def get(self) -> Any:
        """Return a page of them."""
        self.caller.insist_on_code(self.query["entity"])
        title = self.query["title"]
        runs = Run.objects.all() if title is None else Run.objects.titled(title)
        found = self.listed(runs.select_related("entity").with_steps())
        columns = {"status": "status", "kind": "kind", "entity": "entity__code"}
        if self.query["status"] in (WARNED, HELD):
            is_held = self.query["status"] == HELD
            is_so = Q(pk__in=Run.objects.with_a_held_step()) if is_held else COMPLETED_WITH_WARNINGS
            found = found.filter(is_so)
            del columns["status"]
        found = found.filter(**{columns[name]: self.query[name] for name in columns if self.query[name] is not None})
        return paged(self, found, partial(listed, now=self.now), order=["-id"])


class OneRun(SchedulingResource):
    """One run with its tasks."""

    @door(
        Scope.READ,
        "scheduling.view_run",
        summary="Read a run with its tasks",
        answers={200: Answer(_WHOLE, _WHOLE_EXAMPLE, "The run.")},
    )
    def get(self, id: int) -> Any:
        """Return it."""
        run = self.find_run(id)
        document = run_document(run)
        return {
            **told(run, document["steps_done"], document["steps_total"], self.now),
            "tasks": document["tasks"],
        } | path_document(run, self.now)


class ItemsOfRun(SchedulingResource):
    """What the steps of one run that run for each item run for."""

    @door(
        Scope.READ,
        "scheduling.view_run",
        summary="List the items of steps that run for each; of a restart those that run in it",
        query=(
            Parameter("task", "text", "Only those of this step."),
            Parameter("status", "text", "Only in this state.", choices=TaskStatus.values),
            *PAGED,
        ),
        answers={200: answer(page_schema(_ITEM), page_example(_ITEM_EXAMPLE), "A page of items.")},
    )
    def get(self, id: int) -> Any:
        """Return a page of them."""
        run, asked = self.find_run(id), {name: self.query[name] for name in ("task", "status")}
        if asked["task"] is not None and not run.tasks.steps().filter(key=asked["task"]).exists():
            raise UnknownStep(say("Run {run} has no step {key!r}.", run=run.pk, key=asked["task"]))
        columns = {"task": "mapped_by__key", "status": "status"}
        chosen = {columns[name]: value for name, value in asked.items() if value is not None}
        found = run.tasks.filter(mapped_by__isnull=False, **chosen).select_related("mapped_by")
        return paged(self, found, item_document, order=["mapped_by_id", "item_number"])


class CancelRun(SchedulingResource):
    """Stop a run."""

    @door(
        Scope.OPERATE,
        "scheduling.cancel_run",
        summary="Cancel what has not started and ask what runs to stop, or end the wait for its next attempt",
        keyed=TOGETHER,
        answers={200: Answer(RUN_SCHEMA, RUN_EXAMPLE, "The run as it is now; what runs stops at its next safe point.")},
        problems=(409,),
    )
    def post(self, id: int) -> Any:
        """Cancel it."""
        run = self.find_run(id)
        if not cancel_run(run, by=self.caller.by, now=self.now):
            raise NothingToCancel(say("Run {run} has ended: there is nothing to cancel.", run=run.pk))
        return run_document(run)


class RestartRun(SchedulingResource):
    """Start an ended run again."""

    @door(
        Scope.OPERATE,
        "scheduling.restart_run",
        summary="Start an ended run again as a new run",
        body=Body(
            {"failed": YES_NO, "current": YES_NO, "from": TEXT, "only": TEXT, "without": LIST}, example={"failed": True}
        ),
        keyed=TOGETHER,
        answers={202: STARTED},
        problems=(409,),
    )
    def post(self, id: int) -> Any:
        """Start all of it, or what failed or never ran, or a part of it; as it was, or as its plans are now."""
        run = self.find_run(id)
        self.caller.insist_on_rights(*needed_to_start(run), of=run)
        manifest = self._as_its_plans_are_now(run) if self.body.get("current") else None
        started = restart_run(
            run,
            only_failed=bool(self.body.get("failed")),
            part=self._part(),
            manifest=manifest,
            started_by=self.caller.by,
            person=self.caller.person,
            now=self.now,
        )
        return started_document(started)

    def _part(self) -> RunPart:
        """Return what of the run is wanted; a problem for two answers to one question."""
        asked = [name for name in ("failed", "from", "only") if self.body.get(name)]
        if len(asked) > 1:
            raise invalid({asked[1]: [say("Choose one of failed, from and only.")]})
        without = [str(name) for name in self.body.get("without") or ()]
        return RunPart(self.body.get("from") or "", self.body.get("only") or "", without)

    def _as_its_plans_are_now(self, run: Run) -> Manifest:
        if not run.plans:
            raise ApiProblem(409, say("Run {run} was made of no plan: leave out current.", run=run.pk))
        manifest = manifest_now(run)
        if self.caller.entity_ids is not None and not is_of(manifest, self.caller.entity_ids):
            self.caller.insist_on_all(say("Run {run}, as its plans are now,", run=run.pk))
        return manifest


def _on_step(summary: str, verb: Callable[..., None]) -> Callable[..., Any]:
    """Return what answers at an address that does something to one step of a live run."""

    @door(
        Scope.OPERATE,
        "scheduling.restart_run",
        summary=summary,
        body=Body({"task": TEXT}, required=["task"], example={"task": "branch"}),
        keyed=TOGETHER,
        answers={200: Answer(RUN_SCHEMA, RUN_EXAMPLE, "The run as it is now.")},
        problems=(409,),
    )
    def post(self: SchedulingResource, id: int) -> Any:
        """Do it to the step that the body names; return the run as it is then."""
        run, key = self.find_run(id), self.body["task"]
        task = run.tasks.select_related("run", "entity").filter(key=key).first()
        if task is None:
            raise UnknownStep(say("Run {run} has no step {key!r}.", run=run.pk, key=key))
        verb(task, by=self.caller.by, person=self.caller.person, now=self.now)
        return run_document(run)

    return post


class RetryStep(SchedulingResource):
    """Let a failed step start again."""

    post = _on_step(
        "Let a step of a live run that failed start again, or one that waits for its next attempt start now",
        intervene.retry_now,
    )


class SkipStep(SchedulingResource):
    """Leave a step out."""

    post = _on_step("Skip a step of a live run that waits or failed; what comes after it goes on", intervene.skip_step)


class CompleteStep(SchedulingResource):
    """Count a step as done."""

    post = _on_step("Mark a step of a live run that waits or failed as succeeded", intervene.complete_step)


class HoldStep(SchedulingResource):
    """Keep a step from starting."""

    post = _on_step("Hold a step of a live run that waits: no worker takes it until it is resumed", intervene.hold_step)


class ResumeStep(SchedulingResource):
    """Let a held step go on."""

    post = _on_step("Let a held step of a live run go on", intervene.let_step_go_on)


class RunOnlyStep(SchedulingResource):
    """Run one step now."""

    post = _on_step(
        "Run only a step of a live run that is not at work, whatever stands before it, also once more",
        intervene.run_only,
    )


class RunFromStep(SchedulingResource):
    """Run a step now, and all that comes after it."""

    post = _on_step(
        "Run a step of a live run as run-only does, and all that comes after it once more, in its order",
        intervene.run_from,
    )


def listed(run: Any, now: datetime) -> dict[str, Any]:
    """Return a run without its tasks, that was read with how many there are."""
    return told(run, run.steps_done, run.steps_total, now)


def told(run: Run, steps_done: int, steps_total: int, now: datetime) -> dict[str, Any]:
    """Return a run without its tasks, and so many of them."""
    return {
        "run": run.pk,
        "kind": run.kind,
        "status": run.status,
        "warnings": run.warnings,
        "steps_done": steps_done,
        "steps_total": steps_total,
        "title": run.title,
        "entity": run.entity.code if run.entity else None,
        "plans": run.plans,
        "parameters": run.parameters,
        "restart_of": run.restart_of_id,
        "made_good_by": run.made_good_by_id,
        "trigger_source": run.trigger_source,
        "started_by": run.started_by,
        "scheduled_for": instant(run.scheduled_for),
        **{name: instant(getattr(run, name)) for name in ("created_at", "started_at", "finished_at", "timed_out_at")},
        **run.attempts_document(),
        "expected_minutes": run.expected // timedelta(minutes=1) if run.expected else None,
        "deadline_at": instant(run.deadline_at),
        "is_late": late_since(run, now) is not None,
        "error": run.error,
    }
