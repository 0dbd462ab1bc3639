"""Steps that run once for each item of a list: what a plan may say of one, the task that comes of it, and its items."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from scheduling import conf
from scheduling.dag.conditions import value_at
from scheduling.dag.manifest import ManifestTask
from scheduling.models import Job, PlanStep
from scheduling.plans.parameters import ITEM, LIST, SAMPLES, bound, job_step_errors, references
from scheduling.plans.scripts import argument_errors
from scheduling.plans.waits import LOOKS_LOST
from scheduling.states import RunKind
from staging.wording import say

EACH_COLUMNS = ("for_each", "for_each_result", "for_each_query", "side_by_side")
_ITEM = re.compile(rf"\{{\{{\s*{ITEM}((?:\.[\w-]+)*)\s*\}}\}}")

Errors = dict[str, list[str]]


def item_key(step: str, number: int) -> str:
    """Return what people call an item: "job Load (region={{item}}) [3]"."""
    return f"{step} [{number}]"


def with_item(value: Any, item: Any) -> Any:
    """Return arguments with the item where they name it: {{item}}, or {{item.code}} of one that has parts."""
    if isinstance(value, str) and (found := _ITEM.fullmatch(value)):
        return value_at(item, found.group(1).removeprefix("."))
    if isinstance(value, Mapping):
        return {name: with_item(each, item) for name, each in value.items()}
    return [with_item(each, item) for each in value] if isinstance(value, list) else value


def names_item(value: Any) -> bool:
    """Return whether arguments name the item, however deep."""
    if isinstance(value, str):
        return bool(_ITEM.fullmatch(value))
    parts = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    return any(names_item(each) for each in parts)


def map_task(step: PlanStep, work: ManifestTask) -> ManifestTask:
    """Return a step that runs for each item as a task: it decides the items; each is the work of the step.

    Of the work it takes what belongs to the step: its place, its queue, its conditions.
    """
    told = {
        "workload": work.workload,
        "target_id": work.target_id,
        "attempts": max(work.attempts, 1),
        "retry_interval_seconds": work.retry_interval_seconds,
        "retry_backoff": work.retry_backoff,
        "retry_on": list(work.retry_on),
        "timeout_seconds": work.timeout_seconds,
        "arguments": dict(work.arguments),
    }
    usual = ManifestTask("", "", None)
    return replace(
        work,
        workload=str(RunKind.MAP),
        target_id=step.pk,
        attempts=LOOKS_LOST,
        retry_interval_seconds=usual.retry_interval_seconds,
        retry_backoff=False,
        retry_on=(),
        timeout_seconds=None,
        arguments={**_source(step), "side_by_side": step.side_by_side, "work": told},
    )


def _source(step: PlanStep) -> dict[str, Any]:
    """Return where the items come from; parameters of the run are put in when it starts."""
    if step.for_each_query is not None:
        names = step.for_each_query.parameters
        return {"query": step.for_each_query_id, "values": {name: "{{" + name + "}}" for name in names}}
    if step.for_each_result is not None:
        return {"result": dict(step.for_each_result)}
    return {"list": step.for_each}


def each_errors(step: PlanStep, jobs: Mapping[str, Job], values: Mapping[str, Any] | None) -> Errors:
    """Return what is wrong with what a step says of items, by field; `values`: a sample for each parameter."""
    if not step.has_items:
        alone = say("Only what runs for each item runs side by side; say for each item of what.")
        return {} if step.side_by_side is None else {"side_by_side": [alone]}
    sources = [name for name in EACH_COLUMNS[:3] if getattr(step, name) is not None]
    if len(sources) > 1:
        return {sources[1]: [say("Items come of one list; leave the others out.")]}
    if step.is_wait or not (step.job_name or step.script is not None):
        text = say("Only a job or a SQL script runs for each item; entities, plans and waits do not.")
        return {sources[0]: [text]}
    if values is not None and ITEM in values:
        return {sources[0]: [say("The plan has a parameter {name}, which means the item here; rename it.", name=ITEM)]}
    errors = _list_errors(step, values) | _query_errors(step, values)
    return errors or _argument_errors(step, jobs, values)


def _list_errors(step: PlanStep, values: Mapping[str, Any] | None) -> Errors:
    """Return what is wrong with a list that is written out, or with the parameter that is one."""
    told, most = step.for_each, conf.most_items()
    if told is None:
        return {}
    if isinstance(told, str):
        named = references(told)
        if not named:
            text = say("Write a list, one item in a line, or the parameter that is a list: {{{{regions}}}}.")
            return {"for_each": [text]}
        if values is not None and not all(isinstance(values.get(name), list) for name in named):
            text = say("{name} is no parameter of this plan of the type {kind}.", name=min(named), kind=LIST)
            return {"for_each": [text]}
        return {}
    if not isinstance(told, list):
        return {"for_each": [say("Write a list.")]}
    if len(told) > most:
        return {"for_each": [say("A step runs for at most {most:,} items.", most=most)]}
    return {}


def _query_errors(step: PlanStep, values: Mapping[str, Any] | None) -> Errors:
    """Return what is wrong with the query: what it is given are parameters of the run that are called the same."""
    script = step.for_each_query
    if script is None or values is None:
        return {}
    known = {name: values[name] for name in script.parameters if name in values}
    if faults := argument_errors(script, known):
        text = say("{fault} A query is given the parameters of the run that are called so.", fault=faults[0])
        return {"for_each_query": [text]}
    return {}


def _argument_errors(step: PlanStep, jobs: Mapping[str, Job], values: Mapping[str, Any] | None) -> Errors:
    """Return what is wrong with the values of a step, for each item that is written out.

    Of other lists nobody knows the types of the items yet: what some type would fit is fine.
    """
    if isinstance(step.for_each, list) and step.for_each:
        given = [with_item(step.arguments, item) for item in step.for_each]
        return next((faults for faults in _faults_of(step, given, jobs, values) if faults), {})
    given = [
        {name: item if names_item(value) else value for name, value in step.arguments.items()}
        for item in (*SAMPLES.values(), {})
    ]
    found = list(_faults_of(step, given, jobs, values))
    return found[0] if all(found) else {}


def _faults_of(
    step: PlanStep, arguments: list[dict[str, Any]], jobs: Mapping[str, Job], values: Mapping[str, Any] | None
) -> Iterator[Errors]:
    """Yield the faults of each of these as the values of a step."""
    for given in arguments:
        if step.script is not None:
            faults = [] if values is None else argument_errors(step.script, bound(given, values))
            yield {"arguments": faults} if faults else {}
        else:
            yield job_step_errors(PlanStep(job_name=step.job_name, arguments=given), jobs)
