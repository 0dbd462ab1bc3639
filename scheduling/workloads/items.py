"""The map workload: decides the items of a step once, and says how they ended when all of them have.

Its look writes nothing: who runs it stores the list together with a task for each item, and lets it wait for these
without a worker. A look that is lost with its worker is made again.
"""

import json
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from functools import partial
from typing import Any

from django.db import InterfaceError, OperationalError
from django.db.models import Count, Sum

from scheduling import clock, conf
from scheduling.dag.conditions import value_at
from scheduling.errors import FatalJobError, SchedulingError
from scheduling.models import SqlScript, Task
from scheduling.plans.each import item_key, with_item
from scheduling.states import RunKind, TaskStatus
from scheduling.workloads.given import given_in, items_before
from scheduling.workloads.outcome import Judged, Outcome, holds_nul
from scheduling.workloads.pulse import Pulse
from scheduling.workloads.script import ask
from scheduling.workloads.script_role import rows_confined
from staging.entities.values import is_storable
from staging.wording import counted, reading, said_together, say


def execute(task: Task, pulse: Pulse, time: clock.TimeSource) -> Outcome:
    """Decide the items, or say how they ended. Completed when all completed or were skipped, failed when any was not.

    What is no list, or too long a one, fails the step for good. A lost connection does not: the next attempt looks
    again. Raises AttemptLost and AttemptCancelled.
    """
    pulse.check_late_start()
    if _has_begun(task) or (task.items is not None and not tasks_of(task, task.items)):
        return ended_as(task)
    try:
        items = task.items if task.items is not None else _decided(task, pulse)
        _refuse_taken_names(task, items)
    except (OperationalError, InterfaceError, SchedulingError):
        raise
    except Exception as error:
        raise Judged(error, is_fatal=True) from error
    if not items:
        return Outcome(TaskStatus.COMPLETED, say("The list is empty: there are no items."), items=None, result=[])
    return Outcome(TaskStatus.WAITING, counted(len(items), "item", "items"), items=list(items))


def ended(task: Task, outcome: Outcome, *, now: datetime) -> str:
    """Nothing is left behind: a look changes nothing."""
    return ""


def tasks_of(task: Task, items: Sequence[Any]) -> list[Task]:
    """Return a task for each item that is to run, not stored yet; none when they are stored.

    Of a restart, which goes on with the list of the run before, those that are done are left out.
    """
    if _has_begun(task):
        return []
    done = items_before(task) if task.items is not None else {}
    return [
        _task(task, number, item_key(task.key, number), item)
        for number, item in enumerate(items, start=1)
        if number not in done
    ]


def _has_begun(task: Task) -> bool:
    """Return whether there is a task for each item that is to run."""
    return Task.objects.filter(mapped_by=task.pk).exists()


def _task(step: Task, number: int, key: str, item: Any) -> Task:
    """Return the task of one item. Its failure keeps no other item, and the step fails when all have ended."""
    work = step.arguments["work"]
    return Task(
        run_id=step.run_id,
        key=key,
        workload=work["workload"],
        target_id=work["target_id"],
        arguments=with_item(work["arguments"], item),
        queue_id=step.queue_id,
        priority=step.priority,
        step_index=step.step_index,
        status=TaskStatus.WAITING,
        side_by_side=work["workload"] == RunKind.JOB,
        continue_on_failure=True,
        attempts_allowed=work["attempts"],
        attempts_ordered=work["attempts"],
        retry_interval_seconds=work["retry_interval_seconds"],
        retry_backoff=work["retry_backoff"],
        retry_on=work["retry_on"],
        timeout_seconds=work["timeout_seconds"],
        mapped_by_id=step.pk,
        item_number=number,
        item=item,
    )


def _decided(task: Task, pulse: Pulse) -> list[Any]:
    """Return the items of a step, from where it says they come. Raises FatalJobError for what is no list of them."""
    most, told = conf.most_items(), task.arguments
    if "query" in told:
        script = SqlScript.objects.filter(pk=told["query"]).first()
        found = ask(script, told["values"], pulse, partial(rows_confined, most=most + 1))
        items: Any = [next(iter(row.values())) if len(row) == 1 else row for row in found]
    elif "result" in told:
        step, path = told["result"]["step"], told["result"]["path"]
        items = value_at(given_in(task.run_id, [step]).get(step), path)
        if items is None:
            raise FatalJobError(say("{step} gave no list: {path}.", step=step, path=path or say("nothing")))
    else:
        items = told["list"]
    if not isinstance(items, list):
        shown = json.dumps(items, ensure_ascii=False)[:80]
        raise FatalJobError(say("Items come of a list, and this is none: {shown}", shown=shown))
    if len(items) > most:
        raise FatalJobError(
            say("It has more than {most:,} items, which is the most (MOST_ITEMS_OF_A_STEP): nothing ran.", most=most)
        )
    return _stored(items)


def _stored(items: list[Any]) -> list[Any]:
    """Return the items. Raises FatalJobError for what no database keeps: NUL, half a character, no finite number."""
    try:
        text = json.dumps(items, ensure_ascii=False, allow_nan=False)
    except ValueError:
        raise FatalJobError(say("An item is no finite number (NaN, Infinity), which cannot be kept.")) from None
    if holds_nul(text) or not is_storable(text):
        raise FatalJobError(say("This holds a character that no database keeps (NUL or half a surrogate pair)."))
    return items


def _refuse_taken_names(task: Task, items: Sequence[Any]) -> None:
    """Raise FatalJobError when a step of the run is called as an item would be."""
    keys = [item_key(task.key, number) for number in range(1, len(items) + 1)]
    taken = Task.objects.filter(run=task.run_id, key__in=keys).values_list("key", flat=True).first()
    if taken is not None:
        raise FatalJobError(say("An item would be called {taken}, as another step of the run is.", taken=taken))


def ended_as(task: Task) -> Outcome:
    """Return how a step ends whose items ran: not yet while one has not ended.

    It lasts with the run locked only: a person may release an item again, or end one by hand.
    """
    pieces = Task.objects.filter(mapped_by=task.pk)
    numbers = Counter(dict(pieces.order_by().values_list("status").annotate(Count("pk"))))
    items, warned = task.items or [], pieces.aggregate(number=Sum("warnings"))["number"] or 0
    if any(numbers[status] for status in TaskStatus.live()):
        return Outcome(TaskStatus.WAITING, counted(len(items), "item", "items"), items=items)
    of = counted(len(items), "item", "items")
    good = numbers[TaskStatus.COMPLETED] + numbers[TaskStatus.SKIPPED]
    before = len(items) - numbers.total()
    earlier = say("{number} of them in an earlier run.", number=before) if before else ""
    if good == numbers.total():
        skipped = numbers[TaskStatus.SKIPPED]
        told = say("{number} skipped.", number=skipped) if skipped else ""
        message = said_together(say("{of}.", of=of), told, earlier)
        return Outcome(TaskStatus.COMPLETED, message, warnings=warned, items=items)
    bad = pieces.exclude(status__in=[TaskStatus.COMPLETED, TaskStatus.SKIPPED]).order_by("item_number")
    first = bad[0]
    failed = say(
        "{failed} of {of} failed, the first is number {number}: {message}",
        failed=numbers.total() - good, of=of, number=first.item_number, message=reading(first, "message"),
    )  # fmt: skip
    return Outcome(TaskStatus.FAILED, said_together(failed, earlier), is_fatal=True, warnings=warned, items=items)
