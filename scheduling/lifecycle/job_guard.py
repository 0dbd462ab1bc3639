"""The guard of a job: while one of its runs lives, none of its schedules fires, and of its tasks one runs at a time."""

from datetime import datetime

from django.db import connection
from django.db.models import F

from scheduling import statements
from scheduling.models import Job, JobSchedule, Run, Task
from scheduling.states import RunKind, TaskStatus
from staging.transactions import in_transaction

_LIVE = (TaskStatus.QUEUED, TaskStatus.RUNNING)
_LOCK_IF_FREE = "SELECT 1 FROM scheduling_job WHERE id = %s FOR NO KEY UPDATE SKIP LOCKED"


@in_transaction
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


@in_transaction
def hold_schedules(job_id: int, run: Run, *, source: str, now: datetime) -> int:
    """Let a run hold those schedules of its job that nothing holds yet; return how many. The run's end frees them."""
    free = JobSchedule.objects.filter(job_id=job_id, is_running=False)
    return free.update(is_running=True, run_started_at=now, run_started_by=source[:200], running_run=run)


@in_transaction
def take_job_for_task(task: Task, *, waits: bool) -> bool:
    """Keep the job of a task that is about to start from starting elsewhere until the transaction ends.

    False when another run of the job is at work, or, unless the caller `waits`, when somebody else is deciding on it:
    who does not wait may ask with other locks in hand, whatever their order.
    """
    if waits:
        lock_job(task.target_id or 0, by_itself=False)
    elif connection.features.has_select_for_update and not statements.rows(_LOCK_IF_FREE, task.target_id):
        return False
    running = Task.objects.filter(workload=RunKind.JOB, target_id=task.target_id, status=TaskStatus.RUNNING)
    return not running.exclude(pk=task.pk).exists()


def call_back(job_id: int | None) -> int:
    """Let the tasks that wait for this job stand in line again, as one of it ended; return how many."""
    waiting = Task.objects.filter(
        workload=RunKind.JOB, target_id=job_id, status=TaskStatus.QUEUED, waits_for_entity=True
    )
    return waiting.update(next_attempt_at=None, waits_for_entity=False)
