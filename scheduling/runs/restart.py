"""Starts an ended run again as a new run linked to it, and releases a failed task of a live run again.

A run is a manifest again first: what it was made of, and how that differs from what it would be now.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence, Set
from dataclasses import dataclass, fields
from datetime import datetime
from difflib import get_close_matches
from typing import Any

from django.db import transaction
from django.db.models import Count, F, OuterRef, Subquery
from django.db.models.functions import Coalesce

from scheduling.dag.conditions import stored_conditions
from scheduling.dag.graph import reach, restricted, reversed_graph
from scheduling.dag.manifest import Manifest, ManifestTask
from scheduling.errors import AlreadyRunning, CannotRestart, UnknownStep
from scheduling.lifecycle.again import end_due_wait
from scheduling.models import Attempt, Job, Run, SchedulerConfiguration, Task, TaskDependency
from scheduling.plans.compile import compile_plans
from scheduling.plans.order import without_idle
from scheduling.runs.by_hand import restart_plans_now, start_batch_now, try_plans_again
from scheduling.runs.fire import Cause, Fire, Subject, refuse_without_right, values_for
from scheduling.runs.start import start
from scheduling.statements import sharing
from scheduling.states import AttemptOutcome, RunIf, RunKind, RunStatus, TaskStatus
from staging.rights import Person
from staging.wording import in_one_language, say

_ORDERED = (
    "id", "key", "workload", "target_id", "queue", "priority", "step_index", "run_if", "only_when",
    "continue_on_failure", "attempts_ordered", "attempts_allowed", "retry_interval_seconds", "retry_backoff",
    "retry_on", "timeout_seconds", "arguments", "side_by_side", "expected",
)  # fmt: skip # of a task, what `item_of` reads
_TOLD = tuple(each.name for each in fields(ManifestTask) if each.name not in ("step_index", "items"))


@dataclass(frozen=True)
class RunPart:
    """What of a run somebody wants to run again, by the names of its steps; empty for all of it.

    `start_at`: that step and all that comes after it; `only`: that step alone; `without`: not these, they count as
    done. The step that is named runs, whatever it asks about others.
    """

    start_at: str = ""
    only: str = ""
    without: Collection[str] = ()

    def of(self, manifest: Manifest) -> Manifest:
        """Return what of a manifest it is, in the same order. Raises UnknownStep."""
        order = {item.key: item.depends_on for item in manifest}
        for name in (self.start_at, self.only, *self.without):
            if name and name not in order:
                raise UnknownStep(_no_step(name, order))
        chosen = set(order)
        if first := self.only or self.start_at:
            chosen = {first} | (set() if self.only else reach([first], reversed_graph(order)))
        conditions = {item.key: item.run_if for item in manifest}
        named_before = {key for key, priors in order.items() if not priors}  # or they would not be in it
        graph = without_idle(restricted(order, chosen - set(self.without)), conditions, but={first, *named_before})
        kept = (item if item.key != first else item.but(only_when=()) for item in manifest if item.key in graph)
        return tuple(item.but(depends_on=frozenset(graph[item.key])) for item in kept)


def _no_step(name: str, known: Collection[str]) -> str:
    if likely := get_close_matches(name, list(known), n=1):
        return say("There is no step {name!r} to run again; did you mean {likely!r}?", name=name, likely=likely[0])
    return say("There is no step {name!r} to run again.", name=name)


def restart_run(
    run: Run,
    *,
    only_failed: bool,
    part: RunPart | None = None,
    manifest: Manifest | None = None,
    started_by: str,
    person: Person | None = None,
    now: datetime,
) -> Run:
    """Start an ended run again; return the new run.

    `only_failed`: only what failed or never ran, in the same order; `part`: what of that. `manifest` is what its plans
    are now; without it the run is repeated as it was. `person`: who asked for it, when somebody did. Raises NotAllowed
    when the person may not start something of it, UnknownStep for a part that is not there, AlreadyRunning while it, or
    an earlier restart of it, has not ended, and CannotRestart when nothing is left to do or an earlier restart did it.
    """
    seen = _refuse_a_second(run, part)
    whole = manifest_of(run) if manifest is None else manifest
    items = without_completed(whole, run) if only_failed else whole
    items = items if part is None else part.of(items)
    done = {item.key for item in items}.union(*_ended_well(run), part.without if part else ())
    is_partial = not done.issuperset(item.key for item in whole)
    with transaction.atomic():
        _refuse_a_late_one(run, seen)
        _refuse_nothing(run, items)
        refuse_without_right(items, person)
        return _start(run, items, is_partial, started_by, now)


def try_again(run: Run, *, now: datetime) -> Run | None:
    """Start what failed of a run whose wait for the next attempt of its plan is over; None when somebody was faster.

    The end of the wait and the start are one transaction: whatever dies, the attempt is begun once, or still waited
    for. Raises as `restart_run` and `try_plans_again` when it cannot begin.
    """
    seen = _refuse_a_second(run, None)
    whole = manifest_of(run)
    items = without_completed(whole, run)
    done = {item.key for item in items}.union(*_ended_well(run))
    is_partial = not done.issuperset(item.key for item in whole)
    with transaction.atomic():
        if not end_due_wait(run.pk, now=now):
            return None
        _refuse_a_late_one(run, seen)
        _refuse_nothing(run, items)
        return try_plans_again(run, items, is_partial=is_partial, now=now)


def _refuse_nothing(run: Run, items: Manifest) -> None:
    if not items:
        raise CannotRestart(say("Everything of run {run} is completed: there is nothing to restart.", run=run.pk))


def _start(run: Run, items: Manifest, is_partial: bool, started_by: str, now: datetime) -> Run:
    """Start these tasks of a run again, each kind of run through its own door."""
    if run.kind == RunKind.BATCH and run.entity_id is not None:
        configuration = SchedulerConfiguration.objects.select_related("entity").get(entity_id=run.entity_id)
        opening = dict(items[0].arguments)
        tag = str(opening.pop("tag", ""))
        return start_batch_now(
            configuration, tag=tag, started_by=started_by, opening=opening, restart_of=run, now=now
        ).run
    if run.kind == RunKind.PLAN and run.plans:
        return restart_plans_now(run, items, is_partial=is_partial, started_by=started_by, now=now)
    cause = Cause(
        f"restart:{run.pk}:{run.restarts.count() + 1}", "Manual", started_by, now, restart_of=run, is_partial=is_partial
    )
    message = say(
        "{title} started again by {started_by}: run {run} {status}.",
        title=run.title,
        started_by=started_by,
        run=run.pk,
        status=run.status,
    )
    job = Job.objects.filter(pk=items[0].target_id or 0).first() if run.kind == RunKind.JOB else None
    beside = all(item.side_by_side for item in items)
    return start(Fire(Subject(run.kind, run.title, run.plans, job=job, side_by_side=beside), items, cause, message)).run


def _refuse_a_second(run: Run, part: RunPart | None) -> int:
    """Raise AlreadyRunning when the run, or a restart of it, is still at work; return how many restarts there were.

    Raises CannotRestart when a restart completed: another one would do again what that one did.
    """
    final = RunStatus.final()
    run.refresh_from_db(fields=["status", "made_good_by"])
    if run.status not in final and (step := part and (part.start_at or part.only)):
        raise AlreadyRunning(say("Run {run} has not ended: run step {step} in it (run_task).", run=run.pk, step=step))
    if run.status not in final:
        raise AlreadyRunning(
            say("Run {run} has not ended; cancel it first, or release its failed tasks again.", run=run.pk)
        )
    if run.made_good_by_id is not None:
        good = run.made_good_by_id
        raise CannotRestart(
            say(
                "Run {run} was made good by run {good}; to do the work once more, restart run {good}.",
                run=run.pk,
                good=good,
            )
        )
    if live := run.restarts.exclude(status__in=final).first():
        raise AlreadyRunning(say("Run {run} is being run again already: run {live}.", run=run.pk, live=live.pk))
    return run.restarts.count()


def _refuse_a_late_one(run: Run, seen: int) -> None:
    """Raise AlreadyRunning when the run was started again since `seen` restarts were counted: what to run is outdated.

    The update locks the run, so that of two restarts at once the second sees the first.
    """
    Run.objects.filter(pk=run.pk).update(kind=F("kind"))
    if run.restarts.count() != seen:
        latest = run.restarts.order_by("-pk").values_list("pk", flat=True)[0]
        raise AlreadyRunning(say("Run {run} was started again meanwhile: run {latest}.", run=run.pk, latest=latest))


def manifest_of(run: Run) -> Manifest:
    """Return the manifest a run was made of, what was appended included."""
    before: dict[str, set[str]] = defaultdict(set)
    pairs = TaskDependency.objects.filter(task__run=run, depends_on__mapped_by=None).values_list(
        "task__key", "depends_on__key"
    )
    for key, prior in pairs:
        before[key].add(prior)
    mine = Attempt.objects.filter(task=OuterRef("pk"), outcome=AttemptOutcome.INTERRUPTED).order_by().values("task")
    interrupted = Coalesce(Subquery(mine.annotate(number=Count("pk")).values("number")), 0)
    tasks = run.tasks.steps().annotate(interrupted=interrupted).order_by("step_index", "id")
    found = sharing(tasks, {"queue": ("id", "name")}, own=_ORDERED, more=("interrupted",))
    return tuple(item_of(task, frozenset(before[task.key]), number) for task, (number,) in found)


def manifest_now(run: Run) -> Manifest:
    """Return what the plans of a run are now, with the parameters that it had.

    Raises UnknownPlan and InvalidPlan, and InvalidArguments when they take others by now.
    """
    made = compile_plans(run.plans)
    had = {name: value for name, value in (run.parameters or {}).items() if name in made.parameters}
    values = values_for(made, run.plans, had, run.scheduled_for or run.created_at)
    return made.with_values({**values, **(run.parameters or {})})


def without_completed(manifest: Manifest, run: Run) -> Manifest:
    """Return what of the manifest did not complete in `run` or in a restart of it, in the same order.

    An order through the rest is kept. What asks how others ended runs again exactly with what it asks about, and so
    does what was skipped because of what they gave; it runs for all its items, where what did not end well goes on with
    those that are left.
    """
    completed, skipped = _ended_well(run)
    chosen = {item.key for item in manifest} - completed - skipped
    order = {item.key: item.depends_on for item in manifest}
    chosen |= {
        item.key for item in manifest if item.run_if != RunIf.ALL_SUCCEEDED and reach([item.key], order) & chosen
    }
    chosen |= _asking_about(chosen, [item for item in manifest if item.key in skipped - completed])
    graph = restricted(order, chosen)
    unended = chosen - completed - skipped
    lists = _lists(run, [item for item in manifest if item.key in unended and item.workload == RunKind.MAP])
    return tuple(
        item.but(depends_on=frozenset(graph[item.key]), items=lists.get(item.key))
        for item in manifest
        if item.key in chosen
    )


def _lists(run: Run, items: Sequence[ManifestTask]) -> dict[str, tuple[Any, ...]]:
    """Return the lists that were decided for these steps, in the run or in a restart of it; a step that differs by now
    goes by a list of its own."""
    if not items:
        return {}
    told = {item.key: item.arguments for item in items}
    decided = Task.objects.filter(run__in=Run.objects.repeating(run.pk), key__in=told, items__isnull=False)
    return {task.key: tuple(task.items or ()) for task in decided.order_by("pk") if task.arguments == told[task.key]}


def _asking_about(chosen: Set[str], skipped: Sequence[ManifestTask]) -> set[str]:
    """Return which of these were skipped because of what one of the chosen gave, or one of themselves."""
    found: set[str] = set()
    for item in sorted(skipped, key=lambda item: item.step_index):
        if any(condition.step in chosen | found for condition in item.only_when):
            found.add(item.key)
    return found


def _ended_well(run: Run) -> tuple[set[str], set[str]]:
    """Return what of a run completed, and what had nothing to do, in it or in a restart of it.

    Of a run that was read `with_restarts` and had none, the restarts are not asked for.
    """
    found: dict[str, set[str]] = {TaskStatus.COMPLETED: set(), TaskStatus.SKIPPED: set()}
    runs = Run.objects.repeating(run.pk) if getattr(run, "was_restarted", True) else {run.pk}
    ended_well = Task.objects.filter(run__in=runs, status__in=found)
    for status, key in ended_well.values_list("status", "key"):
        found[status].add(key)
    return found[TaskStatus.COMPLETED], found[TaskStatus.SKIPPED]


@in_one_language()
def differences(was: Manifest, is_now: Manifest) -> list[str]:
    """Return, a line each, what was added, taken out or changed from one manifest to another."""
    before, after = {item.key: item for item in was}, {item.key: item for item in is_now}
    added: list[str] = [say("added: {key}", key=key) for key in after if key not in before]
    gone: list[str] = [say("taken out: {key}", key=key) for key in before if key not in after]
    changed = [
        say("changed: {key} ({names})", key=key, names=", ".join(names))
        for key, item in after.items()
        if key in before and (names := list(_differing(before[key], item)))
    ]
    return added + gone + changed


def _differing(one: ManifestTask, other: ManifestTask) -> Iterator[str]:
    """Return the names of the fields that differ; a wave's number is only for reading."""
    return (name.replace("_", " ") for name in _TOLD if getattr(one, name) != getattr(other, name))


def item_of(task: Task, depends_on: frozenset[str] = frozenset(), interrupted: int = 0) -> ManifestTask:
    """Return one task as it was ordered: without the attempts that it got later.

    `interrupted`: how many it got for those; needed of what the version before stored.
    """
    return ManifestTask(
        key=task.key,
        workload=task.workload,
        target_id=task.target_id,
        queue=task.queue.name,
        priority=task.priority,
        step_index=task.step_index,
        depends_on=depends_on,
        run_if=task.run_if,
        only_when=stored_conditions(task.only_when),
        continue_on_failure=task.continue_on_failure,
        attempts=task.attempts_ordered or task.attempts_allowed - interrupted,
        retry_interval_seconds=task.retry_interval_seconds,
        retry_backoff=task.retry_backoff,
        retry_on=tuple(task.retry_on),
        timeout_seconds=task.timeout_seconds,
        arguments=dict(task.arguments),
        side_by_side=task.side_by_side,
        expected=task.expected,
    )
