"""One cycle of the dispatcher, once a minute: the whole story of when work starts."""

from datetime import datetime

from scheduling.dispatch.firing import evaluate
from scheduling.dispatch.kinds import KINDS
from scheduling.dispatch.report import CycleReport
from scheduling.locks import cycle_lock
from scheduling.models import Heartbeat, SchedulerState
from scheduling.recovery.recover import recover
from scheduling.schedules.pause import resume_what_is_over


def run_cycle(now: datetime) -> CycleReport:
    """Run one cycle at `now` and report it. Safe to call from anywhere, any number of times, also at once.

    1. Take the lock; a cycle that finds it taken ends at once.
    2. Recover: release what is dead, send again what was lost.
    3. Resume what is paused only until now; when everything is paused, that is all.
    4. Of each kind of schedule, snapshot what is due or triggered, and measure it in few statements.
    5. Decide each schedule apart from the others, and fire what should fire.
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

        for kind in KINDS:
            due = kind.due(now)
            statistics = kind.measured(due, now)
            for schedule in due:
                evaluate(kind, schedule, statistics[schedule.pk], now, report)
    return report
