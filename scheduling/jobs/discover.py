"""Finds what code declares: imports `jobs.py` of every installed app, and reports what cannot be declared."""

from __future__ import annotations

import json
import logging
from collections.abc import Collection, Container, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

from django.apps import apps
from django.conf import settings
from django.utils.module_loading import module_has_submodule

from scheduling.errors import InvalidManifest
from scheduling.jobs.arguments import checked, parameters_of
from scheduling.jobs.declared import DeclaredJob, DeclaredSchedule, Draft, Function, Undeclarable, collecting, drafts
from scheduling.models import Job
from staging.wording import say

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class SwitchedJob:
    """A job of ours that is there only while a setting allows something of it; it is alone in its module."""

    module: str
    name: str
    setting: str

    @property
    def is_on(self) -> bool:
        """Return whether the setting allows anything."""
        return bool(getattr(settings, self.setting))


SWITCHED = (
    SwitchedJob("scheduling.errands.http_request", "HTTP request", "HTTP_STEPS"),
    SwitchedJob("scheduling.errands.command", "Command", "COMMAND_STEPS"),
)
# Our own jobs. `scheduling.jobs` is this room and not a module of jobs, so theirs are named here.
OWN = ("scheduling.housekeeping.jobs", *(each.module for each in SWITCHED))


@dataclass(frozen=True)
class Found:
    """The jobs of the code, and what is wrong with the others."""

    jobs: tuple[DeclaredJob, ...]
    broken: tuple[Undeclarable, ...] = ()


def discover(also: Iterable[str] = ()) -> Found:
    """Import the modules that declare jobs and return what they declare; never raises for a fault in one of them.

    Modules of installed apps that jobs in the database come from are imported too, so that what was declared elsewhere
    than in a `jobs.py` stays known.
    """
    return _discover((*_of_apps(), *OWN, *also, *_of_stored_jobs()))


def discover_in_code() -> Found:
    """Return what `jobs.py` of the installed apps declare, without asking the database; never raises."""
    return _discover((*_of_apps(), *OWN), with_traceback=False)


def _discover(names: Iterable[str], *, with_traceback: bool = True) -> Found:
    off = {each.module for each in SWITCHED if not each.is_on}
    modules = dict.fromkeys(name for name in names if name not in off)
    broken = [fault for module in modules if (fault := _import(module, with_traceback=with_traceback)) is not None]
    lost = {fault.path for fault in broken}
    ours = (draft for draft in drafts() if _counts(draft.function.__module__, modules))
    jobs, undeclarable = finished(draft for draft in ours if draft.function.__module__ not in lost)
    return Found(tuple(jobs), (*broken, *undeclarable))


def switched_off(job: str) -> str:
    """Return in a sentence that this job, named or by the path of its function, is off; empty for every other job."""
    for each in SWITCHED:
        if not each.is_on and (job == each.name or job.startswith(f"{each.module}.")):
            return say(
                "The job {job!r} is switched off: the setting {setting} allows nothing.",
                job=each.name,
                setting=each.setting,
            )
    return ""


def function_of(path: str) -> Function | None:
    """Return the function that a job's path names, None when the code does not declare it any more.

    Only what carries one of our decorators is returned, whatever the path says.
    """
    module = path.rpartition(".")[0]
    if (fault := _import(module)) is not None:
        raise ImportError(str(fault))
    found: Draft | None = next((draft for draft in drafts() if draft.path == path), None)
    return None if found is None else found.function


def arguments_for(job: Job, arguments: Mapping[str, Any], *, later: Collection[str] = ()) -> dict[str, Any]:
    """Return arguments of a job as they are stored; of those in `later` the value is not known yet.

    Raises InvalidArguments, and InvalidManifest without its code.
    """
    function = None
    with suppress(ImportError):  # which was logged
        function = function_of(job.path)
    if function is not None:
        return checked(function, arguments, later=later)
    if arguments:
        raise InvalidManifest(say("The code of {job} is not here, so nothing can be given to it.", job=job.name))
    return {}


def _counts(module: str, modules: Container[str]) -> bool:
    """Return whether what this module declares is in force: it was asked for, or a `jobs.py` of its app imported it."""
    if module in modules:
        return True
    app = apps.get_containing_app_config(module)
    return app is not None and app.name != "scheduling"  # the demo's jobs are there only when the demo is


def _of_apps() -> list[str]:
    return [f"{app.name}.jobs" for app in apps.get_app_configs() if module_has_submodule(app.module, "jobs")]


def _of_stored_jobs() -> list[str]:
    paths = Job.objects.filter(removed_at__isnull=True).order_by("path").values_list("path", flat=True)
    modules = dict.fromkeys(path.rpartition(".")[0] for path in paths)
    return [module for module in modules if apps.get_containing_app_config(module) is not None]


def _import(module: str, *, with_traceback: bool = True) -> Undeclarable | None:
    """Import a module; return what is wrong with it, and log it. One that is not there any more is no fault."""
    try:
        with collecting():
            import_module(module)
    except Exception as error:
        missing = error.name if isinstance(error, ModuleNotFoundError) else None
        if missing is not None and (module == missing or module.startswith(f"{missing}.")):
            return None
        if with_traceback:
            logger.exception("the jobs of %s cannot be imported", module, extra={"event": "job_broken"})
        text = " ".join(f"{type(error).__name__}: {error}".split())
        return Undeclarable("", module, module, (say("The module cannot be imported: {text}", text=text),))
    return None


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
            fault = say(
                "The job {source} has the name {name!r} too; name one of them otherwise.",
                source=first.source,
                name=first.name,
            )
            made = Undeclarable(made.name, made.path, made.source, (fault,))
        if isinstance(made, DeclaredJob):
            jobs[made.name.lower()] = made
        else:
            broken.append(made)
    return list(jobs.values()), broken


def job_name(draft: Draft) -> str:
    """Return the name `@job` gave, else the function's in words: "Nightly maintenance"."""
    return draft.name or draft.function.__name__.strip("_").replace("_", " ").capitalize()


def with_own_names(schedules: Iterable[DeclaredSchedule]) -> tuple[DeclaredSchedule, ...]:
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
    missing = [each.name for each in parameters_of(draft.function) if each.is_required]
    if missing and schedules:
        fault = say("A schedule gives no arguments; give {name} a default.", name=missing[0])
        return Undeclarable(job_name(draft), draft.path, draft.source, (fault,))
    return DeclaredJob(
        job_name(draft),
        draft.path,
        draft.source,
        draft.function,
        draft.settings,
        draft.retry,
        with_own_names(schedules),
    )


def _content(schedule: DeclaredSchedule) -> str:
    return json.dumps([schedule.name, schedule.columns, schedule.jitter_seconds], sort_keys=True, default=str)
