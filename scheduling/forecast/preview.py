"""What a schedule would do, before anybody saves it: the sentence and the next slots as `decide` sees them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import islice
from typing import Any

from scheduling.forecast.values import ExpectedFire
from scheduling.forecast.walk import Walk
from scheduling.models import SchedulerConfiguration
from scheduling.schedules.change import advance
from scheduling.schedules.rules import judged
from scheduling.schedules.sentence import describe
from staging.models import Entity

_EVER = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True)
class Preview:
    """The sentence and the next slots of valid values, blackouts included; only the faults by column of others."""

    sentence: str = ""
    fires: list[ExpectedFire] = field(default_factory=list)
    errors: dict[str, list[str]] = field(default_factory=dict)


def preview(values: Mapping[str, Any], *, entity: Entity, now: datetime, count: int = 5) -> Preview:
    """Return what the values would do after `now`; writes nothing. Manual and triggered modes have no fires.

    The fires are shown for a disabled schedule too: they are what switching it on would give. A single moment that
    has passed has none, and the sentence says so; whether it may be saved is `schedule_errors`' to say.
    """
    stored, errors = judged(values)
    if errors:
        return Preview(errors=errors)
    configuration = SchedulerConfiguration(**stored | {"is_enabled": True}, entity=entity, armed_from=now)
    sentence = describe(configuration)
    configuration.next_scheduled_run = advance(configuration, now)
    walk = Walk(configuration, None, now, now)
    return Preview(sentence=sentence, fires=list(islice(walk.fires(_EVER), count)))
