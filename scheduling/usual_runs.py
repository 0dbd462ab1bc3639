"""What a run of each schedule usually is: how long it takes, of which pieces, and whether it can start at all.

Whoever looks ahead asks here. Durations are medians of the last completed runs, without restarts, which most often are
of a part; what nobody has seen yet counts as a minute, wherever it is asked.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Q

from scheduling.dag.manifest import Manifest, ManifestTask
from scheduling.dag.pace import starts
from scheduling.errors import InvalidPlan
from scheduling.models import Job, JobSchedule, Plan, Queue, Schedule, SchedulerConfiguration, Task, TaskDependency
from scheduling.models.figures import Whose, usual_times
from scheduling.models.run import IS_STEP, IS_USUAL_SQL
from scheduling.plans.compile import compile_each
from scheduling.queues import DEFAULT_QUEUE
from scheduling.states import RunIf, RunKind, TaskStatus
from staging.wording import say

UNKNOWN = timedelta(minutes=1)  # taken for a run, or a piece of one, that nobody has seen end yet

Key = tuple[str, int]
_Durations = Mapping[tuple[str, int], timedelta]  # by workload and target
_RUNS, _TASKS = "scheduling_run", "scheduling_task"


@dataclass(frozen=True)
class Piece:
    """A task of a run: what it works on, how long after the start of the run, for how long, and in which queue.

    `is_first` when it depends on nothing: it is in line as soon as the run starts.
    """

    workload: str
    target_id: int
    after: timedelta = timedelta()
    lasts: timedelta = UNKNOWN
    is_first: bool = True
    queue: str = DEFAULT_QUEUE


@dataclass(frozen=True)
class UsualRun:
    """One run: how long those before it took, None when there were none, and the tasks it is made of.

    `faults` say why it cannot start; the dispatcher would log them as an error.
    """

    seen: timedelta | None = None
    pieces: tuple[Piece, ...] = ()
    faults: str = ""

    @property
    def lasts(self) -> timedelta:
        """Return how long it is expected to take: what never ran takes what its pieces take in their order."""
        if self.seen is not None:
            return self.seen
        return max((piece.after + piece.lasts for piece in self.pieces), default=UNKNOWN)


def key_of(schedule: Schedule) -> Key:
    """Return what tells a schedule from those of every kind."""
    return schedule.KIND, schedule.pk


Times = Sequence[Mapping[int | str, timedelta]]


@dataclass(frozen=True)
class Usually:
    """What runs of some schedules usually are: whose times that needs, and what is made of these, one for each asked.

    So that whoever looks ahead asks for the times of every kind at once.
    """

    made_of: Callable[[Times], Mapping[Key, UsualRun]]
    whose: Sequence[Whose] = ()


def usual_batches(configurations: list[SchedulerConfiguration]) -> Usually:
    """Return what a batch of each entity usually is."""

    def made_of(times: Times) -> dict[Key, UsualRun]:
        (seen,) = times
        return {
            key_of(one): _of_one_task(RunKind.BATCH, one.entity_id, seen.get(one.entity_id)) for one in configurations
        }

    of = f"r.kind = 'batch' AND {IS_USUAL_SQL} AND r.entity_id = o.column2"
    return Usually(made_of, [Whose(_RUNS, of, [one.entity_id for one in configurations])])


def usual_jobs(schedules: list[JobSchedule]) -> Usually:
    """Return what a run of each schedule's job usually is; a statement where jobs have queues of their own."""
    asked, queues = {schedule.job.queue_name for schedule in schedules} - {DEFAULT_QUEUE}, {DEFAULT_QUEUE}
    if asked:
        queues.update(Queue.objects.filter(is_cancelled=False, name__in=asked).values_list("name", flat=True))

    def usual(job: Job, seen: timedelta | None) -> UsualRun:
        if job.queue_name not in queues:
            return UsualRun(seen, faults=say("There is no queue named {queue!r}.", queue=job.queue_name))
        return _of_one_task(RunKind.JOB, job.pk, seen, job.queue_name)

    def made_of(times: Times) -> dict[Key, UsualRun]:
        (seen,) = times
        return {key_of(one): usual(one.job, seen.get(one.job.name)) for one in schedules}

    return Usually(made_of, [_of_titles("job", {one.job.name for one in schedules})])


def usual_plans(plans: list[Plan]) -> Usually:
    """Return what a run of each plan usually is, with the steps it has now; a few statements for all of them."""
    compiled = compile_each([plan.name for plan in plans], plans)
    manifests = [made.tasks for made in compiled.values() if not isinstance(made, InvalidPlan)]
    targets = _of_targets((task.workload, task.target_id) for made in manifests for task in made)

    def made_of(times: Times) -> dict[Key, UsualRun]:
        seen, tasks = times[0], _by_target(targets, times[1:])

        def usual(plan: Plan) -> UsualRun:
            made, lasted = compiled[plan.name], seen.get(plan.run_title)
            if isinstance(made, InvalidPlan):
                return UsualRun(lasted, faults=" ".join(str(made).split()))
            return UsualRun(lasted, _pieces(made.tasks, tasks))

        return {key_of(plan): usual(plan) for plan in plans}

    return Usually(made_of, [_of_titles("plan", {plan.run_title for plan in plans}), *targets.values()])


