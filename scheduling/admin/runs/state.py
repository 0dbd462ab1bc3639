"""What the page of a run shows: how many steps are in which state, and a page of them with attempts and batches."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django.db.models import Count, Prefetch

from scheduling.dag.conditions import Condition, seen_by, stored_conditions
from scheduling.lifecycle.anew import may_run_anew
from scheduling.models import Attempt, Run, Task, TaskDependency
from scheduling.models.run import AWAITING, HELD, STATE
from scheduling.schedules.deadlines import late_now, late_since
from scheduling.states import RunKind, RunStatus, TaskStatus
from scheduling.workloads.given import given_in
from staging.models import Batch
from staging.wording import said_together, say

STEPS_AT_ONCE = 100
_TRIES = Prefetch("attempts", Attempt.objects.select_related("log"))
_ITEM_SHOWN = 200
_NAMED = 3  # of what a step waits for
_STATES = (*TaskStatus.values, AWAITING, HELD)
CHANGEABLE = (TaskStatus.WAITING, TaskStatus.QUEUED, TaskStatus.FAILED)


@dataclass(frozen=True)
class StepState:
    """One task with its tries, the batch it works on and what it waits for."""

    task: Task
    attempts: list[Attempt]
    batch: Batch | None
    waits_for: list[str]
    now: datetime
    given: Mapping[str, Any] = field(default_factory=dict)  # by the steps that it asks about
    usual: int | None = None  # milliseconds that it took in the runs before
    items_ended: int | None = None  # of a step that runs for each item, how many of its items have ended

    @property
    def items_total(self) -> int:
        """Return how many items it runs for."""
        return len(self.task.items or ())

    @property
    def item(self) -> str:
        """Return the item that it is for, as JSON on one line, cut where it is long; empty for what is for none."""
        if self.task.item_number is None:
            return ""
        text = json.dumps(self.task.item, ensure_ascii=False)
        return text if len(text) <= _ITEM_SHOWN else f"{text[:_ITEM_SHOWN]}…"

    @property
    def last(self) -> Attempt | None:
        """Return the last attempt, if there was one."""
        return self.attempts[-1] if self.attempts else None

    @property
    def tries(self) -> list[tuple[Attempt, int]]:
        """Return each attempt with its milliseconds, so far while it runs."""
        return [(attempt, attempt_took(attempt, self.now)) for attempt in self.attempts]

    @property
    def took(self) -> int | None:
        """Return the milliseconds of the last attempt, so far while it runs."""
        return attempt_took(self.last, self.now) if self.last else None

    @property
    def late_since(self) -> datetime | None:
        """Return since when it is late, or was when it ended; None where it is, or was, in time."""
        return late_since(self.task, self.now)

    @property
    def result(self) -> str:
        """Return the value that its job returned, as JSON that people read."""
        return json.dumps(self.task.result, indent=2, ensure_ascii=False)

    @property
    def only_when(self) -> str:
        """Return what it asks about others, and what it saw when it was its turn; empty where it asks nothing."""
        asked = stored_conditions(self.task.only_when)
        return said_together(*(self._asked(condition) for condition in asked), by="; ")

    def _asked(self, condition: Condition) -> str:
        seen = seen_by(condition, self.given)
        if seen is None or self.task.status == TaskStatus.WAITING:
            return condition.line
        return say("{condition} (it was {seen})", condition=condition.line, seen=seen)

    @property
    def may_be_released(self) -> bool:
        """Return whether it failed, or waits for its next attempt: a person may let it start now."""
        task = self.task
        is_put_off = task.status == TaskStatus.QUEUED and task.next_attempt_at is not None
        return task.status == TaskStatus.FAILED or is_put_off

    @property
    def may_be_changed(self) -> bool:
        """Return whether it failed, or no worker has it: a person may skip it, mark it as succeeded, or hold it."""
        return self.task.status in CHANGEABLE

    @property
    def may_run_anew(self) -> bool:
        """Return whether a person may let it run now, whatever stands before it."""
        return may_run_anew(self.task)

    @property
    def waits_in_words(self) -> str:
        """Return why it has not started, empty when it has."""
        if self.task.is_held:
            return said_together(
                say("Held by {by} since {since}.", by=self.task.held_by, since=self.task.held_at), self._waits_for
            )
        if self.task.status == TaskStatus.QUEUED and self.task.queue.is_paused:
            return say("Its queue {queue} is paused.", queue=self.task.queue)
        if self.task.is_awaiting:
            return ""  # its message says for what
        if self.task.status == TaskStatus.QUEUED and not self.attempts:
            return say("No worker has taken it yet. It starts as soon as one is free.")
        return self._waits_for

    @property
    def _waits_for(self) -> str:
        """Return the steps that it waits for, empty when there are none."""
        if not self.waits_for:
            return ""
        more = say(" and {number} more", number=len(self.waits_for) - _NAMED) if len(self.waits_for) > _NAMED else ""
        return say("Waits for {waits_for}{more}.", waits_for=", ".join(self.waits_for[:_NAMED]), more=more)


@dataclass(frozen=True)
class RunState:
    """One run as its page shows it: `asked` is the state that the steps shown are in, empty for all."""

    run: Run
    counts: dict[str, int]
    steps: list[StepState] = field(default_factory=list)
    asked: str = ""
    page: int = 1
    of: Task | None = None  # the step whose items are shown beneath it, instead of all steps

    @property
    def title(self) -> str:
        """Return the page's title: state first, then entity and run, so that a browser tab tells the outcome."""
        return say(
            "{status}: {title}, run {run}",
            status=say(self.run.status).capitalize(),
            title=name_of_run(self.run),
            run=self.run.pk,
        )

    @property
    def all_tasks(self) -> list[Task] | None:
        """Return all tasks of the run, None where not all of them are shown."""
        is_all = len(self.steps) == self.total and self.of is None
        return [step.task for step in self.steps] if is_all else None

    @property
    def is_final(self) -> bool:
        """Return whether nothing will change any more."""
        return self.run.status in RunStatus.final()

    @property
    def cancel_requested(self) -> bool:
        """Return whether a person asked to cancel and a task still runs."""
        return not self.is_final and bool(self.counts.get("cancel asked for"))

    @property
    def total(self) -> int:
        """Return how many steps the run has."""
        return sum(number for state, number in self.counts.items() if state in _STATES)

    @property
    def ended(self) -> int:
        """Return how many of them have ended, however."""
        return sum(self.counts.get(state, 0) for state in TaskStatus.final())

    @property
    def links(self) -> list[tuple[str, int, str]]:
        """Return each state that steps are in, how many, and the address that shows only those."""
        states = [state for state in _STATES if self.counts.get(state)]
        return [(state, self.counts[state], self.address(state, 1)) for state in states]

    @property
    def earlier(self) -> str:
        """Return the address of the steps before, empty when there are none."""
        return self.address(self.asked, self.page - 1) if self.page > 1 else ""

    @property
    def later(self) -> str:
        """Return the address of the steps behind, empty when there are none."""
        number = self.counts.get(self.asked, 0) if self.asked else self.total
        if self.of is not None:
            number = Task.objects.filter(mapped_by=self.of.pk).count()
        return self.address(self.asked, self.page + 1) if self.page * STEPS_AT_ONCE < number else ""

    def address(self, state: str, page: int) -> str:
        """Return the query string of a page of steps; never empty, so that a link always leads somewhere."""
        of = "" if self.of is None or state != self.asked else str(self.of.pk)
        asked = {"state": state, "of": of, "steps": str(page) if page > 1 else ""}
        return "?" + urlencode({name: value for name, value in asked.items() if value})


