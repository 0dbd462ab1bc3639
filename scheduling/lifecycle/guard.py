"""The overlap guards of entities, plans and jobs: taken by a start, given back by the end of its task or run."""

from collections.abc import Callable, Collection, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from datetime import datetime
from functools import reduce
from operator import or_
from typing import Any, cast

from django.db import IntegrityError, connection, transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.db.models.functions import Coalesce, Greatest

from scheduling import conf, statements
from scheduling.cadence.errors import CadenceError
from scheduling.lifecycle import arming
from scheduling.lifecycle.whole import is_whole
from scheduling.models import (
    Job,
    JobSchedule,
    Plan,
    PlanAfter,
    Run,
    RunSchedule,
    Schedule,
    SchedulerConfiguration,
    Task,
)
from scheduling.models.attempt import GOES_ON
from scheduling.models.plan import completion
from scheduling.models.schedule import run_schedule_models
from scheduling.statements import update_each
from scheduling.states import IntervalAnchor, RunKind, RunStatus, TaskStatus
from staging.transactions import in_transaction, note_lock, require_lock


@dataclass(frozen=True)
class Bid:
    """What a start wants of a schedule: its guard, if it is free, and to move it on by `slots`.

    A fire that the scheduler decides (`by_itself`) also names what it decided on: an edit, a switch-off, a pause or
    another dispatcher since `seen` was read makes it lose. A person's start needs only the guard to be free. The next
    attempt of a run that waits for it (`over_from`) takes over the guard that this one holds: no fire of its own, it
    uses up no completion of others.
    """

    seen: Schedule
    source: str
    by_itself: bool = False
    slots: Mapping[str, Any] = field(default_factory=dict)
    over_from: Run | None = None

    @property
    def is_open(self) -> Q:
        """Return what must hold of the stored schedule."""
        over = self.over_from
        guard = Q(is_running=False) if over is None else Q(is_running=True, running_run=over.pk)
        free = Q(pk=self.seen.pk) & guard
        return free & Q(**self.seen.believed()) if self.by_itself else free

    def taken(self, run: Run, task: Task, now: datetime) -> dict[str, Any]:
        """Return the columns of the schedule while this run, or for an entity this task of it, holds the guard."""
        holder = run if isinstance(self.seen, RunSchedule) else task
        if self.over_from is not None:
            return arming.guard_taken(self.source, now, {self.seen.HELD_BY: holder})
        return arming.fired(self.source, now, {self.seen.HELD_BY: holder}) | dict(self.slots)


@in_transaction
def lock_open(bids: Sequence[Bid]) -> set[tuple[str, int]]:
    """Lock the schedules of those bids that may be taken, until the transaction ends; return which, by kind and pk.

    Always in the same order: two such starts cannot wait for each other.
    """
    models = sorted({type(bid.seen) for bid in bids}, key=lambda model: model.KIND)
    found: set[tuple[str, int]] = set()
    for model in models:
        wanted = reduce(or_, [bid.is_open for bid in bids if isinstance(bid.seen, model)])
        rows = model._default_manager.filter(wanted).select_for_update(no_key=True).order_by("pk")
        found |= {(model.KIND, pk) for pk in rows.values_list("pk", flat=True)}
    for key in found:
        note_lock("guard", key)
    return found


def take_guards(taken: Sequence[tuple[Bid, Run, Task]], now: datetime) -> None:
    """Take the guards of these bids, which are locked and open, for their runs. Raises Unprotected otherwise."""
    rows: dict[type[Schedule], dict[int, dict[str, Any]]] = {}
    for bid, run, task in taken:
        require_lock("guard", (bid.seen.KIND, bid.seen.pk))
        rows.setdefault(type(bid.seen), {})[bid.seen.pk] = bid.taken(run, task, now)
    for model, columns in rows.items():
        update_each(model._default_manager.all(), columns)
    seen = [bid.seen for bid, *_ in taken if bid.over_from is None]
    _use_completions([one.pk for one in seen if isinstance(one, Plan) and one.after_others])


