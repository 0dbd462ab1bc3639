"""What a schedule would do, before anybody saves it: the sentence and the next fires, or the faults."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from scheduling.models import SchedulerConfiguration
from scheduling.schedules.rules import judged
from scheduling.schedules.sentence import describe


@dataclass(frozen=True)
class Preview:
    """The sentence and the next fires (UTC, ascending) of valid values; only the faults by column of others."""

    sentence: str = ""
    fires: list[datetime] = field(default_factory=list)
    errors: dict[str, list[str]] = field(default_factory=dict)


def preview(values: Mapping[str, Any], *, now: datetime, count: int = 5) -> Preview:
    """Return what the values would do after `now`; writes nothing. Manual and triggered modes have no fires.

    The fires are shown for a disabled schedule too: they are what switching it on would give. A single moment that
    has passed has none, and the sentence says so; whether it may be saved is `schedule_errors`' to say.
    """
    stored, errors = judged(values)
    if errors:
        return Preview(errors=errors)
    configuration = SchedulerConfiguration(**stored, armed_from=now)
    cadence = configuration.cadence(since=now)
    fires: list[datetime] = []
    fire = cadence.next_after(now) if cadence is not None else None
    while cadence is not None and fire is not None and len(fires) < count:
        fires.append(fire)
        fire = cadence.next_after(fire)
    return Preview(sentence=describe(configuration), fires=fires)
