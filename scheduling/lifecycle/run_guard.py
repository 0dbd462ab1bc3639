"""Gives back the guard of plans and other schedules whose fire is a run, when the run ends, and tracks how it ended."""

from datetime import datetime

from scheduling import conf
from scheduling.lifecycle import arming
from scheduling.lifecycle.guard import count_from_completion
from scheduling.models import Run, RunSchedule
from scheduling.models.schedule import run_schedule_models
from scheduling.states import RunStatus
from staging.transactions import in_transaction


@in_transaction
def release_of_run(run_id: int, status: RunStatus, *, now: datetime) -> int:
    """Free every schedule whose guard this run holds and note how it ended; return how many.

    It belongs into the transaction that ends the run. A failure backs off as that of an entity does; a cancel is
    neither a success nor a failure.
    """
    return sum(
        _release(schedule, status, now)
        for model in run_schedule_models()
        for schedule in model._default_manager.filter(running_run=run_id, is_running=True)
    )


def release_unheld(now: datetime) -> int:
    """Free every guard that is held without a live run for longer than the zombie time-out; return how many."""
    released = 0
    for model in run_schedule_models():
        held = model._default_manager.filter(is_running=True, run_started_at__lt=now - conf.zombie_timeout())
        live = Run.objects.exclude(status__in=RunStatus.final()).values("pk")
        released += held.exclude(running_run__in=live).update(**arming.free(model))
    return released


def _release(schedule: RunSchedule, status: RunStatus, now: datetime) -> int:
    """Free one guard unless it changed hands."""
    held = type(schedule)._default_manager.filter(pk=schedule.pk, running_run=schedule.running_run_id, is_running=True)
    freed = held.update(**arming.free(type(schedule)), **_tracking(schedule, status, now))
    if freed and status == RunStatus.COMPLETED:
        count_from_completion(schedule, now=now)
    return freed


def _tracking(schedule: RunSchedule, status: RunStatus, now: datetime) -> arming.Columns:
    """Return what the end of a run changes besides the guard."""
    if status == RunStatus.COMPLETED:
        return arming.completed(now)
    if status == RunStatus.FAILED:
        return arming.failed(now, schedule.consecutive_failures + 1)
    return arming.cancelled()