def _use_completions(plan_ids: Sequence[int]) -> None:
    """Note what completed before these plans start: it starts them no more.

    What is committed after this statement is not seen by it, whatever its time, and starts them again: nothing is lost
    between a look and a start.
    """
    if plan_ids:
        last = completion()
        used = Coalesce(Greatest(F("used_at"), last), last, F("used_at"))  # SQLite takes nothing for the greatest
        PlanAfter.objects.filter(plan__in=plan_ids).update(used_at=used)


def holds_guard(task: Task) -> bool:
    """Return whether the guard of its entity was taken for this task."""
    return SchedulerConfiguration.objects.filter(
        entity=task.entity_id or 0, running_task=task, is_running=True
    ).exists()


def take_guard_for_task(task: Task, *, now: datetime) -> bool:
    """Take the guard of its entity for a task that is about to start; False when another batch of the entity runs."""
    configuration = SchedulerConfiguration.objects.filter(entity=task.entity_id or 0).first()
    if configuration is None:
        return False
    bid = Bid(configuration, task.run.trigger_source or task.run.title)
    # One statement, which every start of a batch within a plan pays.
    return bool(SchedulerConfiguration.objects.filter(bid.is_open).update(**bid.taken(task.run, task, now)))


def release_completed(task: Task, *, warnings: int = 0, now: datetime) -> bool:
    """Give the guard back after success: failures are counted anew."""
    return _release(task, arming.completed(now, warnings))


def release_cancelled(task: Task) -> bool:
    """Give the guard back after a cancel: neither a success nor a failure."""
    return _release(task, arming.cancelled())


def release_failed(task: Task, *, now: datetime) -> datetime | None:
    """Give the guard back after a failure and back off; return the moment before which it does not start again.

    None when the guard was not this task's any more.
    """
    columns = arming.failed(now, _failures(task.entity_id) + 1)
    return columns["backoff_until"] if _release(task, columns) else None


def release_lost(task: Task, *, slot: datetime | None, now: datetime) -> bool:
    """Give the guard back for a task whose worker died. The slot it was to serve is due again, if it still counts."""
    changes = arming.failed(now, _failures(task.entity_id) + 1, is_lost=True)
    held = SchedulerConfiguration.objects.filter(running_task=task, is_running=True).first()
    if not _release(task, changes):
        return False
    if held is not None and slot is not None:
        give_slot_back(held, slot)
    return True


def give_slot_back(schedule: Schedule, slot: datetime) -> bool:
    """Let a slot that came to nothing be due again; False when the schedule has disowned it.

    The one way a schedule goes back in time. An edit, a switch-off, a pause or a resume counts from its own moment:
    what was due before is neither fired nor missed.
    """
    current = type(schedule)._default_manager.filter(pk=schedule.pk, is_enabled=True, paused_at__isnull=True)
    owned = current.filter(Q(armed_from__isnull=True) | Q(armed_from__lte=slot))
    return bool(owned.update(**arming.next_at(slot)))


def count_from_completion(schedule: Schedule, *, now: datetime) -> bool:
    """Plan the next run of a schedule that counts from the end of its last run; False when it does not, or was edited.

    `schedule` is read before the end is written; an edit since then has planned the next run by itself.
    """
    if schedule.interval_anchor != IntervalAnchor.LAST_COMPLETION:
        return False
    completed = arming.put(copy(schedule), arming.completed(now))
    try:
        following = completed.planned_after(now)
    except CadenceError:  # the next cycle tells it
        return False
    unchanged = type(schedule)._default_manager.filter(
        pk=schedule.pk, armed_from=schedule.armed_from, is_enabled=schedule.is_enabled, paused_at=schedule.paused_at
    )
    return bool(unchanged.update(**arming.next_at(following)))


