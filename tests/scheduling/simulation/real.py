"""Real cycles on a real database beside a simulation: every task takes the time it is told to, on a virtual clock."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from datetime import datetime, timedelta
from time import sleep
from unittest.mock import patch

from scheduling.dispatch import recover
from scheduling.dispatch.cycle import run_cycle
from scheduling.kinds import KINDS, usual_runs
from scheduling.models import Job, Queue, Run, SchedulerLog, SchedulerState, Task
from scheduling.queues import claim_next
from scheduling.runs.execute import run_attempt
from scheduling.simulation.arrivals import Arrival
from scheduling.simulation.grid import Grid
from scheduling.simulation.outcome import Simulation
from scheduling.simulation.simulate import simulate
from staging.models import Entity
from tests.scheduling.simulation.making import MINUTE, START

_TICK = timedelta(microseconds=1)


def start_fresh() -> None:
    """Let every stored schedule count from START, as a simulation does, and every queue take what comes."""
    for kind in KINDS:
        for schedule in kind.automatic():
            schedule.armed_from = START
            type(schedule).objects.filter(pk=schedule.pk).update(
                armed_from=START, next_scheduled_run=schedule.planned_after(START - _TICK)
            )
    Queue.objects.update_or_create(name="default", defaults={"max_running": 1000})


def seen_before(minutes: dict[str, float]) -> None:
    """Store that these jobs and entities were done once, so that their durations are known."""
    run = Run.objects.create(kind="ordered", fire_key="before", status="completed", created_at=START, finished_at=START)
    queue, _ = Queue.objects.get_or_create(name="default")
    ids = {("job", job.name): job.pk for job in Job.objects.all()}
    ids |= {("batch", entity.code): entity.pk for entity in Entity.objects.all()}
    for (workload, name), pk in ids.items():
        if name in minutes:
            Task.objects.create(
                run=run, key=name, workload=workload, target_id=pk, queue=queue, status="completed",
                started_at=START - minutes[name] * MINUTE, finished_at=START,
            )  # fmt: skip
            Run.objects.create(
                kind=workload, title=name if workload == "job" else "", fire_key=f"seen {name}", status="completed",
                entity_id=pk if workload == "batch" else None, created_at=START,
                started_at=START - minutes[name] * MINUTE, finished_at=START,
            )  # fmt: skip


class Workers:
    """Claims at once whatever is queued; each task ends after what `lasts` says of it."""

    def __init__(self, lasts: Callable[[Task], timedelta]) -> None:
        self._lasts = lasts
        self._begun: list[tuple[datetime, int, object]] = []

    def claim(self, now: datetime) -> None:
        while attempt := claim_next(worker="test", now=now):
            self._begun.append((now + self._lasts(attempt.task), attempt.pk, attempt))
            self._begun.sort()

    def pass_time(self, now: datetime) -> None:
        """End what ends up to now; what this releases is claimed in the same instant."""
        while self._begun and self._begun[0][0] <= now:
            ends, _, attempt = self._begun.pop(0)
            run_attempt(attempt, time=lambda ends=ends: ends)
            self.claim(ends)

    def stop_cancelled(self, now: datetime) -> None:
        asked = [one for one in self._begun if Task.objects.get(pk=one[2].task_id).cancel_requested]
        self._begun = [(now, *one[1:]) if one in asked else one for one in self._begun]
        self._begun.sort()
        self.pass_time(now)


def nothing_dies() -> AbstractContextManager[object]:
    """Let cycles look for nothing that died: here nothing does, and looking takes half the time of a cycle."""
    looks = [
        "release_silent_attempts",
        "release_abandoned_guards",
        "give_up_overdue_attempts",
        "give_up_cancelled_attempts",
        "advance_stuck_runs",
        "resend",
    ]
    return patch.multiple(recover, retry_late_rows=lambda now: [], **{look: lambda now: 0 for look in looks})


def live_through(grid: Grid, lasts: Callable[[Task], timedelta], before: Callable[[datetime], None]) -> None:
    """Run every cycle of the grid; `before` is called ahead of each one."""
    workers = Workers(lasts)
    with nothing_dies():
        for now in grid:
            live_one(now, workers, before)


def live_one(now: datetime, workers: Workers, before: Callable[[datetime], None] = lambda now: None) -> None:
    """Run one cycle, and what its workers do up to it."""
    workers.pass_time(now)
    before(now)
    while not run_cycle(now).ran:  # PostgreSQL frees the lock of the cycle before when its session has ended
        sleep(0.01)
    workers.claim(now)
    workers.stop_cancelled(now)


def what_happened() -> list[tuple[datetime, str, str]]:
    """Return what the log says: when, about whom, and the event, in order."""
    events = SchedulerLog.objects.filter(event_type__in=["fired", "skipped", "held", "missed", "error"])
    return sorted(
        (event.event_time, name_of(event), event.event_type) for event in events.select_related("entity", "plan", "job")
    )


def what_was_simulated(found: Simulation) -> list[tuple[datetime, str, str]]:
    """Return the same of a simulation."""
    fires = [(fire.at, fire.entity, "fired") for fire in found.fires]
    return sorted(fires + [(event.at, event.entity, event.event) for event in found.not_fired])


def simulated(grid: Grid, arrivals: Mapping[str, list[Arrival]]) -> Simulation:
    """Return what is simulated of everything that is stored, as the command does it."""
    schedules = [schedule for kind in KINDS for schedule in kind.automatic()]
    works, everything = usual_runs(schedules), SchedulerState.current()
    return simulate(schedules, grid, arrivals=arrivals, usual=works, everything=everything)


def name_of(event: SchedulerLog) -> str:
    """Return what a simulation calls the one an event is about."""
    if event.entity:
        return event.entity.code
    return event.plan.what if event.plan else event.job.what
