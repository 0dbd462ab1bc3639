"""Order as a graph: circles are found and printed, everything else has waves; against a naive oracle."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduling.dag import graph as dag

CHAIN = {"branch": {"region"}, "till": {"branch"}, "region": set()}


def test_a_circle_of_two_is_printed_along_its_dependencies() -> None:
    assert dag.cycle_lines({"branch": {"region"}, "region": {"branch"}}) == ["branch > region > branch"]


def test_a_node_that_depends_on_itself_is_a_circle() -> None:
    assert dag.cycle_lines({"region": {"region"}}) == ["region > region"]


def test_a_circle_of_three_follows_the_dependencies() -> None:
    assert dag.cycle_lines({"a": ["b"], "b": ["c"], "c": ["a"]}) == ["a > b > c > a"]


def test_two_knots_are_two_lines() -> None:
    assert dag.cycle_lines({"a": ["b"], "b": ["a"], "x": ["y"], "y": ["x"]}) == ["a > b > a", "x > y > x"]


def test_nodes_leading_into_a_circle_are_named_and_are_not_on_it() -> None:
    graph = {"a": {"b"}, "b": {"a"}, "till": {"branch"}, "branch": {"a"}, "free": set()}
    assert dag.leading_into_cycles(graph) == ["branch", "till"]
    with pytest.raises(dag.CycleFound, match=r"circle: a > b > a\. Waiting for it for ever: branch, till\."):
        dag.check_order(graph)


def test_what_a_circle_depends_on_does_not_lead_into_it() -> None:
    assert dag.leading_into_cycles({"a": {"b", "source"}, "b": {"a"}}) == []


def test_waves_and_lines_of_a_chain() -> None:
    assert dag.waves(CHAIN) == [["region"], ["branch"], ["till"]]
    assert dag.hierarchy_lines(CHAIN) == ["region", "region >>> branch", "region >>> branch >>> till"]


def test_lines_stop_at_the_limit_where_paths_are_very_many() -> None:
    ladder = {f"{n:02}{side}": {f"{n - 1:02}a", f"{n - 1:02}b"} for n in range(1, 40) for side in "ab"}
    assert len(dag.hierarchy_lines(ladder, most=50)) == 50


def test_a_dependency_through_a_node_outside_is_kept() -> None:
    assert dag.restricted(CHAIN, ["region", "till"]) == {"region": set(), "till": {"region"}}


def test_a_circle_through_nodes_outside_is_kept_to_be_found() -> None:
    assert dag.restricted({"a": ["out"], "out": ["a"]}, ["a"]) == {"a": {"a"}}


def test_a_dependency_that_follows_from_others_is_left_out() -> None:
    assert dag.reduced({"c": {"a", "b"}, "b": {"a"}}) == {"a": set(), "b": {"a"}, "c": {"b"}}


def test_a_long_chain_needs_no_deep_recursion_to_be_ordered() -> None:
    chain = {f"{n:05}": {f"{n - 1:05}"} for n in range(1, 1500)}
    assert dag.cycle_lines(chain) == []
    assert len(dag.hierarchy_lines(chain)) == 1000


NAMES = st.sampled_from("abcdef")
GRAPHS = st.dictionaries(NAMES, st.sets(NAMES, max_size=4))


def behind(node: str, graph: dag.Graph) -> set[str]:
    """Return what the node depends on, by adding step by step until nothing is added."""
    found: set[str] = set(graph.get(node, ()))
    while True:
        more = found | {prior for other in found for prior in graph.get(other, ())}
        if more == found:
            return found
        found = more


@given(GRAPHS)
def test_a_line_is_printed_exactly_when_some_node_is_behind_itself(graph: dict[str, set[str]]) -> None:
    circular = {node for node in dag.nodes_of(graph) if node in behind(node, graph)}
    lines = [line.split(" > ") for line in dag.cycle_lines(graph)]
    assert bool(circular) == bool(lines)
    for line in lines:
        assert line[0] == line[-1]
        assert all(prior in graph[node] for node, prior in pairwise(line))
    leading = {n for n in dag.nodes_of(graph) if n not in circular and behind(n, graph) & circular}
    assert set(dag.leading_into_cycles(graph)) == leading


@given(GRAPHS)
def test_waves_hold_each_node_once_right_after_what_it_depends_on(graph: dict[str, set[str]]) -> None:
    if dag.cycle_lines(graph):
        with pytest.raises(dag.CycleFound):
            dag.waves(graph)
        return
    place = {node: index for index, wave in enumerate(dag.waves(graph)) for node in wave}
    assert sorted(node for wave in dag.waves(graph) for node in wave) == dag.nodes_of(graph)
    for node, index in place.items():
        assert index == 1 + max((place[prior] for prior in graph.get(node, ())), default=-1)


@given(GRAPHS, st.sets(NAMES))
def test_a_part_of_the_graph_keeps_the_order_of_the_whole(graph: dict[str, set[str]], chosen: set[str]) -> None:
    part = dag.restricted(graph, chosen)
    assert set(part) == chosen
    for node in chosen:
        assert behind(node, part) == behind(node, graph) & chosen


@given(GRAPHS)
def test_the_fewest_dependencies_have_the_same_order_and_none_can_go(graph: dict[str, set[str]]) -> None:
    if dag.cycle_lines(graph):
        return
    fewest = dag.reduced(graph)
    for node, priors in fewest.items():
        assert behind(node, fewest) == behind(node, graph)
        for prior in priors:
            assert prior not in behind(node, {**fewest, node: priors - {prior}})
