"""Ordered work without a plan: code hands over (order, task) pairs and gets one run.

    run = submit(
        [(10, call("load", day="2026-03-01")), (10, batch("branch")), (20, call("report"))],
        title="Month end", queue="reports", submitted_by="finance", now=clock.now(),
    )

The same order runs together, the next one after all of it. More may be appended while it runs. Runs never interfere:
their orders are their own.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from typing import Any
from uuid import uuid4

from django.db import transaction

from scheduling.cadence.words import is_whole
from scheduling.dag.manifest import Manifest, ManifestTask
from scheduling.errors import CannotAppend, InvalidArguments, InvalidManifest
from scheduling.lifecycle.steps import is_being_cancelled
from scheduling.lifecycle.tasks import lock_run
from scheduling.models import Run, SqlScript, Task
from scheduling.plans.scripts import argument_errors
from scheduling.queues import DEFAULT_QUEUE, wake_lines_after_commit
from scheduling.runs.fire import Cause, Fire, Subject
from scheduling.runs.start import add_tasks, check_manifest, start
from scheduling.states import RunKind, TaskStatus
from scheduling.workloads.call import checked_call, declared_calls
from staging.models import Entity
from staging.wording import said_together, say

Pairs = Iterable[tuple[int, ManifestTask]]


def call(name: str, /, **arguments: Any) -> ManifestTask:
    """Return the call of a function declared with @task.

    Raises InvalidManifest when there is none of this name, or it does not take these arguments.
    """
    if name not in declared_calls():
        known = ", ".join(declared_calls()) or "none"
        raise InvalidManifest(say("There is no task named {name!r}; declared are: {known}.", name=name, known=known))
    try:
        stored = checked_call(name, arguments)
    except InvalidArguments as error:
        raise InvalidManifest(say("{name} does not take these arguments: {fault}", name=name, fault=error)) from error
    return ManifestTask(name, RunKind.CALL, None, arguments={"call": name, "arguments": stored})


def batch(entity_code: str, /, *, tag: str = "") -> ManifestTask:
    """Return the processing of an entity's pending rows. Raises InvalidManifest when there is no such entity."""
    entity = Entity.objects.filter(code=entity_code, is_cancelled=False).first()
    if entity is None:
        raise InvalidManifest(say("There is no entity with the code {code!r}.", code=entity_code))
    return ManifestTask(entity.code, RunKind.BATCH, entity.pk, arguments={"tag": tag} if tag else {})


def script(name: str, /, **parameters: Any) -> ManifestTask:
    """Return the run of a saved SQL script. Raises InvalidManifest when there is none so named, or a value is wrong."""
    found = SqlScript.objects.filter(name=name, is_cancelled=False).first()
    if found is None:
        raise InvalidManifest(say("There is no SQL script named {name!r}.", name=name))
    if faults := argument_errors(found, parameters):
        raise InvalidManifest(say("SQL script {name}: {faults}", name=name, faults=said_together(*faults)))
    return ManifestTask(f"script {found.name}", RunKind.SCRIPT, found.pk, arguments=parameters)


def submit(
    pairs: Pairs,
    *,
    queue: str = "default",
    title: str = "Ordered work",
    submitted_by: str,
    priority: int = 0,
    continue_on_failure: bool = False,
    now: datetime,
) -> Run:
    """Start these tasks as one run and return it; `continue_on_failure`: later orders start even when one fails.

    Raises InvalidManifest; then nothing starts.
    """
    manifest = _manifest(pairs, queue, priority, continue_on_failure, taken=set())
    cause = Cause(f"ordered:{uuid4()}", "Submitted", submitted_by, now)
    message = say("{title} started by {submitted_by}.", title=title, submitted_by=submitted_by)
    return start(Fire(Subject(RunKind.ORDERED, title), manifest, cause, message)).run


def append(run: Run, pairs: Pairs, *, continue_on_failure: bool = False, now: datetime) -> list[Task]:
    """Add tasks to ordered work that has not ended; return them. All or none.

    What joins the order at work starts at once. Raises CannotAppend when the run has ended or is being cancelled, or
    when an order was passed, and InvalidManifest.
    """
    with transaction.atomic():
        if run.kind != RunKind.ORDERED or not lock_run(run.pk) or is_being_cancelled(run.pk):
            raise CannotAppend(
                say("Run {run} takes no more tasks: it is no ordered work, has ended or is cancelled.", run=run.pk)
            )
        first = run.tasks.select_related("queue").order_by("id")[0]
        taken = set(run.tasks.values_list("key", flat=True))
        manifest = _manifest(pairs, first.queue.name, first.priority, continue_on_failure, taken)
        check_manifest(manifest)
        at_work = _order_at_work(run)
        if passed := sorted({item.step_index for item in manifest if item.step_index < at_work}):
            raise CannotAppend(
                say("Order {order} was passed; order {at_work} is at work.", order=passed[0], at_work=at_work)
            )
        later = {item.key for item in manifest if item.step_index > at_work}
        tasks = add_tasks(run, manifest, now=now, waiting=later)
        wake_lines_after_commit(Counter(t.queue_id for t in tasks if t.status == TaskStatus.QUEUED), now)
    return tasks


def _order_at_work(run: Run) -> int:
    """Return the order whose tasks are queued or running, or of which somebody holds all that is left."""
    live = run.tasks.filter(status__in=[TaskStatus.QUEUED, TaskStatus.RUNNING]).values_list("step_index", flat=True)
    waiting = run.tasks.filter(status=TaskStatus.WAITING).values_list("step_index", flat=True)
    return max(live, default=min(waiting, default=0))


def _manifest(pairs: Pairs, queue: str, priority: int, continue_on_failure: bool, taken: set[str]) -> Manifest:
    """Return the tasks with their orders; what has a name that is taken gets a number."""
    items: list[ManifestTask] = []
    for order, item in pairs:
        if not is_whole(order, 0):
            raise InvalidManifest(say("An order is a whole number from 0 on, not {order!r}.", order=order))
        key, number = item.key, 1
        while key in taken:
            number += 1
            key = f"{item.key} ({number})"
        taken.add(key)
        own = replace(item, key=key, step_index=order, priority=item.priority or priority, depends_on=frozenset())
        own = replace(own, continue_on_failure=continue_on_failure or item.continue_on_failure)
        items.append(replace(own, queue=queue) if item.queue == DEFAULT_QUEUE else own)
    return tuple(items)