def release_abandoned(configuration: SchedulerConfiguration) -> bool:
    """Give back a guard that no living task holds, unless it changed hands since `configuration` was read."""
    return bool(
        SchedulerConfiguration.objects.filter(
            pk=configuration.pk, is_running=True, run_started_at=configuration.run_started_at
        ).update(**arming.guard_free(SchedulerConfiguration))
    )


def back_off(schedule: Schedule, *, now: datetime, failures: int) -> datetime:
    """Note a failure that happened before anything started; return the moment before which it is not tried again."""
    columns = arming.failed(now, failures)
    type(schedule)._default_manager.filter(pk=schedule.pk).update(**columns)
    return cast(datetime, columns["backoff_until"])


def pass_slots(seen: Schedule, slots: Mapping[str, Any]) -> bool:
    """Move a schedule on from what was `seen` without a fire; False when someone moved it before."""
    return bool(
        type(seen)
        ._default_manager.filter(pk=seen.pk, next_scheduled_run=seen.next_scheduled_run, armed_from=seen.armed_from)
        .update(**slots)
    )


def stamp_trigger_check(configuration_ids: list[int], *, now: datetime) -> None:
    """Note that these configurations were looked at; for information only, no rule reads it.

    One that somebody has locked is left out: waiting for it, and giving up, would cost all others their cycle.
    """
    if configuration_ids:
        with transaction.atomic():
            free = SchedulerConfiguration.objects.filter(pk__in=configuration_ids).select_for_update(skip_locked=True)
            SchedulerConfiguration.objects.filter(pk__in=free.order_by().values("pk")).update(last_trigger_check=now)


def _failures(entity_id: int | None) -> int:
    """Return how many times in a row this entity failed so far."""
    if entity_id is None:
        return 0
    values = SchedulerConfiguration.objects.filter(entity_id=entity_id).values_list("consecutive_failures", flat=True)
    return values.first() or 0


def _release(task: Task, changes: arming.Columns) -> bool:
    """Free the guard if `task` holds it, and call back the tasks that wait for its entity."""
    held = SchedulerConfiguration.objects.filter(running_task=task, is_running=True)
    released = held.update(**arming.guard_free(SchedulerConfiguration), **changes)
    if released:
        Task.objects.filter(entity=task.entity_id or 0, status=TaskStatus.QUEUED, waits_for_entity=True).update(
            next_attempt_at=None, waits_for_entity=False
        )
    return bool(released)


@in_transaction
def release_of_run(run_id: int, status: RunStatus, *, now: datetime, backs_off: bool = True) -> int:
    """Free every schedule whose guard this run holds and note how it ended; return how many.

    It belongs into the transaction that ends the run, or its wait for another attempt. A failure backs off as that of
    an entity does, if it `backs_off`; a cancel is neither a success nor a failure.
    """
    return sum(
        _free_one(schedule, status, now, backs_off)
        for model in run_schedule_models()
        if statements.prepared(("held by a run", model), _held_by(model), run=run_id)
        for schedule in model._default_manager.filter(running_run=run_id, is_running=True).select_related("running_run")
    )


def _held_by(model: type[RunSchedule]) -> Callable[[int], QuerySet[Any, Any]]:
    """Return the query for the schedules that a run holds: nearly always none, which need not be built each time."""
    return lambda run: model._default_manager.filter(running_run=run, is_running=True).values_list("pk")


def release_unheld(now: datetime) -> int:
    """Free every guard that is held for longer than the zombie time-out by no run that goes on; return how many."""
    released = 0
    for model in run_schedule_models():
        held = model._default_manager.filter(is_running=True, run_started_at__lt=now - conf.zombie_timeout())
        holder = Run.objects.filter(GOES_ON, pk=OuterRef("running_run"))
        released += held.filter(~Exists(holder)).update(**arming.guard_free(model))
    return released


