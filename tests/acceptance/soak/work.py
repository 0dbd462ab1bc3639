"""What is asked for during a soak: plans, ordered work, cancels, edits; a process of its own, with a seed.

python -m tests.acceptance.soak.work SEED SECONDS [WISH,WISH…]
"""

import logging
import random
import sys
import time
from collections.abc import Callable
from itertools import count
from typing import Any

import django

logger = logging.getLogger(__name__)

_PAUSE_SECONDS = 0.8
Wish = Callable[[random.Random, str], None]


def main(seed: str, seconds: float, only: str = "") -> None:
    """Ask for something now and then; what is refused, or meets a dropped connection, is left."""
    django.setup()
    from tests.acceptance.soak import people

    chance, numbers, until = random.Random(seed), count(1), time.monotonic() + seconds
    wishes = [(_WISHES | people.WISHES)[name] for name in only.split(",")] if only else _often(people.WISHES)
    _insist(people.rest)
    while time.monotonic() < until:
        wish = chance.choice(wishes)
        _ask(lambda wish=wish: wish(chance, f"{seed}-{next(numbers)}"))  # type: ignore[misc]
        time.sleep(_PAUSE_SECONDS)
    _insist(people.end)


def _insist(wish: Callable[[], None]) -> None:
    """Ask until it is done."""
    while not _ask(wish):
        time.sleep(_PAUSE_SECONDS)


def _ask(wish: Callable[[], None]) -> bool:
    """Ask once; return whether it was answered, be it by a refusal."""
    from django.db import InterfaceError, OperationalError, close_old_connections

    from scheduling.errors import SchedulingError

    try:
        wish()
    except SchedulingError as refusal:
        logger.info("refused: %s", refusal)
    except (OperationalError, InterfaceError) as error:
        logger.info("dropped: %s", error)
        close_old_connections()
        return False
    return True


def _often(people: dict[str, Wish]) -> list[Wish]:
    """Return every wish as often as it should come among the others."""
    more = {"a plan": 5, "ordered work": 3, "cancel a batch": 3, "plans": 2, "edit": 3}
    every = _WISHES | people
    return [wish for name, wish in every.items() for _ in range(more.get(name, 1))]


def _start_a_plan(chance: random.Random, name: str) -> None:
    """Start a diamond of scripts and calls around a batch, each with retries; a part of it in the narrow queue."""
    from scheduling import clock
    from scheduling.runs.fire import Cause, Fire, Subject
    from scheduling.runs.start import start

    queue = chance.choice(["default", "narrow"])
    manifest = (
        _item(name, "a", "script"),
        _item(name, "b", "call", "a", queue=queue, continue_on_failure=chance.random() < 0.5),
        _item(name, "c", "script", "a", queue=queue, priority=chance.randrange(3)),
        _item(name, "batch", "batch", "a"),
        _item(name, "join", "script", "b c batch"),
    )
    cause = Cause(f"soak:{name}", "Manual", "soak", clock.now())
    start(Fire(Subject("plan", f"Plan {name}"), manifest, cause, f"Plan {name} started by soak."))


def _submit_ordered_work(chance: random.Random, name: str) -> None:
    """Submit ordered work, and append to some ordered work that may or may not have ended."""
    from scheduling import clock
    from scheduling.models import Run
    from scheduling.runs.ordered import append, submit

    kinds = chance.choices(["script", "call"], k=4)
    pairs = [(chance.randrange(3), _item(name, f"o{n}", kind)) for n, kind in enumerate(kinds)]
    submit(pairs, title=f"Ordered {name}", submitted_by="soak", now=clock.now())
    if earlier := Run.objects.filter(kind="ordered").order_by("-pk")[1:2]:
        append(earlier[0], [(9, _item(name, "more", "script"))], now=clock.now())


def _restart_one(chance: random.Random, name: str) -> None:
    """Run again what of a run failed or never ran; of one that still lives, release a failed task."""
    from scheduling import clock
    from scheduling.runs.intervene import retry_now
    from scheduling.runs.restart import restart_run

    for run in _some_run(chance, ["failed", "cancelled"]):
        restart_run(run, only_failed=True, started_by="soak", now=clock.now())
    for run in _some_run(chance, ["running"]):
        for task in run.tasks.filter(status="failed")[:1]:
            retry_now(task, by="soak", now=clock.now())


def _item(name: str, key: str, workload: str, after: str = "", **fields: Any) -> Any:
    """Return a piece of work whose script or call knows its label."""
    from scheduling.dag.manifest import ManifestTask
    from scheduling.models import SqlScript
    from staging.models import Entity

    label = f"{name}:{key}"
    target: int | None = None
    arguments: dict[str, Any] = {}
    if workload == "script":
        target, arguments = SqlScript.objects.get(name="effect").pk, {"label": label}
    elif workload == "call":
        arguments = {"call": "soak step", "arguments": {"label": label}}
    else:
        target = Entity.objects.get(code="branch").pk
    after_keys = frozenset(after.split())
    ours: dict[str, Any] = {"attempts": 6, "retry_interval_seconds": 0, "timeout_seconds": 20, **fields}
    return ManifestTask(key, workload, target, depends_on=after_keys, arguments=arguments, **ours)


def _some_run(chance: random.Random, statuses: list[str]) -> list[Any]:
    """Return one of the latest runs in one of these states, if there is one."""
    from scheduling.models import Run

    found = list(Run.objects.filter(status__in=statuses, kind__in=["plan", "ordered"]).order_by("-pk")[:10])
    return chance.sample(found, min(len(found), 1))


_WISHES: dict[str, Wish] = {"a plan": _start_a_plan, "ordered work": _submit_ordered_work, "restart one": _restart_one}

if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]), *sys.argv[3:])
