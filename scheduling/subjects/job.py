"""What people set of jobs and of their schedules as versions; code owns the rest."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from scheduling import clock
from scheduling.errors import InvalidSchedule
from scheduling.jobs.edit import OF_JOB, OF_SCHEDULE, edit_job, edit_schedule
from scheduling.models import BlackoutCalendar, Job, JobSchedule
from scheduling.subjects.telling import in_the_log, in_words
from staging.errors import InvalidDefinition
from staging.model_files.owners import owner_section, read_owner
from staging.model_files.shape import Problems
from staging.models import OWNER_COLUMNS
from staging.versions.subjects import Content, Tracked
from staging.versions.words import Words
from staging.wording import say


def _read_job(job: Job) -> Content:
    plain = {column: getattr(job, column) for column in OF_JOB if column not in OWNER_COLUMNS}
    return plain | dict.fromkeys(OWNER_COLUMNS) | owner_section(job)


@in_words
def _job_back(job: Job, content: Content) -> None:
    """Make a job what the content says. Raises InvalidSchedule, InvalidDefinition for an owner who is gone."""
    wanted, problems = Job(), Problems()
    read_owner(wanted, content, "", problems)
    if problems.errors:
        raise InvalidDefinition(problems.errors)
    edit_job(job, {**content, **{column: getattr(wanted, column) for column in OWNER_COLUMNS}})


def _read_schedule(schedule: JobSchedule) -> Content:
    found = {column: getattr(schedule, column) for column in OF_SCHEDULE}
    return found | {"calendar": schedule.calendar.name if schedule.calendar else None}


@in_words
def _schedule_back(schedule: JobSchedule, content: Content) -> None:
    """Make a schedule what the content says; raises InvalidSchedule, also for a calendar that is gone."""
    content = {**_read_schedule(schedule), **content}  # what an earlier release did not know stays as it is
    name = content["calendar"]
    calendar = BlackoutCalendar.objects.filter(name=name).first() if name else None
    if name and calendar is None:
        raise InvalidSchedule({"calendar": [say("There is no calendar {name!r}.", name=name)]})
    edit_schedule(schedule, {**content, "calendar": calendar}, now=clock.now())


_JOB = Words(Job, keys=OF_JOB, labels={"retry_interval_seconds": _("Seconds between attempts")})
_SCHEDULE = Words(
    JobSchedule,
    keys=OF_SCHEDULE,
    labels={
        "is_enabled": _("Enabled"),
        "jitter_seconds": _("Starts up to so much later (seconds)"),
        "calendar": _("Blackout calendar"),
    },
)
JOB = Tracked(Job, columns=OF_JOB, read=_read_job, words=_JOB, go_back=_job_back, tell=in_the_log(_JOB), owned="")
JOB_SCHEDULE = Tracked(
    JobSchedule,
    columns=OF_SCHEDULE,
    read=_read_schedule,
    words=_SCHEDULE,
    go_back=_schedule_back,
    tell=in_the_log(_SCHEDULE),
    owned="job__",
)
