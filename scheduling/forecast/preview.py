"""What a schedule would do, before anybody saves it: the sentence and the next slots as `decide` sees them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any

from scheduling.forecast.slots import enter, slots_ahead
from scheduling.forecast.values import ExpectedFire
from scheduling.lifecycle.arming import armed, put
from scheduling.models import Plan, Schedule, SchedulerConfiguration, SchedulerState
from scheduling.schedules.change import settings_columns
from scheduling.schedules.rules import judged
from scheduling.schedules.sentence import describe
from scheduling.simulation.world import World
from scheduling.states import ProcessingMode
from scheduling.usual_runs import UsualRun, key_of
from staging.models import Entity

_EVER = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True)
class SchedulePreview:
    """The sentence and the next slots of valid values, blackouts included; only the faults by column of others."""

    sentence: str = ""
    fires: list[ExpectedFire] = field(default_factory=list)
    errors: dict[str, list[str]] = field(default_factory=dict)


def preview_schedule(
    values: Mapping[str, Any], *, entity: Entity | None, now: datetime, count: int = 5
) -> SchedulePreview:
    """Return what the values would do after `now`; writes nothing. Manual and triggered modes have no fires.

    The fires are shown for a disabled schedule too: they are what switching it on would give. A single moment that
    has passed has none, and the sentence says so; whether it may be saved is `schedule_errors`' to say. Without an
    entity they are the settings of a plan.
    """
    stored, errors = judged(values)
    if errors:
        return SchedulePreview(errors=errors)
    schedule = _schedule(stored | {"is_enabled": True}, entity)
    put(schedule, armed(schedule, now))
    sentence = describe(schedule)
    # Of settings nobody knows how long their runs take.
    world = World({}, {key_of(schedule): UsualRun(timedelta())}, SchedulerState(), now)
    enter(world, schedule, now, now)
    return SchedulePreview(sentence=sentence, fires=list(islice(slots_ahead(world, now, _EVER), count)))


def _schedule(settings: Mapping[str, Any], entity: Entity | None) -> Schedule:
    if entity is not None:
        return SchedulerConfiguration(**settings, entity=entity)
    plan = Plan(after_others=settings["processing_mode"] == ProcessingMode.TRIGGERED)
    for column in settings_columns(plan):
        setattr(plan, column, settings[column])
    return plan
