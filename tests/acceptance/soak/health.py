"""When the dispatchers of a soak were healthy: what the auditor must know to ask whether cycles went on."""

import time
from collections.abc import Collection, Iterator, Sequence
from datetime import UTC, datetime, timedelta


class Health:
    """Notes when processes were ill; a dispatcher is healthy while a process of each of its parts is well."""

    def __init__(self, dispatchers: Sequence[Collection[int]]):
        self._parts = dispatchers
        self._ill: list[tuple[int, float, float]] = []

    def ill(self, place: int, seconds: float) -> None:
        """Note that this process is ill from now on for so long."""
        self._ill.append((place, time.time(), time.time() + seconds))

    def windows(self, since: float, until: float, length: int) -> Iterator[tuple[datetime, datetime]]:
        """Yield the times of `length` seconds, one after the other, in all of which a dispatcher was healthy."""
        start = since
        for second in range(int(until - since)):
            if not self._is_healthy(since + second, since + second + 1):
                start = since + second + 1
            elif since + second + 1 - start >= length:
                yield datetime.fromtimestamp(start, UTC), datetime.fromtimestamp(start, UTC) + timedelta(seconds=length)
                start += length

    def _is_healthy(self, since: float, until: float) -> bool:
        ill = {place for place, began, ended in self._ill if began < until and ended > since}
        return all(any(place not in ill for place in part) for part in self._parts)
