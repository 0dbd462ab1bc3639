"""What the configurations of the entities have ahead."""

from dataclasses import replace
from datetime import datetime
from typing import cast

from scheduling.decisions.wording import pause_sentence
from scheduling.forecast.ahead import ahead_of
from scheduling.forecast.values import Outlook, Piece, Usual
from scheduling.models import Plan, Run, Schedule, SchedulerConfiguration, SchedulerState


def configurations_ahead(start: datetime, until: datetime, now: datetime) -> Outlook:
    """Return what the enabled configurations have ahead; a few statements, whatever their number.

    Also says when everything is paused, once for all kinds.
    """
    durations = Run.objects.usual_durations()

    def usual(schedule: Schedule) -> Usual:
        return Usual(durations.get(cast(SchedulerConfiguration, schedule).entity_id))

    enabled = SchedulerConfiguration.objects.automatic().readable().order_by("entity__code")
    outlook = ahead_of(enabled, usual, start, until, now, live=_in_plans())
    everything = SchedulerState.current()
    if everything.paused_at is None:
        return outlook
    return replace(outlook, notes=(pause_sentence("Everything is paused", everything), *outlook.notes))


def _in_plans() -> dict[int, tuple[Piece, ...]]:
    """Return the configurations whose batch is a step of a plan that counts it already: for them nothing is left."""
    counted = Plan.objects.automatic().filter(is_running=True).values("running_run")
    running = SchedulerConfiguration.objects.filter(is_running=True, running_task__run__in=counted)
    return dict.fromkeys(running.values_list("pk", flat=True), ())
