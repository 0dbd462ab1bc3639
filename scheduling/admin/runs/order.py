"""The manifest of a run as a graph: drawn by waves, and the same as text; pure placing, three queries."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from scheduling.admin.graph import MOST_EDGES, MOST_LINES, Graphic, drawn
from scheduling.dag.graph import hierarchy_lines, reduced, waves
from scheduling.formatters import BADGES
from scheduling.models import Run, Task, TaskDependency
from scheduling.models.run import STATE
from scheduling.states import RunKind

MOST_STEPS = 2000  # of a run that is put into waves; a bigger one is counted by its numbers


@dataclass(frozen=True)
class Order:
    """Everything the template writes: waves of (step, state), lines of the hierarchy, and the drawing.

    `groups`: for a run that is too big, how many steps have each number instead.
    """

    waves: tuple[tuple[tuple[str, str], ...], ...] = ()
    lines: tuple[str, ...] = ()
    graphic: Graphic = field(default_factory=Graphic)
    groups: tuple[tuple[int, int], ...] = ()
    total: int = 0


def order_of(run: Run) -> Order:
    """Return the order of a run's steps, as it was made, with the state of each."""
    shown = run.tasks.steps().annotate(state=STATE).order_by("step_index", "id")
    tasks = list(shown.values_list("key", "state", "step_index")[: MOST_STEPS + 1])
    if len(tasks) > MOST_STEPS:
        return _counted(run)
    status = {key: state for key, state, _ in tasks}
    if run.kind == RunKind.ORDERED:
        placed, graph = _by_number(tasks), {}
    else:
        graph = _graph(run, status)
        placed = waves(graph)
    edges = sum(map(len, graph.values()))
    fewest = reduced(graph) if 0 < edges <= MOST_EDGES else {}
    return Order(
        waves=tuple(tuple((key, status[key]) for key in wave) for wave in placed),
        lines=tuple(hierarchy_lines(fewest, MOST_LINES)) if fewest else (),
        graphic=drawn(placed, fewest, lambda key: (status[key], *BADGES.get(status[key], ("quiet", "○")))),
        total=len(tasks),
    )


def _graph(run: Run, status: dict[str, str]) -> dict[str, set[str]]:
    """Return what each step depends on."""
    found: dict[str, set[str]] = {key: set() for key in status}
    for key, prior in TaskDependency.objects.filter(task__run=run, depends_on__mapped_by=None).values_list(
        "task__key", "depends_on__key"
    ):
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
    numbers = Task.objects.steps().filter(run=run).order_by("step_index").values_list("step_index", flat=True)
    found: dict[int, int] = defaultdict(int)
    for number in numbers.iterator(chunk_size=2000):
        found[number] += 1
    return Order(groups=tuple(found.items())[:MOST_LINES], total=sum(found.values()))
