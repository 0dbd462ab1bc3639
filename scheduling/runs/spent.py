"""Reads where the time of a run went, for its page, the API and commands: two statements, however many steps."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

from django.db.models import F, FilteredRelation, Max, Min, Q, QuerySet, Subquery

from scheduling.dag.path import PathPiece, Spent, TimedStep, Try, by_step, critical_path
from scheduling.models import Run, Task, TaskDependency
from scheduling.states import AttemptOutcome, RunKind

MOST_STEPS = 2000  # of a run whose order is read whole
_MOST_ROWS = 4 * MOST_STEPS  # of attempts, and steps without one
_COLUMNS = (
    "id", "key", "step_index", "queued_at", "held_at", "finished_at", "next_attempt_at", "status", "workload",
    "started_at",
    "tries__claimed_at", "tries__finished_at", "tries__outcome",
)  # fmt: skip


def path_of(run: Run, now: datetime) -> tuple[PathPiece, ...]:
    """Return the chain of steps that decided when a run ended, from its creation to its end, or to `now`.

    Only a run of a plan or of ordered work has one; one of more than MOST_STEPS steps has none. Two statements.
    """
    return path_and_counts(run, now)[0]


def path_and_counts(run: Run, now: datetime) -> tuple[tuple[PathPiece, ...], dict[str, int]]:
    """Return the chain as `path_of` does, and how many steps have which status; nothing where not all are read."""
    if run.kind not in RunKind.of_several():
        return (), {}
    rows = _with_tries(run).order_by("id", "tries__number").values_list(*_COLUMNS)[: _MOST_ROWS + 1]
    tries: dict[int, list[Try]] = defaultdict(list)
    tasks: dict[int, tuple[Any, ...]] = {}
    for pk, *of_task, begin, end, outcome in rows:
        tasks.setdefault(pk, tuple(of_task))
        *_, kind, started_at = of_task
        if kind == RunKind.MAP and started_at is not None:  # its items worked from its first look to its end
            tries[pk] = [Try(started_at, of_task[4])]
        elif begin is not None:
            tries[pk].append(Try(begin, end, outcome == AttemptOutcome.INTERRUPTED))
    if len(rows) > _MOST_ROWS or len(tasks) > MOST_STEPS:
        return (), {}
    numbers = {pk: number for pk, (_, number, *_rest) in tasks.items()}
    after = _by_number(numbers) if run.kind == RunKind.ORDERED else _order(run)
    steps = {
        pk: TimedStep(
            key, after.get(pk, ()), tries[pk], queued_at, held_at, ended_at, put_off is not None, kind == RunKind.WAIT
        )
        for pk, (key, _, queued_at, held_at, ended_at, put_off, _status, kind, _started) in tasks.items()
    }
    counts = Counter(status for *_, status, _kind, _started in tasks.values())
    return critical_path(steps, run.created_at, run.finished_at or now), dict(counts)


def _with_tries(run: Run) -> QuerySet[Task]:
    """Return the steps of a run, each with its attempts.

    These are looked for between its first and its last task: to PostgreSQL the index costs more than all attempts of
    some ten thousand runs, when it is asked for a thousand tasks one by one.
    """
    keys = run.tasks.order_by().values("run")
    # Of a sum no index is in order: by that of the key it would go through all tasks until it meets one of the run.
    first, last = (keys.annotate(end=end(F("pk") + 0)).values("end") for end in (Min, Max))
    near = Q(attempts__task_id__gte=Subquery(first)) & Q(attempts__task_id__lte=Subquery(last))
    return run.tasks.steps().annotate(tries=FilteredRelation("attempts", condition=near))


def path_document(run: Run, now: datetime) -> dict[str, Any]:
    """Return the chain as programs read it, milliseconds by what each step did; nothing for a run that has none."""
    pieces = path_of(run, now)
    if not pieces:
        return {}
    return {"critical_path": [{"task": step} | _spent(spent) for step, spent in by_step(pieces).items()]}


def _spent(spent: dict[Spent, timedelta]) -> dict[str, int]:
    return {f"{what}_ms": round(spent[what].total_seconds() * 1000) for what in Spent if what in spent}


def _order(run: Run) -> dict[int, list[int]]:
    """Return what each task depends on."""
    found: dict[int, list[int]] = defaultdict(list)
    for task, prior in TaskDependency.objects.filter(task__run=run, depends_on__mapped_by=None).values_list(
        "task_id", "depends_on_id"
    ):
        found[task].append(prior)
    return found


def _by_number(numbers: Mapping[int, int]) -> dict[int, list[int]]:
    """Return what each task of ordered work comes after: all of the number before its own, one list for all of them."""
    of_number: dict[int, list[int]] = defaultdict(list)
    for pk, number in numbers.items():
        of_number[number].append(pk)
    before = {number: of_number[prior] for prior, number in pairwise(sorted(of_number))}
    return {pk: before.get(number, []) for pk, number in numbers.items()}
