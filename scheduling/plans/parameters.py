"""What runs of plans and their jobs are given: parameters, checked when a run starts, and put where steps name them.

A step names one as a whole value of its arguments, written {{name}}. Two are there without being declared: the slot of
the run, and that of the run before it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from scheduling.errors import InvalidArguments, InvalidManifest, InvalidPlan
from scheduling.jobs.discover import arguments_for, switched_off
from scheduling.models import Job, PlanStep
from scheduling.plans.scripts import declaration_faults, value_faults
from staging.wording import say

# The planned time of the run, or of its start when people began it; and that of the last run before that completed.
SLOT, PREVIOUS_SLOT = "slot", "previous_slot"
GIVEN_BY_THE_RUN = (SLOT, PREVIOUS_SLOT)
# What a step that runs for each item is given, in its arguments; and the type of a parameter that is a list of items.
ITEM, LIST = "item", "list"
# A value of each type, to ask whether arguments take one.
SAMPLES: dict[str, Any] = {"text": "", "integer": 0, "number": 0.5, "boolean": False, LIST: []}
_OF_LISTS = {LIST: (list,)}

_REFERENCE = re.compile(r"\{\{\s*([a-z][a-z0-9_]*)\s*\}\}", re.ASCII)


@dataclass(frozen=True)
class PlanParameter:
    """What a run may be given: `kind` is a type of scripts, or a list; `default` counts when nothing is given."""

    name: str
    kind: str
    has_default: bool = False
    default: Any = None


def declared(stored: Mapping[str, Any]) -> dict[str, PlanParameter]:
    """Return the parameters of a plan, whose declaration was checked, by name."""
    return {name: _parameter(name, wanted) for name, wanted in stored.items()}


def declaration_errors(stored: Any, *, runs_by_itself: bool) -> list[str]:
    """Return what is wrong with the declaration of parameters; nothing gives them when the plan runs by itself."""
    if not isinstance(stored, Mapping):
        return [say('Write the parameters like {{"day": "text"}}, or {{"day": {{"type": "text", "default": "x"}}}}.')]
    faults = [text for name, wanted in stored.items() for text in _faults(str(name), wanted)]
    return faults or (without_default(declared(stored)) if runs_by_itself else [])


def without_default(parameters: Mapping[str, PlanParameter]) -> list[str]:
    """Return what a plan lacks that runs by itself: nobody gives its runs what has no default."""
    lacking = [each.name for each in parameters.values() if not each.has_default]
    return [say("The plan runs by itself: {name} needs a default.", name=name) for name in lacking]


def references(value: Any) -> set[str]:
    """Return the names of the parameters that arguments name, however deep."""
    if isinstance(value, str):
        found = _REFERENCE.fullmatch(value)
        return {found.group(1)} if found else set()
    items = value.values() if isinstance(value, Mapping) else value if isinstance(value, list | tuple) else ()
    return {name for item in items for name in references(item)}


def bound(value: Any, values: Mapping[str, Any]) -> Any:
    """Return arguments with each reference replaced by its value; one without a value stays."""
    if isinstance(value, str) and (found := _REFERENCE.fullmatch(value)):
        return values.get(found.group(1), value)
    if isinstance(value, Mapping):
        return {name: bound(item, values) for name, item in value.items()}
    return [bound(item, values) for item in value] if isinstance(value, list | tuple) else value


def samples(stored: Mapping[str, Any]) -> dict[str, Any]:
    """Return a value of the right type for each parameter of a plan, whose declaration was checked."""
    own = {name: SAMPLES[parameter.kind] for name, parameter in declared(stored).items()}
    return {**dict.fromkeys(GIVEN_BY_THE_RUN, SAMPLES["text"]), **own}


def of_plans(plans: Iterable[tuple[str, Mapping[str, Any]]]) -> dict[str, PlanParameter]:
    """Return the parameters of the plans of a run, given by name; one that several have is as the first says.

    Raises InvalidPlan when they take it to be of different types.
    """
    found: dict[str, tuple[str, PlanParameter]] = {}
    for plan, stored in plans:
        for name, parameter in declared(stored).items():
            other, first = found.setdefault(name, (plan, parameter))
            if first.kind != parameter.kind:
                text = say(
                    "{name} is a {kind} in plan {plan} and a {other_kind} in plan {other}.",
                    name=name, kind=parameter.kind, plan=plan, other_kind=first.kind, other=other,
                )  # fmt: skip
                raise InvalidPlan({"parameters": [text]})
    return {name: parameter for name, (_, parameter) in found.items()}


def values_of(parameters: Mapping[str, PlanParameter], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the value of each parameter of a run. Raises InvalidArguments, with every fault by its name."""
    errors: dict[str, list[str]] = {}
    names = ", ".join(parameters) or say("none")
    for name in sorted(given.keys() - parameters.keys()):
        errors[str(name)] = [say("There is no parameter {name!r}; it takes: {names}.", name=str(name), names=names)]
    values: dict[str, Any] = {}
    for name, parameter in parameters.items():
        value = values[name] = given.get(name, parameter.default)
        if name not in given and not parameter.has_default:
            errors[name] = [say("{name} is missing.", name=name)]
        elif faults := value_faults(name, parameter.kind, value, _OF_LISTS):
            errors[name] = faults
    if errors:
        raise InvalidArguments(errors)
    return values


def _parameter(name: str, wanted: Any) -> PlanParameter:
    if isinstance(wanted, str):
        return PlanParameter(name, wanted)
    return PlanParameter(name, wanted["type"], "default" in wanted, wanted.get("default"))


def _faults(name: str, wanted: Any) -> list[str]:
    """Return what is wrong with the declaration of one parameter."""
    if name in GIVEN_BY_THE_RUN:
        return [say("{name} is there by itself; choose another name.", name=name)]
    if isinstance(wanted, Mapping) and wanted.keys() - {"type", "default"}:
        return [say("{name} has a type and a default, and nothing else.", name=name)]
    kind: Any = wanted.get("type") if isinstance(wanted, Mapping) else wanted
    if faults := declaration_faults(name, kind, _OF_LISTS):
        return faults
    return value_faults(name, kind, _parameter(name, wanted).default, _OF_LISTS)


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