def _of_titles(kind: str, titles: Iterable[str]) -> Whose:
    """Return whose the runs of a kind are that have no entity: those of these titles."""
    of = f"r.kind = '{kind}' AND {IS_USUAL_SQL} AND r.entity_id IS NULL AND r.title = o.column2"
    return Whose(_RUNS, of, sorted(titles))


def _of_targets(targets: Iterable[tuple[str, int | None]]) -> dict[str, Whose]:
    """Return whose the tasks are, by workload, whatever run they were part of: an entity's, a job's, a script's."""
    wanted: dict[str, set[int]] = {}
    for workload, target_id in targets:
        if target_id is not None:
            wanted.setdefault(workload, set()).add(target_id)
    of = "r.workload = '{}' AND r.status = 'completed' AND r.target_id = o.column2"
    return {
        workload: Whose(_TASKS, of.format(RunKind(workload).value), sorted(ids)) for workload, ids in wanted.items()
    }


def _by_target(targets: Mapping[str, Whose], times: Times) -> _Durations:
    """Return the times of targets by workload and id."""
    return {
        (workload, int(key)): lasted
        for workload, of_each in zip(targets, times, strict=True)
        for key, lasted in of_each.items()
    }


def _of_one_task(workload: str, target_id: int, seen: timedelta | None, queue: str = DEFAULT_QUEUE) -> UsualRun:
    """Return a run of a single task."""
    return UsualRun(seen, (Piece(workload, target_id, lasts=UNKNOWN if seen is None else seen, queue=queue),))


def _pieces(manifest: Manifest, known: _Durations) -> tuple[Piece, ...]:
    """Return the tasks of a run that is to come, each after all it depends on; none is what only a failure brings."""
    lasts = {task.key: known.get((task.workload, task.target_id or 0), UNKNOWN) for task in manifest}
    lasts |= {task.key: timedelta(minutes=task.arguments["minutes"]) for task in manifest if "minutes" in _waited(task)}
    lasts |= {task.key: timedelta() for task in manifest if task.run_if == RunIf.ANY_FAILED}
    after = starts({task.key: task.depends_on for task in manifest}, lasts)
    return tuple(
        Piece(task.workload, task.target_id or 0, after[task.key], lasts[task.key], not task.depends_on, task.queue)
        for task in manifest
        if task.run_if != RunIf.ANY_FAILED and task.workload != RunKind.WAIT
    )


def _waited(task: ManifestTask) -> Mapping[str, Any]:
    """Return what a wait waits for; nothing for work. A wait delays what comes after it, and takes up no queue."""
    return task.arguments if task.workload == RunKind.WAIT else {}


def pieces_left(run_ids: Collection[int], now: datetime) -> dict[int, tuple[Piece, ...]]:
    """Return what is left of each of these runs, counted from `now`; three statements for all of them.

    A task that runs goes on for the rest of its usual time; the others follow it in their order. What only a failure
    would bring is not expected. Of a run that waits for the next attempt of its plan it is what that one does.
    """
    left: dict[int, tuple[Piece, ...]] = dict.fromkeys(run_ids, ())
    if not run_ids:
        return left
    again = Q(IS_STEP, run__next_attempt_at__isnull=False) & ~Q(status__in=[TaskStatus.COMPLETED, TaskStatus.SKIPPED])
    live = Task.objects.filter(~Q(status__in=TaskStatus.final()) | again, run__in=run_ids)
    live = live.exclude(~Q(status__in=[TaskStatus.QUEUED, TaskStatus.RUNNING]), run_if=RunIf.ANY_FAILED)
    tasks: dict[int, list[Task]] = {}
    for task in live.select_related("queue").order_by("pk"):
        tasks.setdefault(task.run_id, []).append(task)
    order: dict[str, set[str]] = {}
    for task_id, prior in TaskDependency.objects.filter(task__in=live, depends_on__in=live).values_list(
        "task_id", "depends_on_id"
    ):
        order.setdefault(str(task_id), set()).add(str(prior))
    targets = _of_targets((each.workload, each.target_id) for some in tasks.values() for each in some)
    known = _by_target(targets, usual_times([*targets.values()]))
    return left | {run_id: _left(found, order, known, now) for run_id, found in tasks.items()}


def _left(tasks: list[Task], order: Mapping[str, set[str]], known: _Durations, now: datetime) -> tuple[Piece, ...]:
    """Return the live tasks of one run."""
    rest = {}
    for task in tasks:
        begun = now - task.started_at if task.status == TaskStatus.RUNNING and task.started_at else timedelta()
        usual = known.get((task.workload, task.target_id or 0), UNKNOWN)
        if task.is_awaiting and task.next_attempt_at and not {"rows", "script"} & task.arguments.keys():
            usual = task.next_attempt_at - now
        if task.items is not None and task.mapped_by_id is None and task.waits_since is not None:
            usual = timedelta()  # its items are what is left of it
        rest[str(task.pk)] = max(usual - begun, timedelta())
    after = starts({key: order.get(key, ()) for key in rest}, rest)
    return tuple(
        Piece(task.workload, task.target_id or 0, after[key], rest[key], key not in order, task.queue.name)
        for task, key in zip(tasks, rest, strict=True)
        if task.workload != RunKind.WAIT
    )
