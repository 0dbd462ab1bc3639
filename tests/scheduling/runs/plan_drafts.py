"""Plans of a random property: what their steps may say, as the model reads it and as a form hands it over."""

from collections.abc import Collection
from dataclasses import replace
from datetime import timedelta
from typing import Any

from hypothesis import strategies as st

from scheduling.dag.conditions import Condition
from scheduling.models import Plan, PlanStep, SqlScript
from scheduling.plans.draft import StepDraft
from staging.models import Entity
from tests.scheduling.conftest import NOW
from tests.scheduling.runs.items_model import returned
from tests.scheduling.runs.plan_attempts_model import Says
from tests.scheduling.runs.plan_order_model import INNER, MINUTE, Each, Wanted, order_of

SECOND = timedelta(seconds=1)
MOST = 6  # steps of a plan
SAID = {
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
    "each": st.sampled_from([*[None] * 6, "written", "parameter", "query", "result", "result"]),
    "of": st.integers(0, MOST - 1),
    "side_by_side": st.sampled_from([None, 1, 2]),
    "inside": st.sampled_from([False, False, True]),
}
STEPS = st.fixed_dictionaries(SAID)
SAYS = st.builds(
    Says, st.sampled_from([1, 2, 3, 3]), st.sampled_from([0, 60, 300]).map(lambda n: n * SECOND), st.booleans()
)

OUTCOMES = st.sampled_from(
    ["gives", "gives", "nothing", "value error", "value error", "other error", "fatal", "interrupted"]
)
NUMBER = st.integers(0, 9)
DAILY = {"schedule_type": "daily", "run_times": [f"{NOW:%H:%M}"], "timezone": "UTC"}
TOLD: dict[str, Any] = {}  # what the work of the next attempt does
HEARD: list[tuple[str, dict[str, Any], Any]] = []  # which jobs were called, with what and for which item


def work(context: Any, day: str = "", slot: str = "") -> Any:
    """Do what the test tells."""
    HEARD.append((context.task.key, {"day": day, "slot": slot}, context.item))
    if "raises" in TOLD:
        raise TOLD["raises"]
    return returned(TOLD["gives"])


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
        step = _wanted(place, each, after, asks)
        listing = [one.key for one in made[: each["of"] + 1] if one.key in earlier]
        made.append(replace(step, inside=each["inside"], each=None if step.is_wait else _each(each, listing)))
    inner = [step for step in made if step.inside]
    made += [Wanted(INNER, number)] if inner else []
    each_alone = {**order_of(made), **order_of([replace(step, inside=False) for step in inner])}
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


def _each(told: dict[str, Any], listing: list[str]) -> Each | None:
    """Return what a step runs for, if for anything; `listing` are the steps before it that may have given its list."""
    if told["each"] is None or (told["each"] == "result" and not listing):
        return None
    at = listing[-1] if told["each"] == "result" else ("north", "south", "west")[: told["of"]]
    return Each(told["each"], at if told["each"] in ("result", "written") else None, told["side_by_side"])


def tries_of(says: Says) -> dict[str, Any]:
    """Return what a plan says about trying it again, by its columns."""
    return {
        "run_attempts": says.attempts,
        "run_retry_interval_seconds": int(says.interval.total_seconds()),
        "run_retry_backoff": says.doubles,
    }


def drafted(step: Wanted, plan: tuple[Wanted, ...]) -> StepDraft:
    """Return a step of a plan as the form of the plan hands it over."""
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
            made.wait_query, made.script = True, SqlScript.objects.get(name="Ready")
    else:
        made.job_name = step.key.removeprefix("job ")[:2]
        made.attempts, made.retry_backoff = step.attempts, step.doubles
        made.retry_interval_seconds = int(step.pause.total_seconds())
        made.insists_on = ["attempts", "retry_interval_seconds"]
        made.retry_on = "ValueError" * step.only_value_errors
        lists = {one.key for one in plan if one.each is not None}
        asks = [Condition(key, "0.n" if key in lists else "n", ">=", least) for key, least in step.asks]
        made.only_when = [each.as_json() for each in asks] or None
        made.arguments = {"day": "{{day}}", "slot": "{{slot}}"} if "{{day}}" in step.key else {}
        if step.each is not None:
            _list(made, step.each, lists)
    return StepDraft(made, sorted(step.after))


def _list(made: PlanStep, each: Each, lists: Collection[str]) -> None:
    """Let a step run for each item of a list; `lists` are the steps that give a list themselves."""
    made.side_by_side = each.side_by_side
    if each.source == "query":
        made.for_each_query = SqlScript.objects.get(name="Regions")
    elif each.source == "result":
        made.for_each_result = {"step": each.at, "path": "" if each.at in lists else "list"}
    else:
        made.for_each = list(each.at) if each.source == "written" else "{{regions}}"
