"""Questions about order: circles, waves, lines of the hierarchy, and a part of a graph that keeps its order.

A graph is a mapping from each node to the nodes it depends on. A node that is only depended on need not be a key.
Answers are sorted by name, so that the same graph always reads the same.
"""

from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import islice

from staging.phrases import Phrase, joined, phrase

Graph = Mapping[str, Collection[str]]

CYCLE_ARROW = " > "  # "branch > region": branch depends on region
HIERARCHY_ARROW = " >>> "  # "region >>> branch": region comes first


class CycleFound(ValueError):
    """The graph has circles, so it has no order; `cycles` are their lines, `leading` what depends on a circle."""

    def __init__(self, cycles: list[str], leading: list[str]):
        self.cycles = cycles
        self.leading = leading
        super().__init__(cycle_sentence(cycles, leading))


def cycle_sentence(cycles: Iterable[str], leading: Iterable[str]) -> Phrase:
    """Return one sentence that prints the circles and names what can never start because of them."""
    text = phrase("These depend on each other in a circle: {cycles}.", cycles="; ".join(cycles))
    if waiting := ", ".join(leading):
        return joined((text, phrase("Waiting for it for ever: {waiting}.", waiting=waiting)))
    return text


def nodes_of(graph: Graph) -> list[str]:
    """Return every node, those included that are only depended on."""
    return sorted({*graph}.union(*graph.values()))


def cycle_lines(graph: Graph) -> list[str]:
    """Return one line for each knot of circles: "branch > region > branch"; empty when the graph has an order.

    A line is the shortest circle through the first name of its knot. Mending it may leave another in the same knot.
    """
    return [CYCLE_ARROW.join(_circle_through(min(knot), graph)) for knot in _knots(graph)]


def leading_into_cycles(graph: Graph) -> list[str]:
    """Return the nodes on no circle that depend on one, however far away: they could never start."""
    on_circle = {node for knot in _knots(graph) for node in knot}
    return sorted(reach(on_circle, reversed_graph(graph)) - on_circle)


def check_order(graph: Graph) -> None:
    """Raise CycleFound when the graph has no order."""
    if lines := cycle_lines(graph):
        raise CycleFound(lines, leading_into_cycles(graph))


def waves(graph: Graph) -> list[list[str]]:
    """Return the nodes in waves: a node is in the first wave after all it depends on. Raises CycleFound."""
    after, found = reversed_graph(graph), []
    waiting = {node: len({*graph.get(node, ())}) for node in after}
    wave = sorted(node for node, number in waiting.items() if not number)
    while wave:
        found.append(wave)
        ready = []
        for follower in (each for node in wave for each in after[node]):
            waiting[follower] -= 1
            if not waiting[follower]:
                ready.append(follower)
        wave = sorted(ready)
    if any(waiting.values()):
        check_order(graph)
    return found


def hierarchy_lines(graph: Graph, most: int = 1000) -> list[str]:
    """Return every path from a node without dependencies, a line for each of its beginnings: "a", "a >>> b".

    At most `most` lines: a graph of few nodes may have very many paths. Raises CycleFound.
    """
    check_order(graph)
    return list(islice(_paths(graph), most))


def restricted(graph: Graph, chosen: Collection[str]) -> dict[str, set[str]]:
    """Return the graph of the chosen nodes alone; an order that passes through others is kept.

    A chosen node depends on the nearest chosen ones on every way back. Circles are kept too, for `check` to find.
    """
    members, behind, found = set(chosen), dict[str, set[str]](), dict[str, set[str]]()
    for node in sorted(members):
        priors = set(graph.get(node, ()))
        found[node] = priors & members
        for other in priors - members:
            if other not in behind:
                behind[other] = _nearest(other, graph, members)
            found[node] |= behind[other]
    return found


def _nearest(start: str, graph: Graph, members: set[str]) -> set[str]:
    """Return the nearest members on every way back from a node that is none."""
    nearest, seen, ahead = set[str](), {start}, [start]
    while ahead:
        priors = set(graph.get(ahead.pop(), ()))
        nearest |= priors & members
        ahead += (others := priors - members - seen)
        seen |= others
    return nearest


def reduced(graph: Graph) -> dict[str, set[str]]:
    """Return the fewest dependencies with the same order: none that follows from others. Raises CycleFound."""
    check_order(graph)
    behind = {node: reach([node], graph) for node in nodes_of(graph)}
    return {
        node: {
            prior
            for prior in graph.get(node, ())
            if not any(prior in behind[other] for other in graph[node] if other != prior)
        }
        for node in behind
    }


def reach(start: Iterable[str], graph: Graph) -> set[str]:
    """Return the start nodes' dependencies, theirs, and so on. A start node is in it only when something leads back."""
    seen, ahead = set[str](), [prior for node in start for prior in graph.get(node, ())]
    while ahead:
        node = ahead.pop()
        if node not in seen:
            seen.add(node)
            ahead.extend(graph.get(node, ()))
    return seen


def reversed_graph(graph: Graph) -> dict[str, set[str]]:
    """Return for each node the nodes that depend on it."""
    found: dict[str, set[str]] = {node: set() for node in nodes_of(graph)}
    for node, priors in graph.items():
        for prior in priors:
            found[prior].add(node)
    return found


def _paths(graph: Graph) -> Iterator[str]:
    """Yield every path from a node without dependencies, depth first."""
    after = reversed_graph(graph)
    stack: list[tuple[str, ...]] = [(node,) for node in reversed(nodes_of(graph)) if not graph.get(node)]
    while stack:
        path = stack.pop()
        yield HIERARCHY_ARROW.join(path)
        stack.extend((*path, node) for node in sorted(after[path[-1]], reverse=True))


def _knots(graph: Graph) -> list[set[str]]:
    """Return the sets of nodes that all depend on each other (and so on themselves), by first name.

    What is on no circle is peeled off first, from both ends, so that large graphs with an order cost next to nothing.
    """
    left = _between(graph)
    behind = {node: reach([node], left) for node in left}
    knots = {frozenset(other for other in behind[node] if node in behind[other]) for node in left}
    return sorted((set(knot) for knot in knots if knot), key=min)


def _between(graph: Graph) -> dict[str, set[str]]:
    """Return the graph without the nodes that nothing, or nothing but such nodes, stands before or after."""
    left = {node: set(graph.get(node, ())) for node in nodes_of(graph)}
    for _ in ("before", "after"):
        after = reversed_graph(left)
        ready = deque(node for node, priors in left.items() if not priors)
        while ready:
            node = ready.popleft()
            del left[node]
            for other in after[node]:
                left[other].discard(node)
                if not left[other]:
                    ready.append(other)
        left = reversed_graph(left)
        if not left:
            break
    return left


def _circle_through(start: str, graph: Graph) -> list[str]:
    """Return the shortest way from the node back to itself, both ends included."""
    ways = deque([[start]])
    seen = set[str]()
    while ways:
        way = ways.popleft()
        for prior in sorted(graph.get(way[-1], ())):
            if prior == start:
                return [*way, start]
            if prior not in seen:
                seen.add(prior)
                ways.append([*way, prior])
    raise RuntimeError(f"{start} is on no circle.")
