"""When each task of a run is expected to start: at once after the last of those it depends on, if none waits for room.

The waves of a manifest say what may run together; durations say when, so a quick task does not wait for a slow one of
its wave that it does not depend on. This is also how the engine releases tasks.
"""

from collections.abc import Collection, Mapping
from datetime import timedelta

from scheduling.dag.graph import waves


def starts(order: Mapping[str, Collection[str]], lasts: Mapping[str, timedelta]) -> dict[str, timedelta]:
    """Return the time from the start of the run to that of each node, by key; `lasts` tells what every node takes.

    Raises CycleFound when the graph has no order.
    """
    found: dict[str, timedelta] = {}
    for wave in waves(order):
        for key in wave:
            found[key] = max((found[prior] + lasts[prior] for prior in order.get(key, ())), default=timedelta())
    return found
