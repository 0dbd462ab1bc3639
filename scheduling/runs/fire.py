"""A fire that the scheduler decided: everything its start needs to know, whatever kind of schedule it is."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any


@dataclass(frozen=True)
class Fire:
    """One fire. `fire_key` is unique to it; `slots` are the columns by which the schedule moves on together with it.

    `slot` is None for a trigger. `details` is what the log keeps of the decision.
    """

    fire_key: str
    trigger_source: str
    reason: str
    now: datetime
    slot: datetime | None = None
    slots: Mapping[str, Any] = field(default_factory=dict)
    rows_queued: int = 0
    details: Mapping[str, Any] = field(default_factory=dict)
