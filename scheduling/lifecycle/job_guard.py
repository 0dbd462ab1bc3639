"""The guard of a job: while one of its runs lives, none of its schedules fires, whoever began that run."""

from datetime import datetime

from django.db.models import F

from scheduling.models import Job, JobSchedule, Run, Task
from scheduling.states import RunKind, TaskStatus

_LIVE = (TaskStatus.QUEUED, TaskStatus.RUNNING)


def lock_job(job_id: int, *, by_itself: bool) -> bool:
    """Let nobody else start or pause the job until the transaction ends.

    False when the scheduler would start it (`by_itself`) and it was paused meanwhile; people start it all the same.
    """
    wanted = Job.objects.filter(pk=job_id, paused_at__isnull=True) if by_itself else Job.objects.filter(pk=job_id)
    return bool(wanted.update(attempts=F("attempts")))


def live_run_of(job_id: int) -> int | None:
    """Return a run in which the job runs or is in line, None when there is none; plans' runs count too."""
    live = Task.objects.filter(workload=RunKind.JOB, target_id=job_id, status__in=_LIVE)
    return live.order_by("id").values_list("run_id", flat=True).first()


def hold_schedules(job_id: int, run: Run, *, source: str, now: datetime) -> int:
    """Let a run hold those schedules of its job that nothing holds yet; return how many. The run's end frees them."""
    free = JobSchedule.objects.filter(job_id=job_id, is_running=False)
    return free.update(is_running=True, run_started_at=now, run_started_by=source[:200], running_run=run)
