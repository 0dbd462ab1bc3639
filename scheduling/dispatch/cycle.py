"""One cycle of the dispatcher, once a minute: the whole story of when work starts."""

from datetime import datetime

from django.db.models import Q

from scheduling.decisions.measure import measure
from scheduling.dispatch.firing import evaluate
from scheduling.dispatch.report import CycleReport
from scheduling.lifecycle.guard import stamp_trigger_check
from scheduling.locks import cycle_lock
from scheduling.models import Heartbeat, SchedulerConfiguration
from scheduling.recovery.recover import recover
from scheduling.states import ProcessingMode


def run_cycle(now: datetime) -> CycleReport:
    """Run one cycle at `now` and report it. Safe to call from anywhere, any number of times, also at once.

    1. Take the lock; a cycle that finds it taken ends at once.
    2. Recover: release what is dead, send again what was lost.
    3. Snapshot what is due or triggered, and measure it in few statements.
    4. Decide each entity apart from the others, and fire what should fire.
    """
    report = CycleReport(now=now)
    with cycle_lock() as held:
        if not held:
            report.ran = False
            return report
        Heartbeat.note(Heartbeat.DISPATCHER, Heartbeat.DISPATCHER, now)
        recovered = recover(now)
        report.zombies, report.resent = recovered.zombies, recovered.resent

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
    candidates = SchedulerConfiguration.objects.automatic().filter(due | triggered)
    return list(candidates.select_related("entity").order_by("next_scheduled_run", "id"))
