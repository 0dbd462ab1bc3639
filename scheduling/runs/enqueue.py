"""Enqueues jobs with arguments from any code, in the transaction of whoever calls: a rollback takes them back.

    from scheduling.runs.enqueue import enqueue, enqueue_many, given

    enqueue(send_letter, {"member": 5}, after=timedelta(hours=1), key="5")
    enqueue(given(send_letter, member=5), key="5")      # the same; a type checker knows what send_letter takes
    enqueue_many(given(send_letter, member=number) for number in members)

Each becomes a run of its own, which works beside other runs of its job. `key` makes it the only one of its job and key.
"""

from __future__ import annotations

import inspect
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Concatenate, ParamSpec, Unpack

from django.db import IntegrityError, transaction

from scheduling import clock
from scheduling.errors import InvalidArguments, InvalidManifest, InvalidOptions
from scheduling.jobs.arguments import checked
from scheduling.jobs.context import JobContext
from scheduling.jobs.declared import path_of
from scheduling.jobs.discover import switched_off
from scheduling.jobs.options import Options, Understood, understood
from scheduling.lifecycle import events
from scheduling.lifecycle.tasks import replace_unstarted
from scheduling.models import Job, Queue, Run, Task
from scheduling.queues import next_turns, wake_lines_after_commit
from scheduling.runs.fire import Cause, Fire, job_fire
from scheduling.runs.start import Started, start_many
from scheduling.states import EventType, KeyOverlap, RunKind, Starter, TaskStatus
from staging.transactions import in_transaction
from staging.wording import said_together, say

P = ParamSpec("P")
Function = Callable[..., object]

_AT_ONCE = 500
_TRIES = 20  # of work whose key somebody else takes, or lets go, at the same moment
_SOURCE = "Enqueued"


@dataclass(frozen=True)
class Given:
    """A job with its arguments, not enqueued yet."""

    job: Function
    arguments: Mapping[str, Any] = field(default_factory=dict)
    options: Options = field(default_factory=lambda: Options())

    def when(self, **options: Unpack[Options]) -> Given:
        """Return the same with these options."""
        return replace(self, options={**self.options, **options})


def given(job: Callable[Concatenate[JobContext, P], object], /, *args: P.args, **kwargs: P.kwargs) -> Given:
    """Return a job with its arguments, written as in a call, so that a type checker finds a wrong one.

    Raises InvalidArguments when they do not fit its signature.
    """
    try:
        bound = inspect.signature(job).bind(None, *args, **kwargs)
    except TypeError as error:
        raise InvalidArguments({"arguments": [say("{error}.", error=str(error).capitalize())]}) from None
    first = next(iter(bound.arguments))
    return Given(job, {name: value for name, value in bound.arguments.items() if name != first})


def enqueue(
    job: Function | Given,
    arguments: Mapping[str, Any] | None = None,
    *,
    by: str = "code",
    now: datetime | None = None,
    **options: Unpack[Options],
) -> Run:
    """Enqueue a job with these arguments; return the run that does it, which with a `key` may have been there before.

    It belongs to the transaction of the caller, and takes one of its own when there is none. Raises InvalidArguments
    with every wrong argument by its name, InvalidManifest when the job or its queue is not known; then nothing is done.
    """
    work = job if isinstance(job, Given) else Given(job)
    if arguments is not None:
        work = replace(work, arguments={**work.arguments, **arguments})
    return enqueue_many([work.when(**options)], by=by, now=now)[0]


def enqueue_many(work: Iterable[Given], *, by: str = "code", now: datetime | None = None) -> list[Run]:
    """Enqueue all of these in few statements, or none of them; return their runs in the same order. As `enqueue`."""
    now = now or clock.now()
    with transaction.atomic():
        items = _understood(list(work), by, now)
        runs: dict[int, Run] = {}
        for some in _rounds(items):
            runs |= _started(some)
        return [runs[item.place] for item in items]


