"""Finds the jobs that steps name: plans refer to a job by its name, which outlives what the code declares."""

from collections.abc import Collection, Mapping
from difflib import get_close_matches

from scheduling.errors import InvalidArguments, InvalidManifest, InvalidPlan
from scheduling.jobs.discover import arguments_for, switched_off
from scheduling.models import Job, PlanStep
from scheduling.plans.parameters import references
from staging.wording import say


def jobs_named(names: Collection[str], known: Mapping[str, Job] | None = None) -> dict[str, Job]:
    """Return the jobs of these names; raises InvalidPlan for one that is not declared, with the likely name.

    `known` is what `known_jobs` answered, when it was asked before.
    """
    if not names:
        return {}
    known = known_jobs() if known is None else known
    for name in sorted(names):
        if name not in known:
            raise InvalidPlan({"steps": [no_job(name, known)]})
    return {name: known[name] for name in names}


def known_jobs() -> dict[str, Job]:
    """Return every job that code declares, by name."""
    return {job.name: job for job in Job.objects.filter(removed_at__isnull=True)}


def job_step_errors(step: PlanStep, known: Mapping[str, Job]) -> dict[str, list[str]]:
    """Return the faults of what a step says of its job, by field: that there is one, and that it takes these values."""
    job = known.get(step.job_name)
    if job is None:
        return {"job_name": [no_job(step.job_name, known)]}
    later = [name for name, value in step.arguments.items() if references(value)]
    try:
        arguments_for(job, step.arguments, later=later)
    except InvalidArguments as error:
        return {"arguments": [text for texts in error.errors.values() for text in texts]}
    except InvalidManifest as error:
        return {"arguments": [str(error)]}
    return {}


def no_job(name: str, known: Collection[str]) -> str:
    """Return the sentence that refuses an unknown job."""
    if off := switched_off(name):
        return off
    likely = get_close_matches(name, list(known), n=1)
    if likely:
        return say("There is no job {name!r}; did you mean {likely!r}?", name=name, likely=likely[0])
    return say("There is no job {name!r} declared in code.", name=name)
