"""One cycle of the dispatcher, once a minute: the whole story of when work starts."""

from datetime import datetime

from django.db.models import Q

from scheduling.decisions.measure import measure
from scheduling.dispatch.firing import evaluate
from scheduling.dispatch.report import CycleReport
from scheduling.lifecycle.guard import stamp_trigger_check
from scheduling.locks import cycle_lock
from scheduling.models import Heartbeat, SchedulerConfiguration, SchedulerState
from scheduling.recovery.recover import recover
from scheduling.schedules.pause import resume_what_is_over
from scheduling.states import ProcessingMode


def run_cycle(now: datetime) -> CycleReport:
    """Run one cycle at `now` and report it. Safe to call from anywhere, any number of times, also at once.

    1. Take the lock; a cycle that finds it taken ends at once.
    2. Recover: release what is dead, send again what was lost.
    3. Resume what is paused only until now; when everything is paused, that is all.
    4. Snapshot what is due or triggered, and measure it in few statements.
    5. Decide each entity apart from the others, and fire what should fire.
    """
    report = CycleReport(now=now)
    with cycle_lock() as held:
        if not held:
            report.ran = False
            return report
        Heartbeat.note(Heartbeat.DISPATCHER, Heartbeat.DISPATCHER, now)
        recovered = recover(now)
        report.zombies, report.resent = recovered.zombies, recovered.resent
        resume_what_is_over(now)
        if SchedulerState.current().paused_at is not None:
            return report

        due = _snapshot(now)
        statistics = measure(due)
        stamp_trigger_check([c.pk for c in due if c.processing_mode == ProcessingMode.TRIGGERED], now=now)

        for configuration in due:
            evaluate(configuration, statistics[configuration.entity_id], now, report)
    return report


def _snapshot(now: datetime) -> list[SchedulerConfiguration]:
    """Return the configurations this cycle looks at, longest due first; one query, whatever the number not due."""
    due = Q(processing_mode=ProcessingMode.SCHEDULED, next_scheduled_run__lte=now)
    triggered = Q(processing_mode=ProcessingMode.TRIGGERED)
    candidates = SchedulerConfiguration.objects.automatic().filter(due | triggered, paused_at__isnull=True)
    known = candidates.select_related("entity", "calendar").prefetch_related("calendar__periods")
    return list(known.order_by("next_scheduled_run", "id"))