def enqueue_by_hand(job: Job, arguments: Mapping[str, Any], options: Options, *, by: str, now: datetime) -> Run:
    """Enqueue a job with arguments as they are stored because a person asked, by the rules of `enqueue`.

    Raises InvalidOptions with every fault by its name, InvalidManifest when it cannot start.
    """
    place = understood(options, now)
    if place.queue and not Queue.objects.filter(name=place.queue, is_cancelled=False).exists():
        raise InvalidOptions({"queue": [_no_queue(place.queue)]})
    with transaction.atomic():
        run = _started([_item_of(0, job, arguments, place, by, Starter.PERSON, now)])[0]
        if run.created_at != now and place.overlap == KeyOverlap.REPLACE:  # whose work it was, another one enqueued
            message = say("What run {run} of {job} does was replaced by {by}.", run=run.pk, job=job.name, by=by)
            events.record(
                EventType.CHANGED, now=now, message=message, trigger_source=by[:200], starter=Starter.PERSON,
                run_id=run.pk, job_id=job.pk,
            )  # fmt: skip
    return run


def _no_queue(name: str) -> str:
    return say("There is no queue named {queues}.", queues=repr(name))


@dataclass(frozen=True)
class _Item:
    """One piece of work that was understood; `place` is where it stands among those of the call."""

    place: int
    fire: Fire
    overlap: KeyOverlap

    @property
    def task(self) -> Any:
        """Return its one task, as it is ordered."""
        return self.fire.manifest[0]

    @property
    def key(self) -> tuple[int, str] | None:
        """Return what only one of may live; None when any number may."""
        return None if self.task.unique_key is None else (self.task.target_id, self.task.unique_key)

    def at_place(self, place: int) -> _Item:
        """Return the same, to wait behind another of its key when `place` is 1."""
        return replace(self, fire=replace(self.fire, manifest=(replace(self.task, key_place=place),)))


def _understood(work: Sequence[Given], by: str, now: datetime) -> list[_Item]:
    """Return what is to be started. Raises InvalidArguments, with its place when there are several, InvalidManifest."""
    jobs = _jobs(work)
    items: list[_Item] = []
    for place, each in enumerate(work):
        try:
            items.append(_item(place, each, jobs[path_of(each.job)], by, now))
        except InvalidArguments as error:
            if len(work) == 1:
                raise
            raise InvalidArguments({f"{place + 1}.{name}": texts for name, texts in error.errors.items()}) from None
    return items


def _jobs(work: Sequence[Given]) -> dict[str, Job]:
    """Return the stored jobs of these functions by path."""
    paths = {path_of(each.job) for each in work}
    found = {job.path: job for job in Job.objects.filter(path__in=paths, removed_at__isnull=True)}
    if unknown := sorted(paths - found.keys()):
        if off := switched_off(unknown[0]):
            raise InvalidManifest(off)
        raise InvalidManifest(
            said_together(
                say("{path} is no declared job here.", path=unknown[0]),
                say(
                    "Decorate it with @job in an installed app's jobs.py; `sync_jobs` takes in what the code declares."
                ),
            )
        )
    return found


def _item(position: int, work: Given, job: Job, by: str, now: datetime) -> _Item:
    place = understood(work.options, now)
    return _item_of(position, job, checked(work.job, work.arguments), place, by, Starter.CODE, now)


def _item_of(
    position: int, job: Job, arguments: Mapping[str, Any], place: Understood, by: str, starter: Starter, now: datetime
) -> _Item:
    """Return what starts a job with arguments as they are stored, at its place in time and queue."""
    cause = Cause(f"enqueued:{job.pk}:{starter}:{uuid.uuid4()}", _SOURCE, by, now)
    message = say("Job {job} enqueued by {by}.", job=job.name, by=by)
    fire = job_fire(job, cause, message, arguments=arguments)
    task = replace(
        fire.manifest[0],
        queue=place.queue or job.queue_name,
        priority=job.priority if place.priority is None else place.priority,
        not_before=place.not_before,
        side_by_side=True,
        unique_key=place.key,
    )
    subject = replace(fire.subject, side_by_side=True)
    return _Item(position, replace(fire, subject=subject, manifest=(task,)), place.overlap)


