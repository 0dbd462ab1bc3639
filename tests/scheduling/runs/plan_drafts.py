"""Plans of a random property: what their steps may say, as the model reads it and as a form hands it over."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

from hypothesis import strategies as st

from scheduling.dag.conditions import Condition
from scheduling.models import Plan, PlanStep, SqlScript
from scheduling.plans.draft import StepDraft
from staging.models import Entity
from tests.scheduling.conftest import NOW
from tests.scheduling.runs.plan_attempts_model import Says
from tests.scheduling.runs.plan_order_model import INNER, MINUTE, Wanted, order_of

SECOND = timedelta(seconds=1)
MOST = 6  # steps of a plan
STEPS = st.fixed_dictionaries(
    {
        "number": st.integers(1, 4),
        "after": st.sets(st.integers(0, MOST - 1), max_size=2),
        "run_if": st.sampled_from([*["all_succeeded"] * 3, "any_failed", "always", "finally"]),
        "asks": st.lists(st.tuples(st.integers(0, MOST - 1), st.integers(1, 2)), max_size=1),
        "passable": st.booleans(),
        "attempts": st.integers(1, 3),
        "pause": st.sampled_from([0, 60, 300]),
        "doubles": st.booleans(),
        "only_value_errors": st.booleans(),
        "limit": st.sampled_from([None, None, 120, 600]),
        "wait": st.sampled_from([*[None] * 6, "minutes", 30, 3, "rows", "query"]),
        "gets": st.booleans(),
        "inside": st.sampled_from([False, False, True]),
    }
)
SAYS = st.builds(
    Says, st.sampled_from([1, 2, 3, 3]), st.sampled_from([0, 60, 300]).map(lambda n: n * SECOND), st.booleans()
)


def wanted(told: list[dict[str, Any]], number: int) -> tuple[Wanted, ...]:
    """Return the steps of a plan that can be saved: none of them in a circle, and what asks has something to ask.

    `number` is that of the step which is a plan, where a step is inside of that.
    """
    made: list[Wanted] = []
    for place, each in enumerate(told):
        ordinary = [one for one in made if one.run_if != "finally" and one.inside == each["inside"]]
        before = {made[n] for n in each["after"] if n < place} & set(ordinary)
        after = frozenset(one.key for one in before if one.number <= each["number"])
        earlier = {one.key for one in ordinary if one.number < each["number"] and not one.is_wait}
        asks = tuple((made[n].key, least) for n, least in each["asks"] if n < place and made[n].key in earlier)
        made.append(replace(_wanted(place, each, after, asks), inside=each["inside"]))
    inner = [step for step in made if step.inside]
    made += [Wanted(INNER, number)] if inner else []
    each_alone = {**order_of(made), **order_of(replace(step, inside=False) for step in inner)}
    alone = {key for key, priors in each_alone.items() if not priors}
    return tuple(replace(s, run_if="always") if s.run_if == "any_failed" and s.key in alone else s for s in made)


def _wanted(place: int, told: dict[str, Any], after: frozenset[str], asks: tuple[tuple[str, int], ...]) -> Wanted:
    limit = told["limit"] and told["limit"] * SECOND
    step = Wanted("", told["number"], after, told["run_if"], passable=told["passable"])
    if told["wait"] == "minutes":
        return replace(step, key=f"wait 4 minutes (w{place})", waits=4 * MINUTE)
    if told["wait"] == "rows":
        rows = told["number"] + 1
        return replace(step, key=f"wait for {rows} rows of branch (w{place})", waits_for=rows, limit=limit)
    if told["wait"] == "query":
        return replace(step, key=f"wait for script Ready (w{place})", waits_for=2, limit=limit)
    if told["wait"]:
        until = NOW + told["wait"] * MINUTE
        return replace(step, key=f"wait until {until:%H:%M} (w{place})", waits_until=until, limit=limit)
    return replace(
        step,
        key=f"job P{place}" + " (day={{day}}, slot={{slot}})" * told["gets"],
        asks=asks,
        attempts=told["attempts"],
        pause=told["pause"] * SECOND,
        doubles=told["doubles"],
        only_value_errors=told["only_value_errors"],
        limit=limit,
    )


def tries_of(says: Says) -> dict[str, Any]:
    """Return what a plan says about trying it again, by its columns."""
    return {
        "run_attempts": says.attempts,
        "run_retry_interval_seconds": int(says.interval.total_seconds()),
        "run_retry_backoff": says.doubles,
    }


def drafted(step: Wanted) -> StepDraft:
    """Return a step as the form of a plan hands it over."""
    made = PlanStep(
        step_index=step.number,
        run_if=step.run_if,
        continue_on_failure=step.passable,
        timeout_seconds=int(step.limit.total_seconds()) if step.limit else None,
    )
    if step.key == INNER:
        return StepDraft(PlanStep(step_index=step.number, sub_plan=Plan.objects.get(name="Inner")), [])
    if step.is_wait:
        made.wait_name = step.key.partition("(")[2].rstrip(")")
        made.wait_minutes = int(step.waits / MINUTE) if step.waits else None
        made.wait_until = step.waits_until.time() if step.waits_until else None
        if " rows of " in step.key:
            made.wait_rows, made.entity = step.waits_for, Entity.objects.get()
        elif step.waits_for:
            made.wait_query, made.script = True, SqlScript.objects.get()
    else:
        made.job_name = step.key.removeprefix("job ")[:2]
        made.attempts, made.retry_backoff = step.attempts, step.doubles
        made.retry_interval_seconds = int(step.pause.total_seconds())
        made.insists_on = ["attempts", "retry_interval_seconds"]
        made.retry_on = "ValueError" * step.only_value_errors
        made.only_when = [Condition(key, "n", ">=", least).as_json() for key, least in step.asks] or None
        made.arguments = {"day": "{{day}}", "slot": "{{slot}}"} if "{{day}}" in step.key else {}
    return StepDraft(made, sorted(step.after))
