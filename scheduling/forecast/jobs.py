"""What the schedules of jobs have ahead."""

from collections.abc import Iterable
from datetime import datetime
from typing import cast

from scheduling.forecast.ahead import ahead_of
from scheduling.forecast.values import Outlook, Piece, Usual
from scheduling.models import JobSchedule, Run, Schedule
from scheduling.states import RunKind


def jobs_ahead(start: datetime, until: datetime, now: datetime) -> Outlook:
    """Return what the schedules in force have ahead; a few statements, whatever their number."""
    durations = Run.objects.usual_durations_by_title(RunKind.JOB)

    def usual(schedule: Schedule) -> Usual:
        job = cast(JobSchedule, schedule).job
        return Usual(durations.get(job.name), queue=job.queue_name)

    schedules: list[JobSchedule] = list(JobSchedule.objects.automatic().readable().order_by("job__name", "name"))
    return ahead_of(schedules, usual, start, until, now, live=_counted_before(schedules))


def _counted_before(schedules: Iterable[JobSchedule]) -> dict[int, tuple[Piece, ...]]:
    """Return the schedules whose run another one holds too: a run of a job is one task, whoever waits for its end."""
    seen: set[int] = set()
    found: dict[int, tuple[Piece, ...]] = {}
    for schedule in schedules:
        if schedule.running_run_id in seen:
            found[schedule.pk] = ()
        elif schedule.running_run_id is not None:
            seen.add(schedule.running_run_id)
    return found
