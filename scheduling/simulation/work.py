"""What a run of each schedule is expected to be: how long it takes, of which steps, and whether it can start at all."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta

from scheduling.dag.manifest import Manifest
from scheduling.dag.pace import starts
from scheduling.errors import InvalidPlan
from scheduling.models import JobSchedule, Plan, Queue, Run, Schedule, SchedulerConfiguration, Task
from scheduling.plans.compile import compile_each
from scheduling.queues.claim import DEFAULT_QUEUE
from scheduling.states import RunKind


@dataclass(frozen=True)
class Step:
    """A step of a plan: what it works on, how long after the start of the run, and for how long.

    `is_first` when it depends on nothing: it is in line as soon as the plan starts.
    """

    workload: str
    target_id: int
    after: timedelta = timedelta()
    lasts: timedelta = timedelta()
    is_first: bool = True


@dataclass(frozen=True)
class Work:
    """One run. `faults` say why it cannot start; the dispatcher would log them as an error."""

    lasts: timedelta = timedelta()
    steps: tuple[Step, ...] = ()
    faults: str = ""


Key = tuple[str, int]


def key_of(schedule: Schedule) -> Key:
    """Return what tells a schedule from those of every kind."""
    return schedule.KIND, schedule.pk


def expected_work(schedules: Iterable[Schedule]) -> dict[Key, Work]:
    """Return what a run of each schedule is expected to be; a few statements for all of them.

    Durations are medians of the last completed runs. What never ran takes no time; a plan that never ran takes what
    its steps take, one after the other as their order demands.
    """
    schedules = list(schedules)
    batches = Run.objects.usual_durations()
    works = {
        key_of(one): Work(batches.get(one.entity_id, timedelta()))
        for one in schedules
        if isinstance(one, SchedulerConfiguration)
    }
    return (
        works
        | _jobs([one for one in schedules if isinstance(one, JobSchedule)])
        | _plans([one for one in schedules if isinstance(one, Plan)])
    )


def _jobs(schedules: list[JobSchedule]) -> dict[Key, Work]:
    if not schedules:
        return {}
    usual = Run.objects.usual_durations_by_title(RunKind.JOB)
    queues = {DEFAULT_QUEUE, *Queue.objects.filter(is_cancelled=False).values_list("name", flat=True)}

    def work(schedule: JobSchedule) -> Work:
        job = schedule.job
        faults = "" if job.queue_name in queues else f"There is no queue named {job.queue_name!r}."
        return Work(usual.get(job.name, timedelta()), faults=faults)

    return {key_of(schedule): work(schedule) for schedule in schedules}


def _plans(plans: list[Plan]) -> dict[Key, Work]:
    if not plans:
        return {}
    usual = Run.objects.usual_durations_by_title(RunKind.PLAN)
    compiled = compile_each([plan.name for plan in plans])
    manifests = {name: made for name, made in compiled.items() if not isinstance(made, InvalidPlan)}
    tasks = Task.objects.usual_durations(
        [(task.workload, task.target_id) for made in manifests.values() for task in made]
    )
    found: dict[Key, Work] = {}
    for plan in plans:
        made = compiled[plan.name]
        if isinstance(made, InvalidPlan):
            found[key_of(plan)] = Work(faults=" ".join(str(made).split()))
            continue
        steps = _steps(made, tasks)
        ends = max((step.after + step.lasts for step in steps), default=timedelta())
        found[key_of(plan)] = Work(usual.get(plan.run_title, ends), steps)
    return found


def _steps(manifest: Manifest, usual: dict[tuple[str, int], timedelta]) -> tuple[Step, ...]:
    """Return the tasks of a run with their times."""
    lasts = {task.key: usual.get((task.workload, task.target_id or 0), timedelta()) for task in manifest}
    after = starts({task.key: task.depends_on for task in manifest}, lasts)
    return tuple(
        Step(task.workload, task.target_id or 0, after[task.key], lasts[task.key], is_first=not task.depends_on)
        for task in manifest
    )
