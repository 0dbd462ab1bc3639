"""Backfills: slots of a plan, or of a schedule of a job, that run after the event; foreseen, begun, read, cancelled."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet

from scheduling.api.base import SchedulingResource
from scheduling.api.jobs import OfJobs
from scheduling.api.plans import OfPlans, is_of
from scheduling.api.processing import instant_of
from scheduling.errors import InvalidArguments, NothingToCancel
from scheduling.models import Backfill, RunSchedule
from scheduling.plans.compile import compile_plans
from scheduling.runs.backfill import backfill_document, listed_backfill, start_backfill
from scheduling.runs.cancel import cancel_backfill
from scheduling.runs.foresee import Range, foresee
from scheduling.states import RunStatus, SlotFate
from staging.api.kit.doors import APART, TOGETHER, Answer, Body, answer, door
from staging.api.kit.listing import page_example, page_schema, paged
from staging.api.kit.parameters import PAGED
from staging.api.kit.problems import invalid
from staging.model_files.shape import TEXT, WHOLE, YES_NO
from staging.pages import row_or_404
from staging.states import Scope
from staging.wording import say

_TEXT, _COUNT, _YES_NO = {"type": "string"}, {"type": "integer"}, {"type": "boolean"}
_NUMBER = {"type": ["integer", "null"]}
_INSTANT = {"type": "string", "format": "date-time"}
_MAYBE = {"type": ["string", "null"], "format": "date-time"}
_RANGE = {"what": _TEXT, "schedule": _TEXT, "from": _INSTANT, "until": _INSTANT, "side_by_side": _NUMBER}
_LISTED: dict[str, Any] = {
    "type": "object",
    "required": ["backfill", "what", "status", "slots_done", "slots_total"],
    "properties": {
        "backfill": _COUNT,
        **_RANGE,
        "stop_on_failure": _YES_NO,
        "again": _YES_NO,
        "status": {"type": "string", "enum": [*RunStatus.values]},
        "slots_done": _COUNT,
        "slots_total": _COUNT,
        "started_by": _TEXT,
        "created_at": _INSTANT,
        "finished_at": _MAYBE,
        "error": _TEXT,
    },
}
_SLOT = {
    "type": "object",
    "required": ["slot", "run", "status"],
    "properties": {
        "slot": _INSTANT,
        "previous_slot": _MAYBE,
        "run": _NUMBER,
        "status": {"type": ["string", "null"], "description": "That of its run; null while it has none."},
        "left_out": {"type": "boolean", "description": "It had that run before its turn came."},
    },
}
_BACKFILL = {**_LISTED, "properties": {**_LISTED["properties"], "slots": {"type": "array", "items": _SLOT}}}
_FORESEEN = {
    "type": "object",
    "required": ["what", "will_run", "slots", "most", "more_from"],
    "properties": {
        **_RANGE,
        "will_run": _COUNT,
        "slots": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["slot", "state"],
                "properties": {
                    "slot": _INSTANT,
                    "previous_slot": _MAYBE,
                    "state": {"type": "string", "enum": [*SlotFate.values]},
                    "run": _NUMBER,
                },
            },
        },
        "most": {"type": "integer", "description": "The most slots that one backfill runs."},
        "more_from": {**_MAYBE, "description": "The first slot beyond them; null when all are in."},
    },
}
_LISTED_EXAMPLE = {
    "backfill": 3,
    "what": "plan Nightly",
    "schedule": "",
    "from": "2026-03-01T00:00:00+00:00",
    "until": "2026-03-15T00:00:00+00:00",
    "side_by_side": None,
    "stop_on_failure": True,
    "again": False,
    "status": "running",
    "slots_done": 3,
    "slots_total": 14,
    "started_by": "anna",
    "created_at": "2026-03-16T08:00:00+00:00",
    "finished_at": None,
    "error": "",
}
_STARTED = Answer(_BACKFILL, {**_LISTED_EXAMPLE, "slots": []}, "The backfill that was begun; workers execute its runs.")
_AS_FORESEEN = Answer(_FORESEEN, None, "With `dry_run`: the slots of the range, and what would become of each.")
_KEYS = {
    "from": TEXT,
    "until": TEXT,
    "side_by_side": WHOLE,
    "stop_on_failure": YES_NO,
    "again": YES_NO,
    "dry_run": YES_NO,
}
_INSTANTS = {"from": _INSTANT, "until": _INSTANT}
_EXAMPLE = {"from": "2026-03-01T00:00:00Z", "until": "2026-03-15T00:00:00Z", "dry_run": True}


class _Begins(SchedulingResource):
    """What addresses that begin backfills do alike."""

    def begin(self, schedule: RunSchedule) -> Any:
        """Begin a backfill of the range in the body, or only say what it would do."""
        wanted = self._range()
        try:
            if self.body.get("dry_run"):
                return foresee(schedule, wanted, self.now).as_json()
            by, person = self.caller.by, self.caller.person
            begun = start_backfill(schedule, wanted, started_by=by, person=person, now=self.now)
        except InvalidArguments as error:
            raise invalid(error.errors) from None
        return backfill_document(begun), 202

    def _range(self) -> Range:
        since, until = (instant_of(self.body, name) for name in ("from", "until"))
        if missing := [name for name, at in (("from", since), ("until", until)) if at is None]:
            raise invalid({name: [say("This is required.")] for name in missing})
        stops = self.body.get("stop_on_failure")
        return Range(
            since,
            until,
            side_by_side=self.body.get("side_by_side"),
            stops_on_failure=stops is None or bool(stops),
            repeats=bool(self.body.get("again")),
        )


class BackfillPlan(OfPlans, _Begins):
    """Let slots of a plan run after the event."""

    @door(
        Scope.OPERATE,
        "scheduling.run_plan",
        summary="Let the slots that a plan had in a range run after the event, or only say which they are",
        body=Body(_KEYS, ("from", "until"), _EXAMPLE, _INSTANTS),
        keyed=TOGETHER,
        answers={200: _AS_FORESEEN, 202: _STARTED},
        problems=(409,),
    )
    def post(self, name: str) -> Any:
        """Begin, with the right for everything in the plan."""
        plan = self.find_plan(name)
        if self.caller.entity_ids is not None and not is_of(compile_plans([plan.name]).tasks, self.caller.entity_ids):
            self.caller.insist_on_all(say("Plan {name!r}", name=plan.name))
        return self.begin(plan)


class BackfillJob(OfJobs, _Begins):
    """Let slots of a job run after the event."""

    @door(
        Scope.OPERATE,
        "scheduling.run_job",
        summary="Let the slots that a schedule of a job had in a range run after the event, or only say which they are",
        body=Body({"schedule": TEXT, **_KEYS}, ("from", "until"), _EXAMPLE, _INSTANTS),
        keyed=TOGETHER,
        answers={200: _AS_FORESEEN, 202: _STARTED},
        problems=(409,),
    )
    def post(self, name: str) -> Any:
        """Begin; a job with several schedules needs the name of one."""
        job, wanted = self.find_job(name), self.body.get("schedule")
        known = {each.name: each for each in job.schedules.all() if each.removed_at is None}
        if not known or (wanted and wanted not in known) or (not wanted and len(known) > 1):
            names = ", ".join(sorted(known)) or say("none")
            raise invalid({"schedule": [say("Name one of its schedules: {names}.", names=names)]})
        schedule = known[wanted] if wanted else next(iter(known.values()))
        schedule.job = job
        return self.begin(schedule)


class _OfBackfills(SchedulingResource):
    """What all addresses of backfills do alike."""

    def backfills(self) -> QuerySet[Backfill]:
        """Return the backfills that the caller may see."""
        return self.caller.only(Backfill.objects.with_progress().select_related("plan", "job_schedule__job"))

    def find_backfill(self, number: int) -> Backfill:
        """Return a backfill; a 404 when there is none, a 403 when it works on more than the caller's entities."""
        missing = say("There is no backfill {number}.", number=number)
        found = row_or_404(Backfill.objects.select_related("plan", "job_schedule__job"), number, missing)
        self.caller.insist_on_thing(found, say("Backfill {number}", number=number))
        return found


