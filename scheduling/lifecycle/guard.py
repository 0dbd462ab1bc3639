"""The overlap guard and the tracking of a schedule: taken by a fire, given back by the end of its task or run."""

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from datetime import datetime
from functools import reduce
from operator import or_
from typing import Any, cast

from django.db.models import Q

from scheduling.cadence.errors import CadenceError
from scheduling.lifecycle import arming
from scheduling.models import Run, RunSchedule, Schedule, SchedulerConfiguration, Task
from scheduling.statements import update_each
from scheduling.states import IntervalAnchor, TaskStatus
from staging.transactions import in_transaction, note_lock, require_lock


@dataclass(frozen=True)
class Claim:
    """What a start wants of a schedule: its guard, if it is free, and to move it on by `slots`.

    A fire that the scheduler decides (`by_itself`) also names what it decided on: an edit, a switch-off, a pause or
    another dispatcher since `seen` was read makes it lose. A person's start needs only the guard to be free.
    """

    seen: Schedule
    source: str
    by_itself: bool = False
    slots: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_open(self) -> Q:
        """Return what must hold of the stored schedule."""
        free = Q(pk=self.seen.pk, is_running=False)
        return free & Q(**self.seen.believed()) if self.by_itself else free

    def taken(self, run: Run, task: Task, now: datetime) -> dict[str, Any]:
        """Return the columns of the schedule while this run, or for an entity this task of it, holds the guard."""
        holder = run if isinstance(self.seen, RunSchedule) else task
        return arming.fired(self.source, now, {self.seen.HELD_BY: holder}) | dict(self.slots)


@in_transaction
def lock_open(claims: Sequence[Claim]) -> set[tuple[str, int]]:
    """Lock the schedules of those claims that may be taken, until the transaction ends; return which, by kind and pk.

    Always in the same order: two such starts cannot wait for each other.
    """
    models = sorted({type(claim.seen) for claim in claims}, key=lambda model: model.KIND)
    found: set[tuple[str, int]] = set()
    for model in models:
        wanted = reduce(or_, [claim.is_open for claim in claims if isinstance(claim.seen, model)])
        rows = model._default_manager.filter(wanted).select_for_update(no_key=True).order_by("pk")
        found |= {(model.KIND, pk) for pk in rows.values_list("pk", flat=True)}
    for key in found:
        note_lock("guard", key)
    return found


def take_guards(taken: Sequence[tuple[Claim, Run, Task]], now: datetime) -> None:
    """Take the guards of these claims, which are locked and open, for their runs. Raises Unprotected otherwise."""
    rows: dict[type[Schedule], dict[int, dict[str, Any]]] = {}
    for claim, run, task in taken:
        require_lock("guard", (claim.seen.KIND, claim.seen.pk))
        rows.setdefault(type(claim.seen), {})[claim.seen.pk] = claim.taken(run, task, now)
    for model, columns in rows.items():
        update_each(model._default_manager.all(), columns)


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
    claim = Claim(configuration, task.run.trigger_source or task.run.title)
    # One statement, which every start of a batch within a plan pays.
    return bool(SchedulerConfiguration.objects.filter(claim.is_open).update(**claim.taken(task.run, task, now)))


def release_completed(task: Task, *, now: datetime) -> bool:
    """Give the guard back after success: failures are counted anew."""
    return _release(task, arming.completed(now))


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
        ).update(**arming.free(SchedulerConfiguration))
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
    """Note that these configurations were looked at; for information only, no rule reads it."""
    if configuration_ids:
        SchedulerConfiguration.objects.filter(pk__in=configuration_ids).update(last_trigger_check=now)


def _failures(entity_id: int | None) -> int:
    """Return how many times in a row this entity failed so far."""
    if entity_id is None:
        return 0
    values = SchedulerConfiguration.objects.filter(entity_id=entity_id).values_list("consecutive_failures", flat=True)
    return values.first() or 0


def _release(task: Task, changes: arming.Columns) -> bool:
    """Free the guard if `task` holds it, and call back the tasks that wait for its entity."""
    held = SchedulerConfiguration.objects.filter(running_task=task, is_running=True)
    released = held.update(**arming.free(SchedulerConfiguration), **changes)
    if released:
        Task.objects.filter(entity=task.entity_id or 0, status=TaskStatus.QUEUED, waits_for_entity=True).update(
            next_attempt_at=None, waits_for_entity=False
        )
    return bool(released)
