"""What the schedules of jobs have ahead."""

from datetime import datetime, timedelta
from typing import cast

from scheduling.forecast.ahead import ahead_of
from scheduling.forecast.values import Outlook
from scheduling.models import JobSchedule, Run, Schedule
from scheduling.states import RunKind


def jobs_ahead(start: datetime, until: datetime, now: datetime) -> Outlook:
    """Return what the schedules in force have ahead; a few statements, whatever their number."""
    durations = Run.objects.usual_durations_by_title(RunKind.JOB)

    def lasts(schedule: Schedule) -> timedelta | None:
        return durations.get(cast(JobSchedule, schedule).job.name)

    return ahead_of(JobSchedule.objects.automatic().readable().order_by("job__name", "name"), lasts, start, until, now)