def _rounds(items: Sequence[_Item]) -> Iterator[list[_Item]]:
    """Yield the items so that no two of one round have the same key: the later one finds the earlier one there."""
    rounds: list[list[_Item]] = []
    seen: dict[tuple[int, str] | None, int] = {}
    for item in items:
        number = seen.get(item.key, 0) if item.key is not None else 0
        seen[item.key] = number + 1
        if number == len(rounds):
            rounds.append([])
        rounds[number].append(item)
    yield from rounds


@in_transaction
def _started(items: Sequence[_Item]) -> dict[int, Run]:
    """Start these, whose keys differ, unless others of their keys stand in their way; return the runs by place."""
    found: dict[int, Run] = {}
    for _ in range(_TRIES):
        new, there = _looked_at(items)
        found |= there
        answers = start_many([item.fire for item in new])
        found |= {
            item.place: answer.run for item, answer in zip(new, answers, strict=True) if isinstance(answer, Started)
        }
        # Somebody else took the key since it was looked for: it is looked for again.
        items = [item for item, answer in zip(new, answers, strict=True) if _is_taken(item, answer)]
        if not items:
            return found
    raise InvalidManifest(
        say("The key {key!r} changes hands all the time; try again later.", key=items[0].task.unique_key)
    )


def _is_taken(item: _Item, answer: Started | Exception) -> bool:
    """Return whether the key was taken meanwhile. Raises what kept the work from starting else."""
    if isinstance(answer, IntegrityError) and item.key is not None:
        return True
    if isinstance(answer, Exception):
        raise answer
    return False


def _looked_at(items: Sequence[_Item]) -> tuple[list[_Item], dict[int, Run]]:
    """Return which of these are to be started, and the runs that stand for the others."""
    live = _live([item for item in items if item.key is not None])
    new: list[_Item] = []
    there: dict[int, Run] = {}
    for item in items:
        tasks = live.get(item.key, []) if item.key is not None else []
        if not tasks:
            new.append(item)
        elif (run := _stands_for(item, tasks)) is not None:
            there[item.place] = run
        else:
            new.append(item.at_place(1))
    # Always in the same order: two callers cannot wait for each other.
    return sorted(new, key=lambda item: (item.key or (0, ""), item.place)), there


def _live(items: Sequence[_Item]) -> dict[tuple[int, str], list[Task]]:
    """Return the tasks of these keys that have not ended, the one that waits behind the other last; few statements."""
    found: dict[tuple[int, str], list[Task]] = {}
    for first in range(0, len(items), _AT_ONCE):
        some = items[first : first + _AT_ONCE]
        tasks = Task.objects.filter(
            workload=RunKind.JOB,
            status__in=TaskStatus.live(),
            target_id__in={item.task.target_id for item in some},
            unique_key__in={item.task.unique_key for item in some},
        )
        for task in tasks.select_related("run").order_by("key_place"):
            found.setdefault((task.target_id or 0, task.unique_key or ""), []).append(task)
    return found


def _stands_for(item: _Item, tasks: Sequence[Task]) -> Run | None:
    """Return the run that stands for this work; None when it is to wait behind what runs.

    `replace` gives what has not started what this work was given.
    """
    last = tasks[-1]
    if item.overlap == KeyOverlap.REPLACE:
        return last.run if _replaced(last, item) else None
    waits = last.status == TaskStatus.QUEUED and last.attempts_made == 0
    return last.run if waits or item.overlap == KeyOverlap.SKIP else None


def _replaced(task: Task, item: _Item) -> bool:
    """Let a task that has not started do this work instead; False when it has started."""
    ordered, now = item.task, item.fire.cause.now
    queue = Queue.objects.filter(name=ordered.queue, is_cancelled=False).first()
    if queue is None:
        raise InvalidManifest(_no_queue(ordered.queue))
    (turn,) = next_turns(task.run_id, queue.pk, ordered.priority, 1)
    replaced = replace_unstarted(
        task.pk,
        arguments=dict(ordered.arguments),
        next_attempt_at=ordered.not_before,
        waits_for_entity=False,
        queued_at=ordered.not_before or now,
        sent_at=ordered.not_before or now,
        queue=queue,
        priority=ordered.priority,
        turn=turn,
    )
    if replaced and ordered.not_before is None:
        wake_lines_after_commit({queue.pk: 1}, now)
    return replaced
