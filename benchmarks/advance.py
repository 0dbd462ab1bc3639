"""How fast a run moves on: a chain and a fan-out of empty tasks, beside Celery's own canvas and beside a poll.

Ours against Celery's chain and chord on the same broker with as many worker processes, and against an engine that looks
every two seconds whether something became ready. Needs PostgreSQL and Redis: DATABASE_URL and CELERY_BROKER_URL.

The second table tells whether a step costs as much in a small run as in a large one.

python -m benchmarks.advance [CHAIN [FAN_OUT [ROUNDS]]]
"""

import os
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any

CHAIN, FAN_OUT, ROUNDS = 100, 1_000, 5
SIZES, FLAT = (10, 100, 1_000), 0.20  # what a further step costs differs by so much at most
WORKERS, POLL_SECONDS, LONGEST_SECONDS = 8, 2.0, 300
NAME = f"advance_{uuid.uuid4().hex[:8]}"
ROOT = Path(__file__).resolve().parent.parent


def main() -> None:
    """Measure each shape both ways and print a line for it."""
    if not _has_services():
        print("left out: needs PostgreSQL and Redis (DATABASE_URL and CELERY_BROKER_URL)")
        return
    chain, fan_out, rounds = (*map(int, sys.argv[1:]), *(CHAIN, FAN_OUT, ROUNDS)[len(sys.argv) - 1 :])
    with _database():
        with _fleet({}):
            ours = [median(_ours(shape) for _ in range(rounds)) for shape in (_chain_of(chain), _fan_out_of(fan_out))]
            sizes = {"chain": _each_size(_chain_of, rounds), "fan-out": _each_size(_fan_out_of, rounds)}
        with _fleet({"BARE": "1"}):
            celery = [median(measure() for _ in range(rounds)) for measure in _canvases(chain, fan_out)]
    print(f"{WORKERS} worker processes, median of {rounds} rounds; milliseconds for each task\n")
    _print_shapes(chain, fan_out, ours, celery)
    _print_sizes(sizes)


