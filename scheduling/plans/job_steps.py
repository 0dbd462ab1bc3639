"""Finds the jobs that steps name: plans refer to a job by its name, which outlives what the code declares."""

from collections.abc import Collection, Mapping
from difflib import get_close_matches

from scheduling.errors import InvalidPlan
from scheduling.models import Job
from staging.wording import say


def job_ids(names: Collection[str], known: Mapping[str, int] | None = None) -> dict[str, int]:
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


def known_jobs() -> dict[str, int]:
    """Return every job that code declares, by name."""
    return dict(Job.objects.filter(removed_at__isnull=True).values_list("name", "pk"))


def no_job(name: str, known: Collection[str]) -> str:
    """Return the sentence that refuses an unknown job."""
    likely = get_close_matches(name, list(known), n=1)
    if likely:
        return say("There is no job {name!r}; did you mean {likely!r}?", name=name, likely=likely[0])
    return say("There is no job {name!r} declared in code.", name=name)
