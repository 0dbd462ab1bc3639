"""The guard of a job: while one of its runs lives, none of its schedules fires, and of its tasks one runs at a time."""

from collections.abc import Collection, Mapping
from datetime import datetime

from django.db import connection

from scheduling import statements
from scheduling.lifecycle import arming
from scheduling.models import Job, JobSchedule, Run, Task
from scheduling.statements import update_each
from scheduling.states import RunKind, TaskStatus
from staging.transactions import in_transaction

_LIVE = (TaskStatus.QUEUED, TaskStatus.RUNNING)
_LOCK_IF_FREE = "SELECT 1 FROM scheduling_job WHERE id = %s FOR NO KEY UPDATE SKIP LOCKED"


@in_transaction
def lock_jobs(job_ids: Collection[int]) -> dict[int, bool]:
    """Let nobody else start or pause these jobs until the transaction ends; return whether each is paused.

    On SQLite a transaction keeps all others from writing from its start.
    """
    if not job_ids:
        return {}
    jobs = Job.objects.filter(pk__in=job_ids).order_by("pk").select_for_update(no_key=True)
    return {pk: paused_at is not None for pk, paused_at in jobs.values_list("pk", "paused_at")}


def live_runs_of(job_ids: Collection[int]) -> dict[int, int]:
    """Return, for those of these jobs that run or are in line, the first such run; plans' runs count too."""
    if not job_ids:
        return {}
    live = Task.objects.filter(workload=RunKind.JOB, target_id__in=job_ids, status__in=_LIVE).order_by("-id")
    return {job_id: run_id for job_id, run_id in live.values_list("target_id", "run_id") if job_id}


@in_transaction
def hold_schedules(runs: Mapping[int, Run], *, now: datetime) -> int:
    """Let the run of each job hold those of its schedules that nothing holds yet; return how many, freed by its end."""
    columns = {job_id: arming.held(run.trigger_source, now, {JobSchedule.HELD_BY: run}) for job_id, run in runs.items()}
    return update_each(JobSchedule.objects.filter(is_running=False), columns, by="job_id")


@in_transaction
def take_job_for_task(task: Task, *, waits: bool) -> bool:
    """Keep the job of a task that is about to start from starting elsewhere until the transaction ends.

    False when another run of the job is at work, or, unless the caller `waits`, when somebody else is deciding on it:
    who does not wait may ask with other locks in hand, whatever their order.
    """
    if waits:
        lock_jobs([task.target_id or 0])
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
