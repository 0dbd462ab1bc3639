"""Compiles one or several plans into the manifest of one run: shared steps once, in an order that satisfies all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from scheduling.dag.conditions import stored_conditions
from scheduling.dag.graph import Graph
from scheduling.dag.manifest import Manifest, ManifestTask
from scheduling.errors import InvalidPlan
from scheduling.models import Job, Plan, PlanStep
from scheduling.plans.check import check_outlines
from scheduling.plans.each import map_task
from scheduling.plans.order import run_conditions, without_idle
from scheduling.plans.outline import Outlines, StepDefaults, has_defaults, hierarchy_of, read_outlines, runs_in
from scheduling.plans.parameters import PlanParameter, bound, jobs_named, known_jobs, of_plans, references
from scheduling.plans.waits import wait_task
from scheduling.schedules.deadlines import due_of, expected_of
from scheduling.states import RunIf, RunKind
from staging.wording import said_together, say


@dataclass(frozen=True)
class Compiled:
    """What a run of plans does, and the parameters that the arguments of its tasks may name."""

    tasks: Manifest
    parameters: Mapping[str, PlanParameter]

    @property
    def named(self) -> set[str]:
        """Return the names of the parameters that the tasks name."""
        return {name for task in self.tasks for name in references(task.arguments)}

    def with_values(self, values: Mapping[str, Any]) -> Manifest:
        """Return the tasks with these values where they name them."""
        return tuple(
            task.but(arguments=bound(task.arguments, values)) if task.arguments else task for task in self.tasks
        )


def compile_plans(names: Sequence[str]) -> Compiled:
    """Return what a run of these plans does.

    A step that several of them have runs once, with the dependencies of all and the highest priority; all else is as
    the plan named first has it. Raises UnknownPlan, and InvalidPlan for circles, cancelled plans, jobs that do not
    exist, and plans without anything to run.
    """
    outlines = read_outlines(names)
    return compile_outlines(outlines, names, hierarchy_of(outlines))


def compile_each(names: Sequence[str], stored: Iterable[Plan] = ()) -> dict[str, Compiled | InvalidPlan]:
    """Return what a run of each plan by itself does, or why it cannot run; a few statements for all of them.

    `stored`: plans that need not be read again. Raises UnknownPlan.
    """
    outlines = read_outlines(names, stored=(plan for plan in stored if has_defaults(plan)))
    has_jobs = any(step.stored and step.stored.job_name for each in outlines.values() for step in each.steps)
    known = known_jobs() if has_jobs else {}
    hierarchy = hierarchy_of(outlines)
    found: dict[str, Compiled | InvalidPlan] = {}
    for name in names:
        try:
            found[name] = compile_outlines(outlines, [name], hierarchy, known)
        except InvalidPlan as error:
            found[name] = error
    return found


def compile_outlines(
    outlines: Outlines, names: Sequence[str], hierarchy: Graph, known: Mapping[str, Job] | None = None
) -> Compiled:
    """Return what these plans do as one run, as `compile_plans`; `known` are the declared jobs when they were read."""
    for name in names:
        if outlines[name].is_cancelled:
            raise InvalidPlan({"is_cancelled": [say("Plan {name} is cancelled: it does not run.", name=name)]})
    checked = check_outlines(outlines, names, hierarchy)
    if checked.cycles:
        raise InvalidPlan({"steps": [checked.sentence]})
    conditions = run_conditions(outlines, names)
    order = without_idle(checked.order, conditions)
    if not order:
        plans = said_together(*(say("plan {name}", name=name) for name in names), by=say(" and "))
        text = say("Nothing to run: {plans} has no step that is in force.", plans=plans)
        raise InvalidPlan({"steps": [text]})
    tasks = _tasks(outlines, names, known)
    wave = {key: number for number, keys in enumerate(checked.waves, start=1) for key in keys}
    manifest = tuple(
        tasks[key].but(depends_on=frozenset(order[key]), step_index=wave[key])
        for key in sorted(order, key=lambda key: (wave[key], key))
    )
    return Compiled(manifest, parameters_of(outlines, names))


def parameters_of(outlines: Outlines, names: Sequence[str]) -> dict[str, PlanParameter]:
    """Return the parameters of a run of these plans. Raises InvalidPlan where they take one to be of two types."""
    return of_plans((plan.name, plan.parameters) for plan in runs_in(outlines, names))


def _tasks(outlines: Outlines, names: Sequence[str], known: Mapping[str, Job] | None) -> dict[str, ManifestTask]:
    """Return the tasks by key, without their order yet."""
    steps = [
        (step.key, step.stored, plan.defaults)
        for plan in runs_in(outlines, names)
        for step in plan.steps
        if step.runs and not step.sub_plan and step.stored is not None
    ]
    jobs = jobs_named({step.job_name for _, step, _ in steps if step.job_name}, known)
    found: dict[str, ManifestTask] = {}
    for key, step, defaults in steps:
        first = found.get(key)
        if first is None:
            found[key] = _task(key, step, defaults, jobs.get(step.job_name))
        elif step.priority > first.priority:
            found[key] = first.but(priority=step.priority)
    return found


def _task(key: str, step: PlanStep, defaults: StepDefaults, job: Job | None) -> ManifestTask:
    """Return a step as a task; what it does not say its plan says, else its job, else it is as usual."""
    if step.is_wait:
        return wait_task(step, defaults)
    workload, target = RunKind.BATCH, step.entity_id
    if step.script_id is not None:
        workload, target = RunKind.SCRIPT, step.script_id
    elif job is not None:
        workload, target = RunKind.JOB, job.pk
    if step.has_items:
        return map_task(step, _work(key, step, defaults, job, str(workload), target))
    return _work(key, step, defaults, job, str(workload), target)


def _work(
    key: str, step: PlanStep, defaults: StepDefaults, job: Job | None, workload: str, target: int | None
) -> ManifestTask:
    """Return the work of a step; that of one that runs for each item is done for each."""
    pause = _first(step.own("retry_interval_seconds"), defaults.retry_interval_seconds)
    usual = job or _usual_job()
    return ManifestTask(
        key=key,
        workload=workload,
        target_id=target,
        queue=step.own_queue or defaults.queue or usual.queue_name,
        priority=step.priority,
        run_if=str(RunIf.ALWAYS if step.run_if == RunIf.FINALLY else step.run_if),
        only_when=stored_conditions(step.only_when),
        continue_on_failure=step.continue_on_failure,
        attempts=_first(step.own("attempts"), defaults.attempts) or usual.attempts,
        retry_interval_seconds=usual.retry_interval_seconds if pause is None else pause,
        retry_backoff=step.retry_backoff or (pause is None and usual.retry_backoff),
        retry_on=tuple(step.retry_on_classes),
        timeout_seconds=step.timeout_seconds or defaults.timeout_seconds or usual.timeout_seconds,
        arguments=dict(step.arguments),
        expected=expected_of(step),
        due=due_of(step, defaults.timezone),
    )


@cache
def _usual_job() -> Job:
    """Return a job that says nothing of its own; made once, for a plan has a thousand steps that are no job."""
    return Job()


def _first(own: int | None, of_plan: int | None) -> int | None:
    """Return what the step says, else what its plan says; None where neither says anything."""
    return of_plan if own is None else own