def _print_shapes(chain: int, fan_out: int, ours: list[float], celery: list[float]) -> None:
    """Print what a task of each shape costs, beside Celery and a poll."""
    print(f"{'shape':28} {'ours':>10} {'Celery':>10} {'ours/Celery':>12} {'2 s poll':>10} {'poll/ours':>12}")
    # A poll starts one wave, as wide as there are workers, each time it looks.
    rows = (("chain", chain, chain), ("fan-out and join", fan_out, -(-fan_out // WORKERS) + 1))
    for (name, number, waves), our, their in zip(rows, ours, celery, strict=True):
        poll = waves * POLL_SECONDS
        figures = f"{our / number * 1000:>10.2f} {their / number * 1000:>10.2f} {our / their:>11.2f}x"
        print(f"{f'{name} of {number:,}':28} {figures} {poll / number * 1000:>10.1f} {poll / our:>11.0f}x")


def _print_sizes(sizes: dict[str, dict[int, float]]) -> None:
    """Print what a run of each size takes, what each further step costs, and whether that is flat.

    What a run costs however many steps it has stands in the first size and in no further step.
    """
    print(f"\n{'a run takes':28} {'ms':>10} {'a step':>10} {'further one':>12}")
    for name, took in sizes.items():
        further = [(took[more] - took[size]) / (more - size) for size, more in pairwise(took)]
        for (size, whole), each in zip(took.items(), [None, *further], strict=True):
            costs = f"{whole / size:>10.2f} {f'{each:.2f}' if each else '':>12}"
            print(f"{f'{name} of {size:,}':28} {whole:>10.1f} {costs}")
        apart = max(further) / min(further) - 1
        told = "met" if apart <= FLAT else "missed"
        print(f"{name}: further steps are {apart:.0%} apart, at most {FLAT:.0%}: {told}")


def _has_services() -> bool:
    """Return whether the environment names both services."""
    database, broker = os.environ.get("DATABASE_URL", ""), os.environ.get("CELERY_BROKER_URL", "")
    return database.startswith(("postgres", "pgsql")) and broker.startswith("redis")


@contextmanager
def _database() -> Iterator[None]:
    """Make a database of our own, let Django use it, and drop it again."""
    import psycopg

    server = os.environ["DATABASE_URL"].rsplit("/", 1)[0]
    with psycopg.connect(f"{server}/postgres", autocommit=True) as admin:
        admin.execute(f"CREATE DATABASE {NAME}")
    os.environ |= {
        "DATABASE_URL": f"{server}/{NAME}",
        "CELERY_KEY_PREFIX": f"{NAME}:",
        "DJANGO_SETTINGS_MODULE": "benchmarks.advancing.settings",
        "SECRET_KEY": "only-for-benchmarks-" + "0123456789" * 4,
        "LOG_LEVEL": "WARNING",
    }
    try:
        _migrate()
        yield
    finally:
        with psycopg.connect(f"{server}/postgres", autocommit=True) as admin:
            admin.execute(f"DROP DATABASE {NAME} WITH (FORCE)")


def _migrate() -> None:
    """Make Django and the tables ready, and a queue with a place for each worker."""
    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", verbosity=0)
    from scheduling.models import Queue

    Queue.objects.update_or_create(name="default", defaults={"max_running": WORKERS})


@contextmanager
def _fleet(environment: dict[str, str]) -> Iterator[None]:
    """Start the workers, wait until they work, and end them again."""
    from scheduler_project.celery import app

    app.set_current()
    command = [sys.executable, "-m", "celery", "-A", "scheduler_project.celery", "worker", "-Q", "work"]
    command += ["-c", str(WORKERS), "--without-gossip", "--without-mingle", "--loglevel", "WARNING"]
    with tempfile.TemporaryFile() as log:
        fleet = subprocess.Popen(command, cwd=ROOT, env={**os.environ, **environment}, stdout=log, stderr=log)
        try:
            _canvas_of("warm", WORKERS * 5)
            yield
        except Exception:
            log.seek(0)
            sys.stderr.buffer.write(log.read()[-5000:])
            raise
        finally:
            fleet.terminate()
            fleet.wait()


def _chain_of(number: int) -> list[Any]:
    """Return a manifest in which each task waits for the one before."""
    return [_item(n, [n - 1] if n else []) for n in range(number)]


def _fan_out_of(number: int) -> list[Any]:
    """Return a manifest of tasks that wait for nothing, and one that waits for all of them."""
    return [*(_item(n, []) for n in range(number)), _item(number, list(range(number)))]


def _each_size(shape: Callable[[int], list[Any]], rounds: int) -> dict[int, float]:
    """Return how many milliseconds a run of each size takes, the sizes in turn, so that all meet the same load."""
    seconds: dict[int, list[float]] = {size: [] for size in SIZES}
    for _ in range(rounds):
        for size in SIZES:
            seconds[size].append(_ours(shape(size)))
    return {size: median(each) * 1000 for size, each in seconds.items()}


def _item(number: int, after: list[int]) -> Any:
    """Return an empty task."""
    from scheduling.dag.manifest import ManifestTask

    before = frozenset(f"t{prior}" for prior in after)
    return ManifestTask(f"t{number}", "call", None, depends_on=before, arguments={"call": "empty", "arguments": {}})


def _ours(manifest: list[Any]) -> float:
    """Start a run; return the seconds from its start to its end."""
    from scheduling import clock
    from scheduling.models import Run
    from scheduling.runs.fire import Cause, Fire, Subject
    from scheduling.runs.start import start as start_run

    start = time.time()
    cause = Cause(str(uuid.uuid4()), "", "", clock.now())
    run = start_run(Fire(Subject("plan", "Benchmark"), tuple(manifest), cause, "Benchmark started.")).run
    while run.finished_at is None:
        time.sleep(0.05)
        if time.time() - start > LONGEST_SECONDS:
            raise TimeoutError(f"the run did not end: {run.tasks.filter(status='completed').count()} tasks did")
        run = Run.objects.get(pk=run.pk)
    assert run.status == "completed", run.error
    return run.finished_at.timestamp() - start


def _canvases(chain: int, fan_out: int) -> list[Any]:
    """Return what measures Celery's own chain and chord."""
    return [lambda: _canvas_of("chain", chain), lambda: _canvas_of("chord", fan_out)]


def _canvas_of(shape: str, number: int) -> float:
    """Run a chain or a chord of Celery's own; return the seconds from its start until its last task ran."""
    import celery

    from benchmarks.advancing.calls import empty, stamp

    start = time.time()
    if shape == "chain":
        result = celery.chain(*(empty.si() for _ in range(number - 1)), stamp.si()).apply_async()
    else:
        result = celery.chord([empty.si() for _ in range(number)], stamp.si()).apply_async()
    return float(result.get(timeout=LONGEST_SECONDS, interval=0.02)) - start


if __name__ == "__main__":
    main()
