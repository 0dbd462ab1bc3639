"""Makes jobs of drafts once their modules are imported: names, numbers for doubles, one job for each name."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace

from scheduling.jobs.declared import DeclaredJob, DeclaredSchedule, Draft, Undeclarable


def finished(drafts: Iterable[Draft]) -> tuple[list[DeclaredJob], list[Undeclarable]]:
    """Return the jobs that can be carried out, and those that cannot with their faults.

    Of two jobs with one name the first by path keeps it.
    """
    jobs: dict[str, DeclaredJob] = {}
    broken: list[Undeclarable] = []
    for draft in drafts:
        if draft.faults:
            broken.append(Undeclarable(job_name(draft), draft.path, draft.source, tuple(draft.faults)))
            continue
        made = _job(draft)
        if isinstance(made, DeclaredJob) and (first := jobs.get(made.name.lower())):
            fault = f"The job {first.source} has the name {first.name!r} too; name one of them otherwise."
            made = Undeclarable(made.name, made.path, made.source, (fault,))
        if isinstance(made, DeclaredJob):
            jobs[made.name.lower()] = made
        else:
            broken.append(made)
    return list(jobs.values()), broken


def job_name(draft: Draft) -> str:
    """Return the name `@job` gave, else the function's in words: "Nightly maintenance"."""
    return draft.name or draft.function.__name__.strip("_").replace("_", " ").capitalize()


def numbered(schedules: Iterable[DeclaredSchedule]) -> tuple[DeclaredSchedule, ...]:
    """Return the schedules with names of their own: doubles get _2, _3, by what they say and not by where they stand.

    So reordering decorators renames nothing, and what users set stays with the schedule they set it for.
    """
    found: dict[str, DeclaredSchedule] = {}
    for schedule in sorted(schedules, key=_content):
        name, number = schedule.name, 1
        while name.lower() in found:
            number += 1
            name = f"{schedule.name}_{number}"
        found[name.lower()] = replace(schedule, name=name)
    return tuple(sorted(found.values(), key=lambda schedule: schedule.name))


def _job(draft: Draft) -> DeclaredJob | Undeclarable:
    try:
        schedules = [make(draft.settings.timezone) for make in draft.schedules]
    except ValueError as error:
        return Undeclarable(job_name(draft), draft.path, draft.source, (str(error),))
    return DeclaredJob(
        job_name(draft),
        draft.path,
        draft.source,
        draft.function,
        draft.settings,
        draft.retry,
        numbered(schedules),
    )


def _content(schedule: DeclaredSchedule) -> str:
    return json.dumps([schedule.name, schedule.columns, schedule.jitter_seconds], sort_keys=True, default=str)
