"""Measures enqueueing tiny jobs and working them off, beside Celery alone and Procrastinate.

    DATABASE_URL=postgres://… CELERY_BROKER_URL=redis://… python -m benchmarks.enqueue [--jobs 10000] [--workers 4]

Each enqueues so many jobs, one call for all where it has one, while its workers wait; then all are worked off. A job
tells Redis how long it was under way, from the enqueueing of its bulk to its beginning, and nothing else. Ours stores
a run, a task and an attempt for each, and loses none to whatever dies; Celery alone keeps them in Redis only, and
Procrastinate (`pip install -r benchmarks/requirements.txt`) in the same PostgreSQL. Target: not slower than the faster
of them, or the reason why.
"""

import argparse
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from time import sleep, time

import redis

from tests.acceptance.installation import Installation, migrated

_TELL = """
import os, time
import redis

told = redis.Redis.from_url(os.environ["CELERY_BROKER_URL"])


def tell(sent):
    told.rpush("benchmark:took", time.time() - sent)
"""
_OURS = """
from scheduling.jobs.declare import job
from told import tell


@job
def tiny(context, sent: float):
    tell(sent)
"""
_ENQUEUE = """
import sys, time, django
django.setup()
from own_tiny.jobs import tiny
from scheduling.runs.enqueue import enqueue_many, given
sent = time.time()
enqueue_many(given(tiny, sent) for _ in range(int(sys.argv[1])))
print(time.time() - sent)
"""
_CELERY = """
import os
from celery import Celery
from told import tell

app = Celery("plain", broker=os.environ["CELERY_BROKER_URL"])
app.conf.task_default_queue = "benchmark"
app.conf.task_ignore_result = True
tiny = app.task(tell, name="tiny")
"""
_SEND = """
import sys, time
from plain import tiny
sent = time.time()
for _ in range(int(sys.argv[1])):
    tiny.delay(sent)
print(time.time() - sent)
"""
_PROCRASTINATE = """
import os
from procrastinate import App, PsycopgConnector
from told import tell

app = App(connector=PsycopgConnector(conninfo=os.environ["DATABASE_URL"]))


@app.task(name="tiny")
def tiny(sent):
    tell(sent)
"""
_DEFER = """
import sys, time
from procrastinate import SyncPsycopgConnector
from other import app, tiny
import os
with app.replace_connector(SyncPsycopgConnector(conninfo=os.environ["DATABASE_URL"])) as app, app.open():
    sent = time.time()
    tiny.batch_defer(*({"sent": sent} for _ in range(int(sys.argv[1]))))
    print(time.time() - sent)
"""


def main() -> None:
    """Print a line for each, and the ratio to the fastest of the others."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--jobs", type=int, default=10_000)
    options.add_argument("--workers", type=int, default=4)
    asked = options.parse_args()
    if not os.environ.get("DATABASE_URL", "").startswith("postgres") or not os.environ.get("CELERY_BROKER_URL"):
        print("not measured: DATABASE_URL must name PostgreSQL and CELERY_BROKER_URL Redis")
        return
    print(f"{asked.jobs:,} jobs, {asked.workers} workers\n")
    print(f"{'':16} {'enqueued in':>12} {'worked off':>12} {'jobs a second':>14} {'p50':>9} {'p95':>9}")
    with TemporaryDirectory() as folder, migrated(Path(folder), {}) as installation:
        _lay_down(Path(folder))
        bench = Bench(installation, Path(folder), asked.jobs, asked.workers)
        ours = bench.measured("ours", _ENQUEUE, bench.our_workers)
        others = [bench.measured("Celery alone", _SEND, bench.celery_workers)]
        if find_spec("procrastinate"):
            others.append(bench.measured("Procrastinate", _DEFER, bench.procrastinate_workers))
        else:
            print("Procrastinate    not measured: it is not installed")
    print(f"\nours takes {ours / min(others):.2f} times as long as the faster of the others (target 1)")


def _lay_down(folder: Path) -> None:
    (folder / "own_tiny").mkdir()
    for name, text in {
        "told.py": _TELL, "own_tiny/__init__.py": "", "own_tiny/jobs.py": _OURS, "plain.py": _CELERY,
        "other.py": _PROCRASTINATE,
    }.items():  # fmt: skip
        (folder / name).write_text(text)


class Bench:
    """One installation, and the same number of jobs and workers for each way."""

    def __init__(self, installation: Installation, folder: Path, jobs: int, workers: int):
        self._installation, self._folder, self._jobs, self._workers = installation, folder, jobs, workers
        path = os.pathsep.join(filter(None, (str(folder), str(installation.home), os.environ.get("PYTHONPATH"))))
        own = {"EXTRA_APPS": "own_tiny", "EXTRA_PATH": str(folder), "LOG_LEVEL": "WARNING", "PYTHONPATH": path,
               "DISPATCH_INTERVAL_SECONDS": "60", "HEARTBEAT_SECONDS": "10",
               "ZOMBIE_TIMEOUT_MINUTES": "5"}  # fmt: skip
        installation.environment.update(own)
        self._told = redis.Redis.from_url(os.environ["CELERY_BROKER_URL"])

    def measured(self, name: str, enqueue: str, workers: Callable[[], list[str]]) -> float:
        """Start workers, enqueue, wait for the end; print the line and return the seconds it took in all."""
        self._told.delete("benchmark:took", "benchmark")
        with self._working(workers()):
            began = time()
            took = float(self._installation.python(enqueue, str(self._jobs)).splitlines()[-1])
            while self._told.llen("benchmark:took") < self._jobs:
                sleep(0.02)
                if time() - began > 900:
                    raise SystemExit(f"{name}: not at its end after 900 s\n{self._installation.logs()}")
        waits = sorted(float(each) for each in self._told.lrange("benchmark:took", 0, -1))
        self._told.delete("benchmark:took", "benchmark")
        whole = waits[-1]
        p95 = quantiles(waits, n=20)[-1]
        print(
            f"{name:16} {took:10.2f} s {whole:10.2f} s {self._jobs / whole:14,.0f} {median(waits):7.2f} s {p95:7.2f} s"
        )
        return whole

    @contextmanager
    def _working(self, command: list[str]) -> Iterator[None]:
        process = self._installation.start(*command)
        sleep(8)  # until every process of the pool waits
        try:
            yield
        finally:
            self._installation.kill(process)

    def our_workers(self) -> list[str]:
        """Take in the job, let as many run as there are workers, and return the command of the workers."""
        self._installation.manage("sync_jobs")
        self._installation.sql("UPDATE scheduling_queue SET max_running = %s", [self._workers])
        return self._celery("scheduler_project.celery", "work")

    def celery_workers(self) -> list[str]:
        """Return the command of workers of Celery alone."""
        return self._celery("plain", "benchmark")

    def _celery(self, app: str, queue: str) -> list[str]:
        many = str(self._workers)
        return ["-m", "celery", "-A", app, "worker", "-Q", queue, "--concurrency", many, "--without-gossip",
                "--without-mingle", "--loglevel", "WARNING"]  # fmt: skip

    def procrastinate_workers(self) -> list[str]:
        """Make the tables, and return the command of a worker that does so many at a time."""
        self._procrastinate("schema", "--apply")
        return ["-m", "procrastinate", "--app", "other.app", "worker", "--concurrency", str(self._workers)]

    def _procrastinate(self, *arguments: str) -> None:
        command = [sys.executable, "-m", "procrastinate", "--app", "other.app", *arguments]
        done = subprocess.run(
            command, cwd=self._installation.home, env=self._installation.environment, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr


if __name__ == "__main__":
    main()
