"""What a fire of an entity, of plans and of a job is: the one place where each kind says what its start consists of."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from scheduling.dag.manifest import Manifest, ManifestTask
from scheduling.errors import InvalidPlan
from scheduling.models import Job, JobSchedule, Plan, SchedulerConfiguration
from scheduling.plans.compile import compile_each
from scheduling.runs.fire import Cause, Fire, Subject
from scheduling.states import RunKind, ScheduleType


def batch_fire(
    configuration: SchedulerConfiguration, cause: Cause, message: str, opening: Mapping[str, Any] | None = None
) -> Fire:
    """Return the fire of an entity: a run of one task, and its batch; `opening` says what is unusual about that."""
    entity = configuration.entity
    manifest = (ManifestTask(entity.code, RunKind.BATCH, entity.pk, arguments=dict(opening or {})),)
    subject = Subject(RunKind.BATCH, entity_id=entity.pk, schedules=[configuration])
    return Fire(subject, manifest, cause, message)


def plan_fire(plans: Sequence[Plan], manifest: Manifest, cause: Cause, message: str) -> Fire:
    """Return the fire of one or several plans as one run."""
    names = [plan.name for plan in plans]
    return Fire(Subject(RunKind.PLAN, plan_title(names), plans=names, schedules=plans), manifest, cause, message)


def plan_title(names: Sequence[str]) -> str:
    """Return what a run of these plans is called."""
    return f"Plan {names[0]}" if len(names) == 1 else f"Plans {', '.join(names)}"


def job_fire(job: Job, cause: Cause, message: str, schedule: JobSchedule | None = None) -> Fire:
    """Return the fire of a job: a run of one task; `schedule` is what started it, None when a person did."""
    task = ManifestTask(
        key=f"job {job.name}",
        workload=RunKind.JOB,
        target_id=job.pk,
        queue=job.queue_name,
        priority=job.priority,
        attempts=job.attempts,
        retry_interval_seconds=job.retry_interval_seconds,
        retry_backoff=job.retry_backoff,
        timeout_seconds=job.timeout_seconds,
    )
    subject = Subject(RunKind.JOB, job.name, schedules=[] if schedule is None else [schedule], job=job)
    return Fire(subject, (task,), cause, message)


# What the scheduler fires: one function for each kind of schedule, from the schedules of a cycle and why each fires.
# An answer is a fire, or why there can be none.
Answers = list[Fire | Exception]


def scheduled_batches(found: Sequence[tuple[SchedulerConfiguration, Cause]]) -> Answers:
    """Return the fires of entities; the log says how many rows were waiting."""
    return [
        replace(
            batch_fire(configuration, cause, f"Batch started. {cause.reason}"),
            event={"rows_queued": cause.rows_queued, "details": dict(cause.details)},
        )
        for configuration, cause in found
    ]


def scheduled_plans(found: Sequence[tuple[Plan, Cause]]) -> Answers:
    """Return the fires of plans, a run for each; InvalidPlan for one that cannot run as it stands.

    Raises UnknownPlan when one was deleted since it was read.
    """
    manifests = compile_each([plan.name for plan, _ in found])
    return [_scheduled_plan(plan, manifests[plan.name], cause) for plan, cause in found]


def _scheduled_plan(plan: Plan, manifest: Manifest | InvalidPlan, cause: Cause) -> Fire | InvalidPlan:
    if isinstance(manifest, InvalidPlan):
        return manifest
    fire = plan_fire([plan], manifest, cause, f"Plan started. {cause.reason}")
    return replace(fire, event={"details": dict(cause.details)})


def scheduled_jobs(found: Sequence[tuple[JobSchedule, Cause]]) -> Answers:
    """Return the fires of schedules of jobs; one of a single moment switches itself off with its fire."""
    fires: Answers = []
    for schedule, cause in found:
        once = {"is_enabled": False} if schedule.schedule_type == ScheduleType.ONCE else {}
        source = f"{cause.trigger_source} {schedule.name}"
        own = replace(cause, trigger_source=source, slots={**cause.slots, **once})
        fire = job_fire(schedule.job, own, f"Job {schedule.job.name} started. {cause.reason}", schedule)
        fires.append(replace(fire, event={"details": dict(cause.details)}))
    return fires
