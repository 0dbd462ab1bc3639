"""What the installation does right now, as one document: is the scheduler alive, what runs, stands or is paused."""

from datetime import datetime
from typing import Any

from django.db.models import Count, Q

from scheduling import broker, conf
from scheduling.models import Heartbeat, Job, PauseFields, Queue, Schedule, SchedulerState, Task
from scheduling.models.run import steps_of
from scheduling.models.schedule import all_schedules
from scheduling.states import TaskStatus
from staging.models import Entity
from staging.tables.columns import table_problems_of


def situation(now: datetime) -> dict[str, Any]:
    """Return the last cycle, the workers, the broker, the queues, what runs, what is stopped and what is paused."""
    cycle = Heartbeat.objects.filter(name=Heartbeat.DISPATCHER).first()
    return {
        "last_cycle": cycle.seen_at.isoformat() if cycle else None,
        "workers": _workers(now),
        "broker": None if conf.is_embedded() else broker.trouble() or "answers",
        "trouble": list(Heartbeat.troubles(now - max(conf.cycle_silence(), conf.worker_silence()))),
        "queues": _queues(),
        "running": _running(),
        "stopped": _stopped(),
        "paused": _paused(),
    }


def _workers(now: datetime) -> int:
    """Return how many workers gave a sign of life lately."""
    return Heartbeat.objects.filter(kind=Heartbeat.WORKER, seen_at__gte=now - conf.worker_silence()).count()


def _queues() -> list[dict[str, Any]]:
    """Return each queue with what runs and waits in it."""
    queues = Queue.objects.annotate(
        running=Count("tasks", filter=Q(tasks__status=TaskStatus.RUNNING)),
        waiting=Count("tasks", filter=Q(tasks__status=TaskStatus.QUEUED)),
    )
    return list(queues.values("name", "max_running", "running", "waiting"))


def _stopped() -> list[dict[str, Any]]:
    """Return the entities whose tables differ from their definition, with the differences."""
    entities = list(Entity.objects.filter(is_cancelled=False))
    problems = table_problems_of(entities)
    return [{"entity": one.code, "problems": problems[one.pk]} for one in entities if problems[one.pk]]


def _paused() -> list[dict[str, Any]]:
    """Return what people paused: everything, jobs, and single schedules by what they are of; one statement a kind."""
    found: list[tuple[str, PauseFields | SchedulerState]] = []
    state = SchedulerState.current()
    if state.paused_at is not None:
        found.append(("everything", state))
    found += [(job.what, job) for job in Job.objects.filter(paused_at__isnull=False).order_by("name")]
    for schedules in all_schedules():
        found += [(_name(one), one) for one in schedules.readable().filter(paused_at__isnull=False)]
    return [
        {
            "what": what,
            "by": pause.paused_by,
            "since": pause.paused_at.isoformat() if pause.paused_at else None,
            "until": pause.paused_until.isoformat() if pause.paused_until else None,
            "reason": pause.pause_reason,
        }
        for what, pause in found
    ]


def _name(schedule: Schedule) -> str:
    """Return what `why_not` calls a schedule."""
    return f"{schedule.what}: {schedule.own_name}" if schedule.own_name else schedule.what


def _running() -> list[dict[str, Any]]:
    """Return the running tasks, oldest first."""
    running = Task.objects.filter(status=TaskStatus.RUNNING).annotate(**steps_of("run"))
    tasks: Any = running.select_related("entity", "run").order_by("started_at")
    return [
        {
            "run": task.run_id,
            "task": task.pk,
            "name": task.key,
            "of": task.run.title or None,
            "steps_done": task.steps_done,
            "steps_total": task.steps_total,
            "entity": task.entity.code if task.entity else None,
            "started_at": task.started_at.isoformat() if task.started_at else None,
            "trigger_source": task.run.trigger_source,
        }
        for task in tasks
    ]
