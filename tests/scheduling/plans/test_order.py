"""One order out of numbers, named dependencies, the hierarchy, sub-plans and several plans at once."""

from dataclasses import replace
from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from scheduling.dag.graph import cycle_lines, waves
from scheduling.plans.check import check_outlines
from scheduling.plans.order import ordered
from scheduling.plans.outline import Outline, Step

HIERARCHY = {"branch": {"region"}, "till": {"branch"}}


def entity(code: str, number: int = 1, depends_on: tuple[str, ...] = (), runs: bool = True) -> Step:
    return Step(code, number, runs, entity=code, depends_on=frozenset(depends_on))


def sub_plan(name: str, number: int = 1, depends_on: tuple[str, ...] = ()) -> Step:
    return Step(f"plan {name}", number, sub_plan=name, depends_on=frozenset(depends_on))


def outlines(*plans: Outline) -> dict[str, Outline]:
    return {plan.name: plan for plan in plans}


def order_of(*plans: Outline, names: tuple[str, ...] = (), hierarchy=HIERARCHY) -> dict[str, set[str]]:
    return ordered(outlines(*plans), names or (plans[0].name,), hierarchy)


def test_the_same_number_runs_together_and_the_next_waits_for_all_of_it() -> None:
    steps = (entity("a", 1), entity("b", 1), entity("c", 2), entity("d", 5))
    assert order_of(Outline("P", "steps", steps)) == {"a": set(), "b": set(), "c": {"a", "b"}, "d": {"c"}}


def test_the_hierarchy_orders_entities_whatever_their_numbers() -> None:
    steps = (entity("till", 1), entity("branch", 2), entity("region", 3))
    assert order_of(Outline("P", "hierarchy", steps)) == {"till": {"branch"}, "branch": {"region"}, "region": set()}


def test_a_plan_that_goes_by_numbers_does_not_ask_the_hierarchy() -> None:
    assert order_of(Outline("P", "steps", (entity("branch"), entity("region")))) == {"branch": set(), "region": set()}


def test_both_orders_count_together_and_may_contradict_each_other() -> None:
    fine = Outline("P", "both", (entity("region", 1), entity("branch", 2)))
    assert order_of(fine)["branch"] == {"region"}
    wrong = Outline("P", "both", (entity("branch", 1), entity("region", 2)))
    assert cycle_lines(order_of(wrong)) == ["branch > region > branch"]


def test_a_dependency_through_an_entity_outside_the_run_is_kept() -> None:
    assert order_of(Outline("P", "hierarchy", (entity("till"), entity("region"))))["till"] == {"region"}


def test_a_cancelled_step_runs_nothing_and_passes_the_order_on() -> None:
    steps = (entity("a", 1), entity("b", 2, runs=False), entity("c", 3))
    assert order_of(Outline("P", "steps", steps)) == {"a": set(), "c": {"a"}}
    named = (entity("a"), entity("b", 1, ("a",), runs=False), entity("c", 1, ("b",)))
    assert order_of(Outline("P", "hierarchy", named)) == {"a": set(), "c": {"a"}}


def test_a_sub_plan_starts_after_what_its_step_waits_for_and_holds_up_what_waits_for_it() -> None:
    outer = Outline("Outer", "steps", (entity("a", 1), sub_plan("Inner", 2), entity("z", 3)))
    inner = Outline("Inner", "steps", (entity("m", 1), entity("n", 2)))
    assert waves(order_of(outer, inner)) == [["a"], ["m"], ["n"], ["z"]]


def test_the_order_through_a_sub_plan_that_does_not_run_stays() -> None:
    """Whether its step is cancelled or the plan itself, by number or by name, with a plan behind it or not."""
    inner = Outline("Inner", "steps", (entity("m", 1), sub_plan("Deeper", 2)), is_cancelled=True)
    deeper = Outline("Deeper", "steps", (entity("x", 1),))
    cancelled = Step("plan Inner", 2, False, sub_plan="Inner")
    by_number = Outline("Outer", "steps", (entity("a", 1), cancelled, entity("z", 3)))
    assert order_of(by_number, inner, deeper) == {"a": set(), "z": {"a"}}
    named = replace(cancelled, number=1, depends_on=frozenset({"a"}))
    by_name = Outline("Outer", "hierarchy", (entity("a"), named, entity("z", 1, ("plan Inner",))))
    assert order_of(by_name, inner, deeper) == {"a": set(), "z": {"a"}}


def test_a_cancelled_step_does_not_order_the_plan_it_names_when_that_runs_besides() -> None:
    outer = Outline("Outer", "steps", (entity("a", 1), Step("plan Inner", 2, False, sub_plan="Inner"), entity("z", 3)))
    inner = Outline("Inner", "steps", (entity("z", 1), entity("m", 2)))
    assert order_of(outer, inner, names=("Outer", "Inner")) == {"a": set(), "z": {"a"}, "m": {"z"}}


def test_an_empty_sub_plan_still_passes_the_order_on() -> None:
    outer = Outline("Outer", "steps", (entity("a", 1), sub_plan("Empty", 2), entity("z", 3)))
    assert order_of(outer, Outline("Empty"))["z"] == {"a"}


def test_plans_that_share_a_step_run_it_once_with_the_dependencies_of_both() -> None:
    daily = Outline("Daily", "steps", (entity("a", 1), entity("shared", 2)))
    sunday = Outline("Sunday", "steps", (entity("b", 1), entity("shared", 2)))
    assert order_of(daily, sunday, names=("Daily", "Sunday")) == {"a": set(), "b": set(), "shared": {"a", "b"}}


