"""Jobs, as code declares them: listed, read and run."""

from __future__ import annotations

from typing import Any

from django.http import Http404

from scheduling.api.base import STARTED, SchedulingResource, instant, started_document
from scheduling.errors import InvalidArguments, InvalidOptions
from scheduling.jobs.options import asked_for
from scheduling.models import Job, JobSchedule
from scheduling.runs.by_hand import start_job_now
from scheduling.schedules.sentence import describe
from scheduling.states import KeyOverlap
from staging.api.kit.doors import TOGETHER, Answer, Body, answer, door
from staging.api.kit.listing import page_example, page_schema, paged
from staging.api.kit.parameters import MINE, PAGED
from staging.api.kit.problems import invalid
from staging.model_files.owners import owner_document
from staging.model_files.shape import MAPPING
from staging.states import Scope
from staging.wording import say

_TEXT = {"type": "string"}
_INSTANT = {"type": ["string", "null"], "format": "date-time"}
_SCHEDULE = {
    "type": "object",
    "properties": {
        "name": _TEXT,
        "schedule": _TEXT,
        "is_enabled": {"type": "boolean"},
        "next_scheduled_run": _INSTANT,
        "paused": {"type": "boolean"},
    },
}
_JOB = {
    "type": "object",
    "required": ["name", "function", "schedules"],
    "properties": {
        "name": _TEXT,
        "function": _TEXT,
        "category": _TEXT,
        "description": _TEXT,
        "owner": {"type": ["string", "null"]},
        "owner_group": {"type": ["string", "null"]},
        "queue": _TEXT,
        "priority": {"type": "integer"},
        "attempts": {"type": "integer"},
        "is_declared": {"type": "boolean"},
        "problem": _TEXT,
        "paused": {"type": "boolean"},
        "schedules": {"type": "array", "items": _SCHEDULE},
    },
}
_ENQUEUE = {
    "type": ["object", "null"],
    "description": "Enqueue it, as code does: it works beside other runs of the job, when and where this says.",
    "properties": {
        "at": _INSTANT | {"description": "Not before this instant."},
        "after_seconds": {"type": ["integer", "null"], "description": "Not before so many seconds from now."},
        "key": {"type": ["string", "null"], "description": "Of the job only one of this key is queued or runs."},
        "overlap": {
            "type": ["string", "null"],
            "enum": [*KeyOverlap.values, None],
            "description": "What becomes of a second one of this key: skip when left out.",
        },
        "queue": {"type": ["string", "null"], "description": "Where it waits, instead of the job's own."},
        "priority": {"type": ["integer", "null"], "description": "Instead of the job's own."},
    },
    "additionalProperties": False,
}
_EXAMPLE = {
    "name": "Retention",
    "function": "scheduling.housekeeping.jobs.retention",
    "category": "Housekeeping",
    "description": "Deletes what is older than the retention policy.",
    "owner": None,
    "owner_group": "Operations",
    "queue": "default",
    "priority": 0,
    "attempts": 1,
    "is_declared": True,
    "problem": "",
    "paused": False,
    "schedules": [
        {
            "name": "By setting",
            "schedule": "At minute 17 of every hour, UTC",
            "is_enabled": True,
            "next_scheduled_run": "2026-03-01T06:17:00+00:00",
            "paused": False,
        }
    ],
}


class OfJobs(SchedulingResource):
    """What all addresses of jobs do alike: jobs belong to no entity."""

    def find_job(self, name: str) -> Job:
        """Return a job; a 403 for a token for entities, a 404 when there is none."""
        self.caller.insist_on_all(say("A job"))
        job = Job.objects.filter(name=name[:101]).prefetch_related("schedules__calendar").first()
        if job is None:
            raise Http404(say("There is no job named {name!r}.", name=name))
        return job


class Jobs(OfJobs):
    """All jobs."""

    @door(
        Scope.READ,
        "scheduling.view_job",
        summary="List jobs with their schedules",
        query=(MINE, *PAGED),
        answers={200: answer(page_schema(_JOB), page_example(_EXAMPLE), "A page of jobs.")},
    )
    def get(self) -> Any:
        """Return a page of them; a token for entities sees none."""
        jobs = Job.objects.select_related("owner", "owner_group").prefetch_related("schedules__calendar")
        return paged(self, self.listed(jobs), _document, order=["name"])


class OneJob(OfJobs):
    """One job."""

    @door(
        Scope.READ,
        "scheduling.view_job",
        summary="Read a job with its schedules",
        answers={200: Answer(_JOB, _EXAMPLE, "The job.")},
    )
    def get(self, name: str) -> Any:
        """Return it."""
        return _document(self.find_job(name))


class RunJob(OfJobs):
    """Start a job."""

    @door(
        Scope.OPERATE,
        "scheduling.run_job",
        summary="Start a job now, outside its schedules, with arguments when it takes some",
        body=Body({"arguments": MAPPING, "enqueue": MAPPING}, example={"arguments": {}}, parts={"enqueue": _ENQUEUE}),
        keyed=TOGETHER,
        answers={202: STARTED},
        problems=(409,),
    )
    def post(self, name: str) -> Any:
        """Start it, or enqueue it as code does."""
        job, given, how = self.find_job(name), self.body.get("arguments"), self.body.get("enqueue")
        try:
            options = None if how is None else asked_for(how)
            run = start_job_now(job, given, started_by=self.caller.by, options=options, now=self.now)
            return started_document(run)
        except InvalidOptions as error:
            raise invalid({f"enqueue.{option}": texts for option, texts in error.errors.items()}) from None
        except InvalidArguments as error:
            raise invalid({f"arguments.{argument}": texts for argument, texts in error.errors.items()}) from None


def _document(job: Job) -> dict[str, Any]:
    return {
        "name": job.name,
        "function": job.path,
        "category": job.category,
        "description": job.description,
        **owner_document(job),
        "queue": job.queue_name,
        "priority": job.priority,
        "attempts": job.attempts,
        "is_declared": job.removed_at is None,
        "problem": job.problem,
        "paused": job.paused_at is not None,
        "schedules": [_schedule(job, each) for each in job.schedules.all() if each.removed_at is None],
    }


def _schedule(job: Job, schedule: JobSchedule) -> dict[str, Any]:
    schedule.job = job
    return {
        "name": schedule.name,
        "schedule": describe(schedule),
        "is_enabled": schedule.is_enabled,
        "next_scheduled_run": instant(schedule.next_scheduled_run),
        "paused": schedule.paused_at is not None,
    }