class Backfills(_OfBackfills):
    """The backfills that the caller may see."""

    @door(
        Scope.READ,
        "scheduling.view_run",
        summary="List backfills, newest first",
        query=PAGED,
        answers={200: answer(page_schema(_LISTED), page_example(_LISTED_EXAMPLE), "A page of backfills.")},
    )
    def get(self) -> Any:
        """Return a page of them."""
        return paged(self, self.backfills(), listed_backfill, order=["-id"])


class OneBackfill(_OfBackfills):
    """One backfill."""

    @door(
        Scope.READ,
        "scheduling.view_run",
        summary="Read a backfill with its slots",
        answers={200: Answer(_BACKFILL, {**_LISTED_EXAMPLE, "slots": []}, "The backfill.")},
    )
    def get(self, id: int) -> Any:
        """Return it."""
        return backfill_document(self.find_backfill(id))


class CancelBackfill(_OfBackfills):
    """Stop a backfill."""

    @door(
        Scope.OPERATE,
        "scheduling.cancel_run",
        summary="Cancel a backfill: what is still to come does not run, and what runs of it is cancelled",
        keyed=APART,  # run by run: held together, they and the end of a batch could wait for one another
        answers={200: Answer(_BACKFILL, {**_LISTED_EXAMPLE, "slots": []}, "The backfill as it is now.")},
        problems=(409,),
    )
    def post(self, id: int) -> Any:
        """Cancel it."""
        found = self.find_backfill(id)
        if not cancel_backfill(found, by=self.caller.by, now=self.now):
            text = say("Backfill {number} has ended: there is nothing to cancel.", number=found.pk)
            raise NothingToCancel(text)
        return backfill_document(found)