def run_state(
    run: Run, asked: Any, now: datetime, before: Collection[int] = (), counted: Mapping[str, int] | None = None
) -> RunState:
    """Return a run with the steps that `asked` (`state`, `steps`: a page) names; what is mangled shows all.

    `before`: runs of the same, in which is looked what each step usually takes; `counted`: how many of its steps have
    which status, where all of them have ended and were counted before. At most eight queries, however many
    steps there are; a few more where some ask what others gave.
    """
    state = asked.get("state", "") if asked.get("state") in _STATES else ""
    text = asked.get("steps", "")
    page = min(max(int(text), 1), 10_000) if text.isdecimal() and len(text) < 6 else 1
    tasks, of = run.tasks.annotate(state=STATE), _step_asked(run, asked)
    tasks = tasks.steps() if of is None else tasks.filter(mapped_by=of.pk)
    if state:
        tasks = tasks.filter(state=state)
    tasks = tasks.select_related("entity", "queue").prefetch_related(_TRIES).order_by("step_index", "id")
    shown: list[Any] = list(tasks[(page - 1) * STEPS_AT_ONCE : page * STEPS_AT_ONCE])
    if of is not None:
        shown = [of, *shown]
    is_all = not state and page == 1 and len(shown) < STEPS_AT_ONCE and of is None
    if is_all:
        counts = _counted(_one(task, now) for task in shown)
    else:
        counts = dict(counted) if counted and not counted.keys() - TaskStatus.final() else counts_of(run, now)
    return RunState(run, counts, _steps(shown, now, before), state, page, of)


