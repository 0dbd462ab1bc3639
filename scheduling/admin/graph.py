"""A graph of steps as a drawing: a column for each wave, a curve from each step to what waits for it; pure placing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from scheduling.dag.graph import Graph

MOST_DRAWN = 150  # steps of a drawing that can still be read
MOST_EDGES = 1000  # of a graph that is thinned out: more would take longer than a look is worth
MOST_LINES = 300
_WIDE, _HIGH, _GAP_X, _GAP_Y, _EDGE = 170, 44, 64, 14, 8  # pixels
_LETTERS = 22


@dataclass(frozen=True)
class Node:
    """A step in the drawing: where, what it is called, what is told of it with a sign, and the badge it is like."""

    x: int
    y: int
    label: str
    name: str
    told: str
    sign: str
    kind: str


@dataclass(frozen=True)
class Graphic:
    """Everything the template writes. `is_sparse`: edges are left out."""

    nodes: tuple[Node, ...] = ()
    edges: tuple[str, ...] = ()
    width: int = 0
    height: int = 0
    is_sparse: bool = False


def drawn(placed: Sequence[Sequence[str]], graph: Graph, tell: Callable[[str], tuple[str, str, str]]) -> Graphic:
    """Return the drawing of these waves, empty when they are too many; `tell` says of a step (words, badge, sign)."""
    if sum(map(len, placed)) > MOST_DRAWN:
        return Graphic()
    tallest = max((len(wave) for wave in placed), default=0)
    height = tallest * (_HIGH + _GAP_Y) - _GAP_Y + 2 * _EDGE
    nodes: dict[str, Node] = {}
    for column, wave in enumerate(placed):
        top = (height - len(wave) * (_HIGH + _GAP_Y) + _GAP_Y) // 2
        for row, key in enumerate(wave):
            x, y = _EDGE + column * (_WIDE + _GAP_X), top + row * (_HIGH + _GAP_Y)
            words, kind, sign = tell(key)
            label = key if len(key) <= _LETTERS else f"{key[: _LETTERS - 1]}…"
            nodes[key] = Node(x, y, label, key, words, sign, kind)
    edges = tuple(_curve(nodes[prior], nodes[key]) for key in nodes for prior in sorted(graph.get(key, ())))
    width = len(placed) * (_WIDE + _GAP_X) - _GAP_X + 2 * _EDGE
    return Graphic(tuple(nodes.values()), edges, width, height, is_sparse=not graph and len(placed) > 1)


def _curve(prior: Node, after: Node) -> str:
    """Return the path from the right side of one node to the left side of another."""
    x1, y1, x2, y2 = prior.x + _WIDE, prior.y + _HIGH // 2, after.x, after.y + _HIGH // 2
    middle = (x1 + x2) // 2
    return f"M{x1} {y1} C{middle} {y1} {middle} {y2} {x2 - 6} {y2}"
