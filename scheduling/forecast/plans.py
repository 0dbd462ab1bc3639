"""What the plans have ahead."""

from datetime import datetime, timedelta
from typing import cast

from scheduling.forecast.ahead import ahead_of
from scheduling.forecast.values import Outlook
from scheduling.models import Plan, Run, Schedule
from scheduling.states import RunKind


def plans_ahead(start: datetime, until: datetime, now: datetime) -> Outlook:
    """Return what the enabled plans have ahead, each as one thing; a few statements, whatever their number."""
    durations = Run.objects.usual_durations_by_title(RunKind.PLAN)

    def lasts(schedule: Schedule) -> timedelta | None:
        return durations.get(cast(Plan, schedule).run_title)

    return ahead_of(Plan.objects.automatic().readable().order_by("name"), lasts, start, until, now)
