"""The one start of everything that runs: a run, its tasks, its batch, the guards and the log together, or nothing."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass

from django.db import IntegrityError, transaction

from scheduling import events
from scheduling.errors import AlreadyRunning, ChangedMeanwhile, FiredBefore, SchedulingError
from scheduling.isolation import together
from scheduling.lifecycle.guard import hold_schedules, live_runs_of, lock_jobs, lock_open, take_guards
from scheduling.models import Run, Task
from scheduling.queues.wake import wake_lines_after_commit
from scheduling.runs.create import check_manifest, create_runs
from scheduling.runs.fire import Fire
from scheduling.runs.rights import refuse_without_right
from scheduling.states import RunKind, TaskStatus
from scheduling.workloads.batch import open_for
from staging.models import Batch

AT_ONCE = 100  # fires in one transaction: so long does an edit of one of their schedules wait


@dataclass(frozen=True)
class Started:
    """What a fire created. Only the run of a single batch has its batch from the start."""

    run: Run
    tasks: Sequence[Task]
    batch: Batch | None = None


def start(fire: Fire) -> Started:
    """Start one run.

    Raises what `start_many` answers: NotStarted when somebody was faster, InvalidManifest, and NotAllowed when the
    person who asked may not start something of it.
    """
    (answer,) = start_many([fire])
    if isinstance(answer, Exception):
        raise answer
    return answer


def start_many(fires: Sequence[Fire]) -> list[Started | Exception]:
    """Start these runs, in their order and set by set; return for each what it created, or why it did not start.

    What keeps one from starting keeps no other. Everything of a fire is written in one transaction, which may be the
    caller's, and workers are woken after its commit. Raises only when the connection is lost.
    """
    return [answer for some in _sets(fires) for answer in together(_start_set, some)]


def _sets(fires: Sequence[Fire]) -> Iterator[list[Fire]]:
    """Yield fires that may start in one transaction: no two of them want the same guard."""
    some: list[Fire] = []
    wanted: set[tuple[str, int]] = set()
    for fire in fires:
        guards = fire.subject.guards()
        if some and (len(some) == AT_ONCE or wanted & guards):
            yield some
            some, wanted = [], set()
        some.append(fire)
        wanted |= guards
    if some:
        yield some


def _start_set(fires: Sequence[Fire]) -> list[Started | Exception]:
    """Start those of these fires that may start, in one transaction; return what became of each."""
    try:
        with transaction.atomic():
            seen = _look(fires)
            refused = [seen.refusal(fire) for fire in fires]
            started = iter(_create([fire for fire, why in zip(fires, refused, strict=True) if why is None]))
            return [next(started) if why is None else why for why in refused]
    except IntegrityError:
        # Somebody else used the key since it was looked for; alone, it is known whose.
        if len(fires) == 1 and Run.objects.filter(fire_key=fires[0].cause.fire_key).exists():
            return [_fired_before(fires[0])]
        raise


@dataclass(frozen=True)
class _Seen:
    """What holds of everything that a set of fires wants, from now until the transaction ends."""

    fired: Set[str]  # fire keys of runs that exist
    jobs: Mapping[int, bool]  # whether each is paused
    busy: Mapping[int, int]  # the run in which a job runs or is in line
    guards: Set[tuple[str, int]]  # of schedules that may be taken

    def refusal(self, fire: Fire) -> Exception | None:
        """Return why this may not start; None when it may."""
        subject, cause = fire.subject, fire.cause
        try:
            refuse_without_right(fire.manifest, cause.person)
            check_manifest(fire.manifest)
        except SchedulingError as error:
            return error
        if cause.fire_key in self.fired:
            return _fired_before(fire)
        if (job := subject.job) is not None:
            if self.jobs.get(job.pk, True) and (cause.by_itself or job.pk not in self.jobs):
                return ChangedMeanwhile(f"Job {job.name} was paused or taken away meanwhile.")
            if job.pk in self.busy:
                return AlreadyRunning(f"Job {job.name} is already running (run {self.busy[job.pk]}).")
        for schedule in subject.schedules:
            if (schedule.KIND, schedule.pk) not in self.guards:
                changed = ChangedMeanwhile(f"{schedule.what} was fired or changed meanwhile.")
                return changed if cause.by_itself else AlreadyRunning(schedule.busy)
        return None


def _look(fires: Sequence[Fire]) -> _Seen:
    """Lock what these fires want and look at it; jobs before their schedules, as everybody does."""
    job_ids = [fire.subject.job.pk for fire in fires if fire.subject.job is not None]
    keys = [fire.cause.fire_key for fire in fires]
    return _Seen(
        jobs=lock_jobs(job_ids),
        busy=live_runs_of(job_ids),
        guards=lock_open([bid for fire in fires for bid in fire.bids()]),
        fired=set(Run.objects.filter(fire_key__in=keys).values_list("fire_key", flat=True)),
    )


def _create(fires: Sequence[Fire]) -> list[Started]:
    """Write everything of these fires, whose guards are locked; wake workers after the commit."""
    if not fires:
        return []
    now = fires[0].cause.now
    created = create_runs(fires)
    batches = iter(
        open_for([tasks[0] for fire, (_, tasks) in zip(fires, created, strict=True) if _is_batch(fire)], now)
    )
    started = [
        Started(run, tasks, next(batches) if _is_batch(fire) else None)
        for fire, (run, tasks) in zip(fires, created, strict=True)
    ]
    pairs = list(zip(fires, started, strict=True))
    take_guards([(bid, each.run, each.tasks[0]) for fire, each in pairs for bid in fire.bids()], now)
    hold_schedules({fire.subject.job.pk: each.run for fire, each in pairs if fire.subject.job is not None}, now=now)
    events.record_all([event for fire, each in pairs for event in fire.events(each.run, each.batch)])
    queued = Counter(task.queue_id for each in started for task in each.tasks if task.status == TaskStatus.QUEUED)
    wake_lines_after_commit(queued, now)
    return started


def _is_batch(fire: Fire) -> bool:
    return fire.subject.kind == RunKind.BATCH


def _fired_before(fire: Fire) -> FiredBefore:
    return FiredBefore(f"{fire.subject.title or fire.message} was started for this moment before.")
