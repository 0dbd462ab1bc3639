"""Starts an ended run again as a new run linked to it, and releases a failed task of a live run again."""

from datetime import datetime

from django.db import transaction
from django.db.models import F

from scheduling import events
from scheduling.dag.manifest import Manifest
from scheduling.errors import AlreadyRunning, CannotRestart
from scheduling.lifecycle.tasks import lock_run, release_again
from scheduling.models import Job, Run, SchedulerConfiguration, Task
from scheduling.queues.turns import next_turns
from scheduling.queues.wake import wake_lines_after_commit
from scheduling.runs.advance import settle
from scheduling.runs.by_hand import start_batch_now, start_plans_now
from scheduling.runs.fire import Cause, Fire, Subject
from scheduling.runs.manifests import item_of, manifest_of, without_completed
from scheduling.runs.rights import Person, refuse_without_right
from scheduling.runs.start import start
from scheduling.states import EventType, RunKind, RunStatus, TaskStatus


def restart_run(
    run: Run,
    *,
    only_failed: bool,
    manifest: Manifest | None = None,
    started_by: str,
    person: Person | None = None,
    now: datetime,
) -> Run:
    """Start an ended run again; return the new run.

    `only_failed`: only what failed or never ran, in the same order. `manifest` is what its plans are now; without it
    the run is repeated as it was. `person`: who asked for it, when somebody did. Raises NotAllowed when the person may
    not start something of it, AlreadyRunning while it, or an earlier restart of it, has not ended, and
    CannotRestart when nothing is left to do or an earlier restart did it.
    """
    seen = _refuse_a_second(run)
    items = manifest_of(run) if manifest is None else manifest
    if only_failed:
        items = without_completed(items, run)
    with transaction.atomic():
        _refuse_a_late_one(run, seen)
        if not items:
            raise CannotRestart(f"Everything of run {run.pk} is completed: there is nothing to restart.")
        refuse_without_right(items, person)
        return _start(run, items, started_by, now)


def _start(run: Run, items: Manifest, started_by: str, now: datetime) -> Run:
    """Start these tasks of a run again, each kind of run through its own door."""
    if run.kind == RunKind.BATCH and run.entity_id is not None:
        configuration = SchedulerConfiguration.objects.select_related("entity").get(entity_id=run.entity_id)
        opening = dict(items[0].arguments)
        tag = str(opening.pop("tag", ""))
        return start_batch_now(
            configuration, tag=tag, started_by=started_by, opening=opening, restart_of=run, now=now
        ).run
    if run.kind == RunKind.PLAN and run.plans:
        return start_plans_now(run.plans, started_by=started_by, manifest=items, restart_of=run, now=now)
    cause = Cause(f"restart:{run.pk}:{run.restarts.count() + 1}", "Manual", started_by, now, restart_of=run)
    message = f"{run.title} started again by {started_by}: run {run.pk} {run.status}."
    job = Job.objects.filter(pk=items[0].target_id or 0).first() if run.kind == RunKind.JOB else None
    return start(Fire(Subject(run.kind, run.title, run.plans, job=job), items, cause, message)).run


def retry_now(task: Task, *, by: str, person: Person | None = None, now: datetime) -> None:
    """Release a failed task of a live run again, or let one that waits for its next attempt start at once.

    What it had blocked waits for it again. Raises CannotRestart when the run has ended, or the task did not fail, and
    NotAllowed when `person`, who asked, may not start such work.
    """
    refuse_without_right([item_of(task)], person)
    with transaction.atomic():
        if not lock_run(task.run_id):
            raise CannotRestart(f"Run {task.run_id} has ended: restart the run instead.")
        delayed = Task.objects.filter(pk=task.pk, status=TaskStatus.QUEUED, next_attempt_at__isnull=False)
        if not delayed.update(next_attempt_at=None, waits_for_entity=False):
            (turn,) = next_turns(task.run_id, task.queue_id, task.priority, 1)
            if not release_again(task, turn=turn, now=now, message=f"Released again by {by}."):
                raise CannotRestart(f"{task.key} is {task.status}: only a task that failed can be released again.")
        queued = settle(task.run_id, now)
        queued[task.queue_id] = queued.get(task.queue_id, 0) + 1
        message = f"{task.key} released again by {by}."
        events.record(EventType.RETRIED, now=now, entity_id=task.entity_id, message=message, run_id=task.run_id)
        wake_lines_after_commit(queued, now)


def _refuse_a_second(run: Run) -> int:
    """Raise AlreadyRunning when the run, or a restart of it, is still at work; return how many restarts there were.

    Raises CannotRestart when a restart completed: another one would do again what that one did.
    """
    final = RunStatus.final()
    run.refresh_from_db(fields=["status", "made_good_by"])
    if run.status not in final:
        raise AlreadyRunning(f"Run {run.pk} has not ended; cancel it first, or release its failed tasks again.")
    if run.made_good_by_id is not None:
        good = run.made_good_by_id
        raise CannotRestart(f"Run {run.pk} was made good by run {good}; to do the work once more, restart run {good}.")
    if live := run.restarts.exclude(status__in=final).first():
        raise AlreadyRunning(f"Run {run.pk} is being run again already: run {live.pk}.")
    return run.restarts.count()


def _refuse_a_late_one(run: Run, seen: int) -> None:
    """Raise AlreadyRunning when the run was started again since `seen` restarts were counted: what to run is outdated.

    The update locks the run, so that of two restarts at once the second sees the first.
    """
    Run.objects.filter(pk=run.pk).update(kind=F("kind"))
    if run.restarts.count() != seen:
        latest = run.restarts.order_by("-pk").values_list("pk", flat=True)[0]
        raise AlreadyRunning(f"Run {run.pk} was started again meanwhile: run {latest}.")
