"""Pieces of work for tests of the engine: calls that note that they ran, and do as they are told."""

from datetime import datetime, timedelta
from typing import Any

from scheduling.dag.manifest import ManifestTask
from scheduling.errors import FatalJobError
from scheduling.models import Run, Task
from scheduling.queues import claim_next
from scheduling.runs.execute import run_attempt
from scheduling.runs.fire import Cause, Fire, Subject
from scheduling.runs.start import start as start_one
from scheduling.states import RunKind
from scheduling.workloads.call import task
from tests.scheduling.conftest import NOW

RAN: list[str] = []
FAILING: set[str] = set()


def forget() -> None:
    """Forget what ran and who was told to fail: `tests/conftest.py` does before every test."""
    RAN.clear()
    FAILING.clear()


@task("test piece")
def piece(context: Any, **_: Any) -> str:
    """Note the call; fail when told so."""
    RAN.append(context.task.key)
    if context.task.key in FAILING:
        raise ValueError(f"{context.task.key} is broken")
    return f"{context.task.key} done"


@task("test fatal")
def fatal(context: Any) -> None:
    """Fail for good."""
    RAN.append(context.task.key)
    raise FatalJobError("pointless")


def item(key: str, after: str = "", *, calls: str = "test piece", **fields: Any) -> ManifestTask:
    """Return a call that waits for the keys in `after`."""
    return ManifestTask(
        key,
        RunKind.CALL,
        None,
        depends_on=frozenset(after.split()),
        arguments={"call": calls, "arguments": {}},
        **fields,
    )


def start(
    *items: ManifestTask,
    kind: str = RunKind.PLAN,
    title: str = "Test",
    key: str = "test",
    now: datetime = NOW,
    **cause: Any,
) -> Run:
    """Start a run of these."""
    why = Cause(key, "Manual", "ann", now, **cause)
    return start_one(Fire(Subject(kind, title), items, why, f"{title} started by ann.")).run


def work(now: datetime = NOW, most: int = 1000, worker: str = "test") -> list[str]:
    """Work off what can be claimed; return the keys in the order they ran."""
    began = len(RAN)
    while most and (attempt := claim_next(worker=worker, now=now)):
        run_attempt(attempt, time=lambda: now)
        most -= 1
    return RAN[began:]


def states(run: Run) -> dict[str, str]:
    """Return the status of every task by key."""
    return dict(run.tasks.values_list("key", "status"))


def status(run: Run) -> str:
    """Return the stored status of a run."""
    return Run.objects.get(pk=run.pk).status


def of(run: Run, key: str) -> Task:
    """Return one task."""
    return run.tasks.select_related("run").get(key=key)


SECOND = timedelta(seconds=1)
