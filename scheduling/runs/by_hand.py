"""Starts what a person, a command or an approval asked for, outside its schedule and under the same guards."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

from scheduling.dag.manifest import Manifest
from scheduling.errors import EntityCancelled, InvalidManifest, UnknownPlan
from scheduling.models import Job, Plan, Run, SchedulerConfiguration, Task
from scheduling.plans.compile import compile_plans
from scheduling.runs.fire import Cause, batch_fire, job_fire, plan_fire, plan_title
from scheduling.runs.rights import Person
from scheduling.runs.start import start
from staging.models import Batch

_BY_HAND = "Manual"


@dataclass(frozen=True)
class StartedBatch:
    """A run of one batch, as it was created."""

    run: Run
    task: Task
    batch: Batch


def start_batch_now(
    configuration: SchedulerConfiguration,
    *,
    tag: str = "",
    started_by: str,
    trigger_source: str = _BY_HAND,
    message: str = "",
    opening: Mapping[str, Any] | None = None,
    restart_of: Run | None = None,
    now: datetime,
) -> StartedBatch:
    """Start a batch because a person asked, outside the schedule.

    `opening` says what is unusual about the batch; the task keeps it for a restart. `restart_of` is the run that this
    one repeats.

    Raises AlreadyRunning when a batch of this entity runs (manual starts obey the same guard), and EntityCancelled.
    """
    if configuration.entity.is_cancelled:
        raise EntityCancelled(f"{configuration.entity.name} is cancelled: nothing of it is processed.")
    cause = Cause(_key("configuration", configuration.pk), trigger_source[:200], started_by, now, restart_of=restart_of)
    opening = {**({"tag": tag} if tag else {}), **(opening or {})}
    started = start(batch_fire(configuration, cause, message or f"Batch started by {started_by}.", opening))
    return StartedBatch(started.run, started.tasks[0], cast(Batch, started.batch))


def start_plans_now(
    names: Sequence[str],
    *,
    started_by: str,
    manifest: Manifest | None = None,
    restart_of: Run | None = None,
    person: Person | None = None,
    now: datetime,
) -> Run:
    """Start one run of these plans because a person asked, outside their schedules; what they share runs once.

    `manifest` is what runs instead of the plans as they are, when this repeats the run `restart_of`. Raises
    UnknownPlan, InvalidPlan, NotAllowed when `person`, who asked, may not start something of it, and AlreadyRunning
    when one of them runs: manual starts obey the same guard.
    """
    names = list(dict.fromkeys(names))
    manifest = compile_plans(names) if manifest is None else manifest
    plans = _plans(names)
    again = f", again: run {restart_of.pk} {restart_of.status}" if restart_of else ""
    cause = Cause(_key("plan", plans[0].pk), _BY_HAND, started_by, now, restart_of=restart_of, person=person)
    return start(plan_fire(plans, manifest, cause, f"{plan_title(names)} started by {started_by}{again}.")).run


def start_job_now(job: Job, *, started_by: str, now: datetime) -> Run:
    """Start a job because a person asked, outside its schedules; none of their slots is used up by it.

    Raises AlreadyRunning while it runs (manual starts obey the same guard), and InvalidManifest when it cannot start.
    """
    if job.removed_at is not None:
        raise InvalidManifest(f"The code does not declare {job.name} any more.")
    cause = Cause(_key("job", job.pk), _BY_HAND, started_by, now)
    return start(job_fire(job, cause, f"Job {job.name} started by {started_by}.")).run


def _key(kind: str, pk: int) -> str:
    return f"{kind}:{pk}:manual:{uuid.uuid4()}"


def _plans(names: Sequence[str]) -> list[Plan]:
    """Return the plans of these names, in their order. Raises UnknownPlan: a plan of an earlier run may be gone."""
    found = {plan.name: plan for plan in Plan.objects.filter(name__in=names)}
    if gone := [name for name in names if name not in found]:
        raise UnknownPlan(f"There is no plan {gone[0]!r} any more; it may have another name now.")
    return [found[name] for name in names]