def test_the_hierarchy_holds_between_the_plans_of_one_run() -> None:
    daily, sunday = Outline("Daily", "steps", (entity("region"),)), Outline("Sunday", "hierarchy", (entity("till"),))
    assert order_of(daily, sunday, names=("Daily", "Sunday"))["till"] == {"region"}


def test_a_plan_in_the_middle_does_not_cut_the_hierarchy_of_another() -> None:
    ends = Outline("Ends", "hierarchy", (entity("region"), entity("till")))
    middle = Outline("Middle", "steps", (entity("branch"),))
    assert order_of(ends, middle, names=("Ends", "Middle"))["till"] == {"region", "branch"}


def test_plans_that_run_each_other_are_refused_with_the_circle() -> None:
    plans = outlines(Outline("A", "steps", (sub_plan("B"),)), Outline("B", "steps", (entity("x"), sub_plan("A"))))
    assert "plan A > plan B > plan A" in check_outlines(plans, ["A"], {}).cycles


def test_a_circle_of_entities_outside_the_run_is_found_and_what_leads_into_it_is_named() -> None:
    hierarchy = {"till": {"x"}, "x": {"y"}, "y": {"x"}}
    checked = check_outlines(outlines(Outline("P", "hierarchy", (entity("till"),))), ["P"], hierarchy)
    assert checked.cycles == ("x > y > x",) and checked.leading == ("till",)
    assert checked.as_json() == {
        "cycles": ["x > y > x"],
        "waves": [],
        "hierarchy": [],
        "leading_into_cycles": ["till"],
    }


def test_the_answer_has_waves_and_lines() -> None:
    plan = Outline("P", "hierarchy", (entity("region"), entity("branch"), entity("till")))
    assert check_outlines(outlines(plan), ["P"], HIERARCHY).as_json() == {
        "cycles": [],
        "waves": [["region"], ["branch"], ["till"]],
        "hierarchy": ["region", "region >>> branch", "region >>> branch >>> till"],
    }


def test_a_plan_without_steps_has_nothing_in_it() -> None:
    assert check_outlines(outlines(Outline("P")), ["P"], {}).as_json() == {"cycles": [], "waves": [], "hierarchy": []}


CODES = st.sampled_from("abcdef")
STEPS = st.lists(
    st.tuples(CODES, st.integers(1, 3), st.booleans(), st.sets(CODES, max_size=2)), max_size=6, unique_by=lambda s: s[0]
)


@given(STEPS, STEPS, st.sampled_from(["steps", "hierarchy", "both"]))
def test_no_order_of_any_plan_is_lost_when_plans_run_together(first, second, order) -> None:
    """Against a naive reading of each rule, step by step, on what runs."""
    hierarchy = {"b": {"a"}, "d": {"c", "b"}, "f": {"e"}}
    plans = [
        Outline(name, order, tuple(entity(code, number, tuple(priors), runs) for code, number, runs, priors in rows))
        for name, rows in (("First", first), ("Second", second))
    ]
    found = ordered(outlines(*plans), ["First", "Second"], hierarchy)
    running = {step.key for plan in plans for step in plan.steps if step.runs}
    assert set(found) == running
    behind = {key: _behind(key, found) for key in found}
    for plan in plans:
        for later, earlier in product([s for s in plan.steps if s.runs], repeat=2):
            if plan.by_number and earlier.number < later.number:
                assert earlier.key in behind[later.key]
            if earlier.key in later.depends_on:
                assert earlier.key in behind[later.key]
            if plan.by_hierarchy and earlier.key in _behind(later.key, hierarchy):
                assert earlier.key in behind[later.key]


def _behind(node, graph):
    found, ahead = set(), list(graph.get(node, ()))
    while ahead:
        prior = ahead.pop()
        if prior not in found:
            found.add(prior)
            ahead += graph.get(prior, ())
    return found


def conditional(code: str, run_if: str, number: int = 1, depends_on: tuple[str, ...] = ()) -> Step:
    return replace(entity(code, number, depends_on), run_if=run_if)


def test_what_runs_after_a_failure_depends_on_everything_before_it() -> None:
    steps = (entity("a", 1), entity("b", 2), conditional("tell", "any_failed", 3))
    assert order_of(Outline("P", "steps", steps)) == {"a": set(), "b": {"a"}, "tell": {"a", "b"}}


def test_a_step_with_a_condition_hides_no_failure_from_what_comes_after_it() -> None:
    steps = (entity("a", 1), conditional("clean", "always", 2), conditional("tell", "any_failed", 3), entity("z", 4))
    order = order_of(Outline("P", "steps", steps))
    assert order == {"a": set(), "clean": {"a"}, "tell": {"a", "clean"}, "z": {"a", "clean", "tell"}}


def test_finally_comes_after_every_other_step_of_its_plan_whatever_its_number() -> None:
    steps = (conditional("last", "finally", 1), entity("a", 1), entity("b", 2), conditional("too", "finally", 1))
    assert order_of(Outline("P", "steps", steps)) == {"a": set(), "b": {"a"}, "last": {"a", "b"}, "too": {"a", "b"}}


def test_finally_of_a_sub_plan_comes_before_what_waits_for_that_plan() -> None:
    outer = Outline("Outer", "steps", (entity("a", 1), sub_plan("Inner", 2), entity("z", 3)))
    inner = Outline("Inner", "steps", (entity("m", 1), conditional("clean", "finally", 1)))
    order = order_of(outer, inner)
    assert order == {"a": set(), "m": {"a"}, "clean": {"a", "m"}, "z": {"a", "m", "clean"}}


def test_a_step_that_waits_for_the_end_of_its_own_plan_is_a_circle() -> None:
    steps = (conditional("last", "finally"), entity("a", 1, ("last",)))
    assert cycle_lines(order_of(Outline("P", "hierarchy", steps))) == ["a > last > a"]
