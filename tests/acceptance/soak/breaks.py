"""What a soak can break of the product, each as near as can be to how it was before it was mended (SOAK_BREAKS).

Only the processes of a soak know of it. `says` is what the auditor must then say, `weather` what makes it happen soon.
"""

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import datetime
from types import ModuleType
from typing import Any


@dataclass(frozen=True)
class Break:
    """One promise broken: what to replace, what the auditor must say, and the weather (faults, deliveries, wishes)."""

    apply: Callable[[], None]
    says: str
    faults: tuple[str, ...]
    deliveries: tuple[str, ...] = ("copies",)
    wishes: tuple[str, ...] = ("plans",)
    pause_seconds: float = 1.0


def put(module: ModuleType, **pieces: object) -> None:
    """Put these in the place of what a module has by their names. Raises AttributeError for what it has not.

    A piece that was renamed would otherwise break nothing, and the soak would find nothing.
    """
    for name, piece in pieces.items():
        getattr(module, name)
        setattr(module, name, piece)


def _judge_again() -> None:
    """Judge after each stop of a batch what is still pending, and forget what was decided before."""
    from staging.batches import pipeline, worktable
    from staging.batches.merging import decisions, merge

    put(decisions, keep_work_table=lambda plan: plan)
    put(decisions, is_any_left=lambda plan: False)
    put(pipeline, merge=lambda plan, fence: merge._merge_in_chunks(plan, fence, worktable.turns(plan)))


def _give_any_slot_back() -> None:
    """Let the release of a dead worker's batch put its slot back, whatever was edited meanwhile."""
    from scheduling.lifecycle import guard

    def give_back(schedule: Any, slot: datetime) -> bool:
        return bool(type(schedule)._default_manager.filter(pk=schedule.pk).update(next_scheduled_run=slot))

    put(guard, give_slot_back=give_back)


def _one_look_blocks_all() -> None:
    """Let a look for late references that fails end all others, and tell nobody."""
    from django.db import transaction

    from staging.batches import late
    from staging.models import Batch

    @transaction.atomic
    def look(batch: Batch, tell: Any) -> tuple[int, list[Any]]:
        if not Batch.objects.filter(pk=batch.pk, came_home__isnull=True).update(came_home=0):
            return 0, []
        total = sum(late._look_at(entity, batches, tell) for entity, batches in late._whom_it_may_help(batch))
        Batch.objects.filter(pk=batch.pk).update(came_home=total)
        return total, []

    put(late, look=look)


def _catch_up_for_ever() -> None:
    """Count no late runs: what comes due while one runs waits for its turn, and is late itself by then."""
    from scheduling.decisions import decision
    from scheduling.dispatch import firing

    def past_slots(schedule: Any, due: Any, now: datetime, *, fires: bool = False, after: Any = None) -> dict[str, Any]:
        following = (after.keep if after else None) or due.following or schedule.planned_after(now)
        return {"next_scheduled_run": following, "caught_up_through": due.through, "late_runs_left": None}

    put(decision, _late_runs_left=lambda schedule: None)
    put(firing, past_slots=past_slots)


def _keep_connections() -> None:
    """Keep the connection of a worker's main process, also when it was lost."""
    from scheduling import tasks

    put(tasks, brief_connection=nullcontext)


def _stop_deaf() -> None:
    """Hear nothing of a stop: SIGTERM ends the children of a pool in the middle of their work."""
    from celery.signals import worker_shutting_down

    from scheduling import tasks
    from scheduling.runs import execute

    worker_shutting_down.disconnect(tasks._tell_to_stop)
    put(tasks, _listening=nullcontext)
    put(execute, hand_back=lambda *_, **__: False)


def _time_jobs_anew() -> None:
    """Take a job's schedule with another time for another schedule."""
    from scheduling.jobs import reconcile

    put(reconcile, carried_over=lambda stored, declared: dict(stored))


def _trust_the_own_clock() -> None:
    """Ask no database for the time."""
    from scheduling import clock

    put(clock, note_ahead=lambda found: None)


def _let_jobs_overlap() -> None:
    """Let a job start beside another run of it."""

    from scheduling import queues

    put(queues, take_job_for_task=lambda task, *, waits: True)


def _complete_the_cancelled() -> None:
    """End a run as its tasks ended, also when people had asked it to stop."""
    from scheduling.runs import advance
    from scheduling.states import RunStatus, TaskStatus

    def end_run(run_id: int, status: str, **rest: Any) -> bool:
        from scheduling.lifecycle.tasks import end_run
        from scheduling.models import Task

        tasks = Task.objects.filter(run_id=run_id)
        if status == RunStatus.CANCELLED and not tasks.exclude(status=TaskStatus.COMPLETED).exists():
            status = RunStatus.COMPLETED
        return end_run(run_id, status, **rest)

    put(advance, end_run=end_run)


def _lose_the_order() -> None:
    """Put the begin and the end of a cancelled plan in its step's place, between which there is no way."""
    from scheduling.plans import order

    put(order, _first=lambda step: order._begin(step.sub_plan) if step.sub_plan else step.key)
    put(order, _last=lambda step: order._end(step.sub_plan) if step.sub_plan else step.key)


def _restart_the_good() -> None:
    """Forget that a restart made a run good."""
    from scheduling.lifecycle import tasks

    put(tasks, _MAKE_GOOD="UPDATE scheduling_run SET kind = kind WHERE id = %s AND id <> %s")


_STILL = ("none",)
BREAKS = {
    "1 judge copies again": Break(
        _judge_again, "a delivery ended otherwise", ("kill a batch",), ("copies",), ("cancel a batch",), 3
    ),
    "1 judge values again": Break(
        _judge_again, "a delivery ended otherwise", ("kill a batch",), ("unique", "tree"), ("cancel a batch",), 3
    ),
    "2 old slots": Break(
        _give_any_slot_back, "an old slot of configuration", ("kill a batch",), ("clocked",), ("edit",), 2
    ),
    "3 one look blocks": Break(_one_look_blocks_all, "no event tells it", _STILL, ("late",)),
    "4 late for ever": Break(_catch_up_for_ever, "more late runs", ("outage", "none", "none"), pause_seconds=10),
    "5 kept connections": Break(_keep_connections, "a living worker gave no sign of life", ("drop all",),
                                pause_seconds=10),
    "6 deaf to stops": Break(_stop_deaf, "stop", ("stop",), pause_seconds=3),
    "7 timed anew": Break(_time_jobs_anew, "switched off", ("deploy",), pause_seconds=3),
    "8 own clock": Break(_trust_the_own_clock, "a host whose clock is off took work", _STILL),
    "8 own cycles": Break(_trust_the_own_clock, "a host whose clock is off ran a cycle", _STILL),
    "9 twice at once": Break(_let_jobs_overlap, "another run of its job", _STILL),
    "9 cancelled completes": Break(
        _complete_the_cancelled, "that people cancelled ended otherwise", _STILL, wishes=("plans", "cancel a run")
    ),
    "9 order lost": Break(_lose_the_order, "the order through a cancelled plan", _STILL),
    "9 restarted": Break(
        _restart_the_good, "a run that was made good ran again", _STILL,
        wishes=("a plan", "cancel a run", "restart one", "restart"),
    ),
}  # fmt: skip
