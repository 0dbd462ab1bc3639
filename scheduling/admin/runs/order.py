"""The manifest of a run as a graph: drawn by waves, and the same as text; pure placing, three queries."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from scheduling.dag.graph import Graph, hierarchy_lines, reduced, waves
from scheduling.formatters import BADGES
from scheduling.models import Run, Task, TaskDependency
from scheduling.states import RunKind

MOST_STEPS = 2000  # of a run that is put into waves; a bigger one is counted by its numbers
MOST_DRAWN = 150  # steps of a drawing that can still be read
_MOST_EDGES = 1000  # of a graph that is thinned out: more would take longer than a look is worth
_MOST_LINES = 300
_WIDE, _HIGH, _GAP_X, _GAP_Y, _EDGE = 170, 44, 64, 14, 8  # pixels
_LETTERS = 22


@dataclass(frozen=True)
class Node:
    """A step in the drawing: where, what it is called, its state with its sign, and the kind of badge it is like."""

    x: int
    y: int
    label: str
    name: str
    status: str
    sign: str
    kind: str


@dataclass(frozen=True)
class Order:
    """Everything the template writes: waves of (step, state), lines of the hierarchy, and the drawing.

    `groups`: for a run that is too big, how many steps have each number instead. `is_sparse`: edges are left out.
    """

    waves: tuple[tuple[tuple[str, str], ...], ...] = ()
    lines: tuple[str, ...] = ()
    nodes: tuple[Node, ...] = ()
    edges: tuple[str, ...] = ()
    width: int = 0
    height: int = 0
    groups: tuple[tuple[int, int], ...] = ()
    total: int = 0
    is_sparse: bool = False


def order_of(run: Run) -> Order:
    """Return the order of a run's steps, as it was made, with the state of each."""
    tasks = list(run.tasks.order_by("step_index", "id").values_list("key", "status", "step_index")[: MOST_STEPS + 1])
    if len(tasks) > MOST_STEPS:
        return _counted(run)
    status = {key: state for key, state, _ in tasks}
    if run.kind == RunKind.ORDERED:
        placed, graph = _by_number(tasks), {}
    else:
        graph = _graph(run, status)
        placed = waves(graph)
    edges = sum(map(len, graph.values()))
    fewest = reduced(graph) if 0 < edges <= _MOST_EDGES else {}
    drawn = len(tasks) <= MOST_DRAWN
    return Order(
        waves=tuple(tuple((key, status[key]) for key in wave) for wave in placed),
        lines=tuple(hierarchy_lines(fewest, _MOST_LINES)) if fewest else (),
        **(_drawing(placed, fewest, status) if drawn else {}),
        total=len(tasks),
        is_sparse=drawn and not fewest and len(placed) > 1,
    )


def _graph(run: Run, status: dict[str, str]) -> dict[str, set[str]]:
    """Return what each step depends on."""
    found: dict[str, set[str]] = {key: set() for key in status}
    for key, prior in TaskDependency.objects.filter(task__run=run).values_list("task__key", "depends_on__key"):
        found[key].add(prior)
    return found


def _by_number(tasks: Sequence[tuple[str, str, int]]) -> list[list[str]]:
    """Return the steps of ordered work: the same number together."""
    found: dict[int, list[str]] = defaultdict(list)
    for key, _, number in tasks:
        found[number].append(key)
    return [found[number] for number in sorted(found)]


def _counted(run: Run) -> Order:
    """Return how many steps have each number."""
    numbers = Task.objects.filter(run=run).order_by("step_index").values_list("step_index", flat=True)
    found: dict[int, int] = defaultdict(int)
    for number in numbers.iterator(chunk_size=2000):
        found[number] += 1
    return Order(groups=tuple(found.items())[:_MOST_LINES], total=sum(found.values()))


def _drawing(placed: Sequence[Sequence[str]], graph: Graph, status: dict[str, str]) -> dict[str, Any]:
    """Return the nodes in a column for each wave, and a curve from each to what waits for it."""
    tallest = max((len(wave) for wave in placed), default=0)
    height = tallest * (_HIGH + _GAP_Y) - _GAP_Y + 2 * _EDGE
    nodes: dict[str, Node] = {}
    for column, wave in enumerate(placed):
        top = (height - len(wave) * (_HIGH + _GAP_Y) + _GAP_Y) // 2
        for row, key in enumerate(wave):
            x, y = _EDGE + column * (_WIDE + _GAP_X), top + row * (_HIGH + _GAP_Y)
            kind, sign = BADGES.get(status[key], ("quiet", "○"))
            label = key if len(key) <= _LETTERS else f"{key[: _LETTERS - 1]}…"
            nodes[key] = Node(x, y, label, key, status[key], sign, kind)
    edges = tuple(_curve(nodes[prior], nodes[key]) for key in nodes for prior in sorted(graph.get(key, ())))
    width = len(placed) * (_WIDE + _GAP_X) - _GAP_X + 2 * _EDGE
    return {"nodes": tuple(nodes.values()), "edges": edges, "width": width, "height": height}


def _curve(prior: Node, after: Node) -> str:
    """Return the path from the right side of one node to the left side of another."""
    x1, y1, x2, y2 = prior.x + _WIDE, prior.y + _HIGH // 2, after.x, after.y + _HIGH // 2
    middle = (x1 + x2) // 2
    return f"M{x1} {y1} C{middle} {y1} {middle} {y2} {x2 - 6} {y2}"
