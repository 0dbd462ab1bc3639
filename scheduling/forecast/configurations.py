"""What the configurations of the entities have ahead."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import cast

from scheduling.decisions.wording import pause_sentence
from scheduling.forecast.ahead import ahead_of
from scheduling.forecast.values import Outlook
from scheduling.models import Run, Schedule, SchedulerConfiguration, SchedulerState


def configurations_ahead(start: datetime, until: datetime, now: datetime) -> Outlook:
    """Return what the enabled configurations have ahead; a few statements, whatever their number.

    Also says when everything is paused, once for all kinds.
    """
    durations = Run.objects.usual_durations()

    def lasts(schedule: Schedule) -> timedelta | None:
        return durations.get(cast(SchedulerConfiguration, schedule).entity_id)

    enabled = SchedulerConfiguration.objects.automatic().readable().order_by("entity__code")
    outlook = ahead_of(enabled, lasts, start, until, now)
    everything = SchedulerState.current()
    if everything.paused_at is None:
        return outlook
    return replace(outlook, notes=(pause_sentence("Everything is paused", everything), *outlook.notes))
