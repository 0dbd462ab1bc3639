"""Short questions to a cadence, so that a test reads as its promise."""

from datetime import datetime
from itertools import pairwise
from typing import Any

import pytest

from scheduling.cadence.base import Cadence
from scheduling.cadence.errors import CadenceError
from scheduling.cadence.parse import parse_cadence


def cadence(kind: str, zone: str = "UTC", **fields: Any) -> Cadence:
    """Build a cadence."""
    return parse_cadence({"kind": kind, **fields}, zone)


def fires(rule: Cadence, after: str, count: int = 3) -> list[str]:
    """Return the next fires as local text with offset; every step must be strictly later, and the way back the same."""
    found = []
    moment: datetime | None = datetime.fromisoformat(after)
    while len(found) < count and (moment := rule.next_after(moment)) is not None:
        found.append(moment)
    assert all(earlier < later for earlier, later in pairwise(found))
    for earlier, later in pairwise(found):
        assert rule.previous_before(later) == earlier
    return [fire.astimezone(rule.zone).isoformat(timespec="minutes") for fire in found]


def before(rule: Cadence, instant: str) -> str | None:
    """Return the previous fire as local text with offset."""
    fire = rule.previous_before(datetime.fromisoformat(instant))
    return None if fire is None else fire.astimezone(rule.zone).isoformat(timespec="minutes")


def faults(document: dict[str, Any], zone: str = "UTC") -> dict[str, list[str]]:
    """Return the faults of a document that must be refused."""
    with pytest.raises(CadenceError) as caught:
        parse_cadence(document, zone)
    return caught.value.errors
