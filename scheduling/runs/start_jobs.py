"""Starts jobs: the run with its one task, the guard of the job and the log in one transaction."""

import uuid
from datetime import datetime
from typing import Any

from django.db import transaction

from scheduling import events
from scheduling.dag.manifest import Manifest, ManifestTask
from scheduling.errors import AlreadyRunning, FiredBefore, InvalidManifest
from scheduling.lifecycle.guard import take_guard
from scheduling.lifecycle.job_guard import hold_schedules, live_run_of, lock_job
from scheduling.models import Job, JobSchedule, Run
from scheduling.runs.fire import Fire
from scheduling.runs.start_run import start_run
from scheduling.states import EventType, RunKind, ScheduleType


class _FasterElsewhere(Exception):
    """Rolls the transaction back: somebody else fired, edited, paused or stopped it first."""


def fire_job(schedule: JobSchedule, fire: Fire) -> bool:
    """Start the job that the scheduler decided on; False when somebody was faster, which is a normal answer.

    A schedule of a single moment switches itself off with its fire. Raises InvalidManifest when its queue is unknown.
    """
    job = schedule.job
    slots: dict[str, Any] = dict(fire.slots)
    if schedule.schedule_type == ScheduleType.ONCE:
        slots["is_enabled"] = False
    try:
        with transaction.atomic():
            _claim(job, by_itself=True)
            event = {"message": f"Job {job.name} started. {fire.reason}", "details": dict(fire.details)}
            run = _start(job, f"{fire.trigger_source} {schedule.name}", "scheduler", fire.fire_key, event, fire)
            source, now = fire.trigger_source, fire.now
            if not take_guard(schedule, run=run, source=source, now=now, by_itself=True, slots=slots):
                raise _FasterElsewhere
            hold_schedules(job.pk, run, source=source, now=now)
    except (FiredBefore, _FasterElsewhere):
        return False
    except AlreadyRunning as running:  # in a plan, or begun by a person since the decision
        if Run.objects.filter(fire_key=fire.fire_key).exists():  # another cycle has just fired this very slot
            return False
        events.record(EventType.SKIPPED, now=fire.now, **schedule.subject, message=str(running), details=_slot(fire))
        return False
    return True


def start_job_now(job: Job, *, started_by: str, now: datetime) -> Run:
    """Start a job because a person asked, outside its schedules; none of their slots is used up by it.

    Raises AlreadyRunning while it runs (manual starts obey the same guard), and InvalidManifest when it cannot start.
    """
    if job.removed_at is not None:
        raise InvalidManifest(f"The code does not declare {job.name} any more.")
    with transaction.atomic():
        _claim(job, by_itself=False)
        event = {"message": f"Job {job.name} started by {started_by}."}
        now_only = Fire(fire_key="", trigger_source="Manual", reason="", now=now)
        run = _start(job, "Manual", started_by, f"job:{job.pk}:manual:{uuid.uuid4()}", event, now_only)
        hold_schedules(job.pk, run, source="Manual", now=now)
    return run


def _claim(job: Job, *, by_itself: bool) -> None:
    """Lock the job; raise AlreadyRunning when it runs or is in line, and _FasterElsewhere when somebody paused it."""
    if not lock_job(job.pk, by_itself=by_itself):
        raise _FasterElsewhere
    if (run_id := live_run_of(job.pk)) is not None:
        raise AlreadyRunning(f"Job {job.name} is already running (run {run_id}).")


def _start(job: Job, source: str, started_by: str, fire_key: str, event: dict[str, Any], fire: Fire) -> Run:
    return start_run(
        _manifest(job),
        kind=RunKind.JOB,
        title=job.name,
        trigger_source=source,
        started_by=started_by,
        fire_key=fire_key,
        scheduled_for=fire.slot,
        event={"job_id": job.pk, **event},
        now=fire.now,
    )


def _manifest(job: Job) -> Manifest:
    return (
        ManifestTask(
            key=f"job {job.name}",
            workload=RunKind.JOB,
            target_id=job.pk,
            queue=job.queue_name,
            priority=job.priority,
            attempts=job.attempts,
            retry_interval_seconds=job.retry_interval_seconds,
            retry_backoff=job.retry_backoff,
            timeout_seconds=job.timeout_seconds,
        ),
    )


def _slot(fire: Fire) -> dict[str, Any]:
    return {"slot": fire.slot.isoformat()} if fire.slot else {}
