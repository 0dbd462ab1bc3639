"""What the plans have ahead, each with the steps it is made of."""

from datetime import datetime

from scheduling.dag.manifest import Manifest
from scheduling.errors import InvalidPlan
from scheduling.forecast.ahead import ahead_of
from scheduling.forecast.pieces import pieces_left, pieces_of
from scheduling.forecast.values import Outlook, Usual
from scheduling.models import Plan, Run, Schedule, Task
from scheduling.plans.compile import compile_each
from scheduling.states import RunKind


def plans_ahead(start: datetime, until: datetime, now: datetime) -> Outlook:
    """Return what the enabled plans have ahead; a few statements, whatever their number.

    Each runs the steps that it has now, in their queues, one after the other as their order demands.
    """
    plans: list[Plan] = list(Plan.objects.automatic().readable().order_by("name"))
    if not plans:
        return Outlook()
    compiled = compile_each([plan.name for plan in plans])
    manifests = {name: made for name, made in compiled.items() if not isinstance(made, InvalidPlan)}
    runs = Run.objects.usual_durations_by_title(RunKind.PLAN)
    tasks = Task.objects.usual_durations({task_of for made in manifests.values() for task_of in _targets(made)})
    usual = {
        plan.name: Usual(
            runs.get(plan.run_title),
            pieces_of(manifests.get(plan.name, ()), tasks),
            faults=_faults(compiled[plan.name]),
        )
        for plan in plans
    }
    live = pieces_left({plan.pk: plan.running_run_id for plan in plans if plan.running_run_id}, tasks, now)

    def usual_of(schedule: Schedule) -> Usual:
        return usual[str(schedule)]

    return ahead_of(plans, usual_of, start, until, now, live=live)


def _targets(manifest: Manifest) -> list[tuple[str, int | None]]:
    return [(task.workload, task.target_id) for task in manifest]


def _faults(compiled: Manifest | InvalidPlan) -> str:
    """Return why a plan cannot run, empty when it can."""
    return str(compiled) if isinstance(compiled, InvalidPlan) else ""