def _step_asked(run: Run, asked: Any) -> Task | None:
    """Return the step whose items somebody wants to see; None for all steps."""
    text = asked.get("of", "")
    number = int(text) if text.isdecimal() and len(text) < 19 else 0
    steps = run.tasks.annotate(state=STATE).select_related("entity", "queue").prefetch_related(_TRIES)
    return steps.filter(pk=number, items__isnull=False).first() if number else None


def name_of_run(run: Run) -> str:
    """Return what people call a run: its entity, or its title."""
    return str(run.entity or run.title or run.kind)


def attempt_took(attempt: Attempt, now: datetime) -> int:
    """Return the milliseconds of an attempt, so far while it runs."""
    return max(round(((attempt.finished_at or now) - attempt.claimed_at).total_seconds() * 1000), 0)


def counts_of(run: Run, now: datetime) -> dict[str, int]:
    """Return how many tasks are in each state, and besides how many were asked to stop, and how many are late."""
    rows = run.tasks.steps().annotate(state=STATE).order_by().values_list("state", "cancel_requested")
    return _counted(rows.annotate(number=Count("pk"), late=Count("pk", filter=late_now(now))))


def _one(task: Any, now: datetime) -> tuple[str, bool, int, int]:
    is_late = task.finished_at is None and late_since(task, now) is not None
    return task.state, task.cancel_requested, 1, int(is_late)


def _counted(rows: Iterable[tuple[str, bool, int, int]]) -> dict[str, int]:
    found: dict[str, int] = defaultdict(int)
    for state, is_asked, number, late in rows:
        found[state] += number
        found["late"] += late
        if is_asked and state == TaskStatus.RUNNING:
            found["cancel asked for"] += number
    return found


def _steps(tasks: list[Task], now: datetime, before: Collection[int]) -> list[StepState]:
    """Return the tasks with what belongs to them."""
    known = Task.objects.filter(run__in=before).usual_durations({(each.workload, each.target_id) for each in tasks})
    usual = {target: round(lasted.total_seconds() * 1000) for target, lasted in known.items()}
    with_batch = [task.pk for task in tasks if task.workload == RunKind.BATCH]
    made = Batch.objects.filter(task_id__in=with_batch).order_by("id") if with_batch else ()
    batches: dict[Any, Batch] = {batch.task_id: batch for batch in made}
    waits = _waits(task.pk for task in tasks if task.status == TaskStatus.WAITING)
    ended = _items_ended([task for task in tasks if task.items])
    asked = {condition.step for task in tasks for condition in stored_conditions(task.only_when)}
    given = given_in(tasks[0].run_id, asked) if asked else {}
    return [
        StepState(
            task, list(task.attempts.all()), batches.get(task.pk), waits.get(task.pk, []), now, given,
            usual.get((task.workload, task.target_id or 0)), ended.get(task.pk, 0) if task.items else None,
        )
        for task in tasks
    ]  # fmt: skip


def _items_ended(spread: list[Task]) -> dict[int, int]:
    """Return how many items of these steps have ended, those that a restart has not to run again included."""
    if not spread:
        return {}
    counted = Task.objects.filter(mapped_by__in=spread).exclude(status__in=TaskStatus.final()).order_by()
    live = dict(counted.values_list("mapped_by").annotate(Count("pk")))
    # One that went on with the list of a run before, in which all was done, had nothing to wait for.
    begun = {task.pk for task in spread if task.waits_since is not None or task.status == TaskStatus.COMPLETED}
    return {task.pk: len(task.items or ()) - live.get(task.pk, 0) if task.pk in begun else 0 for task in spread}


def _waits(waiting: Iterable[int]) -> dict[int, list[str]]:
    """Return the names of what these tasks wait for and what has not ended well, by task."""
    found: dict[int, list[str]] = defaultdict(list)
    if ids := list(waiting):
        pairs = TaskDependency.objects.filter(task__in=ids).exclude(depends_on__status__in=TaskStatus.final())
        for task_id, key in pairs.order_by("depends_on__step_index", "id").values_list("task_id", "depends_on__key"):
            found[task_id].append(key)
    return found