def _free_one(schedule: RunSchedule, status: RunStatus, now: datetime, backs_off: bool) -> int:
    """Free one guard unless it changed hands."""
    held = type(schedule)._default_manager.filter(pk=schedule.pk, running_run=schedule.running_run_id, is_running=True)
    tracked = _tracking_of_run(schedule, status, now, backs_off)
    freed = held.update(**arming.guard_free(type(schedule)), **tracked)
    if freed and status == RunStatus.COMPLETED:
        count_from_completion(schedule, now=now)
    return freed


def _tracking_of_run(schedule: RunSchedule, status: RunStatus, now: datetime, backs_off: bool) -> arming.Columns:
    """Return what the end of a run changes besides the guard."""
    if status == RunStatus.COMPLETED:
        run = Run.objects.filter(pk=schedule.running_run_id or 0)
        completed = arming.completed(now, run.values("warnings"))
        if isinstance(schedule, Plan) and schedule.running_run is not None and is_whole(schedule.running_run):
            completed |= arming.completed_whole(schedule, now)
        return completed
    if status == RunStatus.FAILED:
        return arming.failed(now, schedule.consecutive_failures + 1, backs_off=backs_off)
    return arming.cancelled()


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
    """Return, for those of these jobs that run or are in line, the first such run; plans' runs count too.

    What may run side by side with others does not count.
    """
    if not job_ids:
        return {}
    live = Task.objects.filter(workload=RunKind.JOB, target_id__in=job_ids, status__in=_LIVE, side_by_side=False)
    live = live.order_by("-id")
    return {job_id: run_id for job_id, run_id in live.values_list("target_id", "run_id") if job_id}


@in_transaction
def hold_schedules(runs: Mapping[int, Run], *, now: datetime) -> int:
    """Let the run of each job hold those of its schedules that nothing holds yet; return how many, freed by its end."""
    columns = {
        job_id: arming.guard_taken(run.trigger_source, now, {JobSchedule.HELD_BY: run}) for job_id, run in runs.items()
    }
    return update_each(JobSchedule.objects.filter(is_running=False), columns, by="job_id")


@in_transaction
def take_job_for_task(task: Task, *, waits: bool) -> bool:
    """Keep the job of a task that is about to start from starting elsewhere until the transaction ends.

    False when another run of the job is at work, or, unless the caller `waits`, when somebody else is deciding on it:
    who does not wait may ask with other locks in hand, whatever their order. A task that may run side by side with
    others waits only for the one of its key.
    """
    if task.side_by_side:
        return not task.key_place or _take_first_place(task)
    if waits:
        lock_jobs([task.target_id or 0])
    elif connection.features.has_select_for_update and not statements.rows(_LOCK_IF_FREE, task.target_id):
        return False
    running = Task.objects.filter(
        workload=RunKind.JOB, target_id=task.target_id, status=TaskStatus.RUNNING, side_by_side=False
    )
    return not running.exclude(pk=task.pk).exists()


def _take_first_place(task: Task) -> bool:
    """Move a task that waits behind another of its key to that one's place; False while that one has not ended."""
    same = Task.objects.filter(target_id=task.target_id, unique_key=task.unique_key, key_place=0)
    if same.filter(status__in=TaskStatus.live()).exists():  # the index would wait for an end that is being written
        return False
    try:
        with transaction.atomic():
            return bool(Task.objects.filter(pk=task.pk, status=TaskStatus.QUEUED).update(key_place=0))
    except IntegrityError:
        return False


def call_back(ended: Task) -> int:
    """Let the tasks that wait for the job of this one, which ended, stand in line again; return how many.

    One that ran side by side with others kept only those of its key waiting.
    """
    if ended.side_by_side and ended.unique_key is None:
        return 0
    waiting = Task.objects.filter(
        workload=RunKind.JOB, target_id=ended.target_id, status=TaskStatus.QUEUED, waits_for_entity=True
    )
    waiting = waiting.filter(unique_key=ended.unique_key) if ended.side_by_side else waiting.filter(side_by_side=False)
    return waiting.update(next_attempt_at=None, waits_for_entity=False)
