"""Steps that wait: for a time, for rows, for a query. What a plan may say of them, and the task that comes of one."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext_noop

from scheduling.dag.manifest import ManifestTask
from scheduling.models import PlanStep
from scheduling.plans.outline import StepDefaults
from scheduling.plans.parameters import SLOT
from scheduling.schedules.deadlines import due_of, expected_of
from scheduling.states import RunIf, RunKind
from staging.wording import say

WAIT_COLUMNS = ("wait_until", "wait_days", "wait_minutes", "wait_rows", "wait_query", "wait_name")
# How often a look may be lost, with its worker or its connection, before the step fails.
LOOKS_LOST = 5
# A wait that failed is not tried again: another time-out says that it may take longer.
_OF_WORK = ("attempts", "retry_interval_seconds", "retry_backoff", "retry_on")
_NOT_TRIED_AGAIN = gettext_noop("A wait is not tried again; leave it as it is.")

Errors = dict[str, list[str]]


def wait_task(step: PlanStep, defaults: StepDefaults) -> ManifestTask:
    """Return a step that waits as a task. Its plan says its queue at most: tries and time-outs are those of work."""
    return ManifestTask(
        key=step.key,
        workload=str(RunKind.WAIT),
        target_id=None,
        queue=step.own_queue or defaults.queue or ManifestTask.queue,
        priority=step.priority,
        run_if=str(RunIf.ALWAYS if step.run_if == RunIf.FINALLY else step.run_if),
        continue_on_failure=step.continue_on_failure,
        attempts=LOOKS_LOST,
        timeout_seconds=step.timeout_seconds,
        arguments=_arguments(step, defaults),
        expected=expected_of(step),
        due=due_of(step, defaults.timezone),
    )


def _arguments(step: PlanStep, defaults: StepDefaults) -> dict[str, Any]:
    """Return what the task of a wait is given; the slot is that of the run, also in a restart."""
    if step.wait_until is not None:
        slot = "{{" + SLOT + "}}"
        return {"until": step.until_text, "days": step.wait_days, "zone": defaults.timezone, "slot": slot}
    if step.wait_minutes is not None:
        return {"minutes": step.wait_minutes}
    if step.wait_rows is not None:
        return {"rows": step.wait_rows, "entity": step.entity_id}
    return {"script": step.script_id, "arguments": dict(step.arguments)}


def wait_errors(step: PlanStep) -> Errors:
    """Return what is wrong with what a step says of a wait, by field; empty for a step that says nothing of one."""
    errors: Errors = {}
    if step.wait_until is not None and step.wait_minutes is not None:
        errors["wait_minutes"] = [say("It waits until a time of day, or so many minutes; leave one out.")]
    if step.wait_days and step.wait_until is None:
        errors["wait_days"] = [say("Days count from a time of day; say until when it waits.")]
    if step.wait_rows is not None and step.entity is None:
        errors["wait_rows"] = [say("Rows are those of an entity; choose one.")]
    if step.wait_query and step.script is None:
        errors["wait_query"] = [say("A query is that of a SQL script; choose one.")]
    if step.wait_name and not step.is_wait:
        errors["wait_name"] = [say("Only waits have a name of their own.")]
    elif step.wait_name.strip() != step.wait_name or not step.wait_name.isprintable():
        errors["wait_name"] = [say("Write the name on one line.")]
    return errors | (_of_work_errors(step) if step.is_wait else {})


def _of_work_errors(step: PlanStep) -> Errors:
    """Return what a wait says that only work can be told, and a time-out that leaves it no time."""
    usual = PlanStep()
    errors: Errors = {
        name: [say(_NOT_TRIED_AGAIN)]
        for name in _OF_WORK
        if getattr(step, name) != getattr(usual, name) or name in (step.insists_on or ())
    }
    minutes, limit = step.wait_minutes, step.timeout_seconds
    if isinstance(minutes, int) and isinstance(limit, int) and limit <= minutes * 60:
        errors["timeout_seconds"] = [say("It would give up before it has waited {minutes} min.", minutes=minutes)]
    return errors
