"""Steps in words, for people who only look, and as the headline of what few steps need; and the mark of a page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from django.utils.translation import gettext_noop

from scheduling.admin.plans.offered import Offered
from scheduling.admin.plans.targets import what_of
from scheduling.admin.schedules.form import fingerprint
from scheduling.dag.conditions import place_line, stored_conditions
from scheduling.models import Job, Plan, PlanStep
from scheduling.plans.outline import named, priors_of, with_priors, with_targets
from scheduling.schedules.deadlines import due_text
from scheduling.states import RunIf
from staging.wording import counted, said_together, say

CHANGED_MEANWHILE = gettext_noop(
    "Somebody else changed steps of this page since you opened it; nothing was saved. Reload the page to see them."
)


def stored_steps(plan: Plan) -> list[PlanStep]:
    """Return the steps of a stored plan, with what they show; read once for its form, the rules and the order."""
    offered: dict[type, list[PlanStep]] = getattr(plan, "offered", {})
    if PlanStep not in offered:
        offered[PlanStep] = _read_steps(plan) if plan.pk else []
    return offered[PlanStep]


def _read_steps(plan: Plan) -> list[PlanStep]:
    offer: Offered | None = getattr(plan, "offer", None)
    if offer is None:
        return with_targets(plan.steps.all())
    known = {model: {row.pk: row for row in rows} for model, rows in offer.rows.items() if model is not Job}
    steps = named(plan, known)
    for step in steps:
        step.plan = plan
    return with_priors(steps, offer.priors)


def title_of(step: PlanStep) -> str:
    """Return what a step does, as the list to choose from calls it, with what kind of thing that is."""
    target = what_of(step)
    if target is None:
        return ""
    kinds = {"job": say("job"), "script": say("SQL script"), "plan": say("plan")}
    kind = kinds.get(target.value.partition(":")[0])
    return say("{title} ({kind})", title=target.title, kind=kind) if kind else target.title


def mark_of(steps: Iterable[PlanStep]) -> str:
    """Return a short text that differs when one of these stored steps, or what it waits for, does."""
    columns = [each.attname for each in PlanStep._meta.concrete_fields]
    return fingerprint(
        {str(step.pk): [*(getattr(step, name) for name in columns), sorted(priors_of(step))] for step in steps}
    )


def facts_of(step: PlanStep) -> str:
    """Return what is set of the things that few steps need, in one line; empty where all is as usual."""
    return str(said_together(*_facts(step), by="; "))


def _facts(step: PlanStep) -> Iterator[str]:
    yield from _wait(step)
    if step.run_if != RunIf.ALL_SUCCEEDED:
        yield say("runs {condition}", condition=RunIf(step.run_if).label)
    if conditions := stored_conditions(step.only_when):
        yield say("only when {conditions}", conditions=said_together(*(each.line for each in conditions), by="; "))
    if step.priority:
        yield say("priority {priority}", priority=step.priority)
    if (attempts := step.own("attempts")) is not None:
        yield counted(attempts, "try", "tries")
    if (pause := step.own("retry_interval_seconds")) is not None or step.attempts > 1:
        yield say("{seconds} s between them", seconds=step.retry_interval_seconds if pause is None else pause)
    if step.retry_backoff:
        yield say("longer and longer")
    if step.retry_on:
        yield say("again only after {errors}", errors=step.retry_on)
    if step.timeout_seconds:
        yield say("at most {seconds} s", seconds=step.timeout_seconds)
    if step.expected_minutes:
        yield say("usually takes {minutes}", minutes=counted(step.expected_minutes, "minute", "minutes"))
    if step.due_by is not None:
        yield say("done by {time}", time=due_text(step))
    if step.due_after_minutes:
        yield say("done within {minutes}", minutes=counted(step.due_after_minutes, "minute", "minutes"))
    if step.for_each is not None:
        items = step.for_each if isinstance(step.for_each, str) else counted(len(step.for_each), "item", "items")
        yield say("for each of {items}", items=items)
    if step.for_each_result is not None:
        yield say("for each of {items}", items=place_line(step.for_each_result))
    if step.for_each_query is not None:
        yield say("for each row of script {name}", name=step.for_each_query.name)
    if step.side_by_side:
        yield say("{number} side by side", number=step.side_by_side)
    if step.arguments:
        yield say("values {values}", values=", ".join(f"{name}={value}" for name, value in step.arguments.items()))


def _wait(step: PlanStep) -> Iterator[str]:
    """Yield what it waits for instead of working."""
    if step.wait_until is not None:
        yield say("waits until {until}", until=step.until_text)
    if step.wait_days:
        yield counted(step.wait_days, "day later", "days later")
    if step.wait_minutes is not None:
        yield say("waits {minutes}", minutes=counted(step.wait_minutes, "minute", "minutes"))
    if step.wait_rows is not None:
        yield say("waits for {rows}", rows=counted(step.wait_rows, "row", "rows"))
    if step.wait_query:
        yield say("waits until its query is true")
    if step.wait_name:
        yield say("called {name}", name=step.wait_name)
