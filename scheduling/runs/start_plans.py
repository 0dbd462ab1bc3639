"""Starts plans: their manifest, the run, the guard of each plan and the log in one transaction."""

import uuid
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction

from scheduling import events
from scheduling.dag.manifest import Manifest
from scheduling.errors import AlreadyRunning, FiredBefore, UnknownPlan
from scheduling.lifecycle.guard import take_guard
from scheduling.models import Plan, Run
from scheduling.plans.compile import compile_plans
from scheduling.runs.fire import Fire
from scheduling.runs.rights import Person
from scheduling.runs.start_run import start_run
from scheduling.states import EventType, RunKind


class _FasterElsewhere(Exception):
    """Rolls the transaction back: somebody else fired, edited or stopped the plan first."""


def fire_plan(plan: Plan, fire: Fire) -> bool:
    """Start the plan that the scheduler decided on; False when somebody was faster, which is a normal answer.

    Raises InvalidPlan when it cannot run as it stands.
    """
    manifest = compile_plans([plan.name])
    try:
        with transaction.atomic():
            run = start_run(
                manifest,
                kind=RunKind.PLAN,
                title=_title([plan.name]),
                plans=[plan.name],
                trigger_source=fire.trigger_source,
                started_by="scheduler",
                fire_key=fire.fire_key,
                scheduled_for=fire.slot,
                event={**plan.subject, "message": f"Plan started. {fire.reason}", "details": dict(fire.details)},
                now=fire.now,
            )
            _take(plan, run, fire.trigger_source, fire.now, by_itself=True, slots=fire.slots)
    except (FiredBefore, _FasterElsewhere):
        return False
    return True


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
    message = f"{_title(names)} started by {started_by}{again}."
    try:
        with transaction.atomic():
            run = start_run(
                manifest,
                kind=RunKind.PLAN,
                title=_title(names),
                plans=names,
                trigger_source="Manual",
                started_by=started_by,
                fire_key=f"plan:{plans[0].pk}:manual:{uuid.uuid4()}",
                restart_of=restart_of,
                event={**plans[0].subject, "message": message},
                person=person,
                now=now,
            )
            _take_all(plans, run, now)
            _tell(plans[1:], run, message, now)
    except _FasterElsewhere as faster:
        raise AlreadyRunning(f"Plan {faster} is already running.") from None
    return run


def _take_all(plans: Sequence[Plan], run: Run, now: datetime) -> None:
    """Take the guards of plans that a person starts, always in the same order: two such starts cannot lock."""
    for plan in sorted(plans, key=lambda plan: plan.pk):
        _take(plan, run, "Manual", now)


def _tell(plans: Sequence[Plan], run: Run, message: str, now: datetime) -> None:
    """Log the fire of the plans that the run does not log itself."""
    for plan in plans:
        events.record(EventType.FIRED, now=now, **plan.subject, message=message, run_id=run.pk)


def _take(
    plan: Plan,
    run: Run,
    source: str,
    now: datetime,
    *,
    by_itself: bool = False,
    slots: Mapping[str, Any] | None = None,
) -> None:
    """Take the guard of a plan for its run; raises _FasterElsewhere when it is taken."""
    if not take_guard(plan, run=run, source=source, now=now, by_itself=by_itself, slots=slots or {}):
        raise _FasterElsewhere(plan.name)


def _plans(names: Sequence[str]) -> list[Plan]:
    """Return the plans of these names, in their order. Raises UnknownPlan: a plan of an earlier run may be gone."""
    found = {plan.name: plan for plan in Plan.objects.filter(name__in=names)}
    if gone := [name for name in names if name not in found]:
        raise UnknownPlan(f"There is no plan {gone[0]!r} any more; it may have another name now.")
    return [found[name] for name in names]


def _title(names: Sequence[str]) -> str:
    return f"Plan {names[0]}" if len(names) == 1 else f"Plans {', '.join(names)}"
