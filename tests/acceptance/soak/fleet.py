"""The processes of a soak: two dispatchers, four workers, and one whose clock is off; what ends is started again."""

import os
import signal
import subprocess
import time
from collections.abc import Iterator

from tests.acceptance.installation import Installation
from tests.acceptance.soak.health import Health

BEATS, CYCLE_WORKERS, WORKERS, OFF = (0, 1), (2, 3), (4, 5, 6, 7), 8  # their places in the fleet
START_SECONDS, THAW_SECONDS = 20, 3  # until a process that was started, or woke up, is sure to be at work
STOP_SECONDS = 40  # a worker that was told to stop has ended by then, on a machine however busy
_CELERY = ("-m", "celery", "-A", "scheduler_project.celery")
_QUIET = ("--without-gossip", "--without-mingle", "--loglevel", "INFO")


class Fleet:
    """Knows each process by its place. What is killed is started again at once, what is stopped when it has ended."""

    def __init__(self, installation: Installation, *, clock_off: int):
        self.installation = installation
        self._environments = {OFF: {"SOAK_CLOCK_OFF": str(clock_off)}}
        self.commands = [*_beats(installation), *_cycle_workers(), *_workers(), _both()]
        self.processes = [self._start(place) for place in range(len(self.commands))]
        self._begun = [time.time()] * len(self.commands)
        self._thawed: dict[int, float] = {}
        self.frozen: dict[int, float] = {}
        self.stopping: dict[int, float] = {}
        self.health = Health(dispatchers=(BEATS, CYCLE_WORKERS))
        for place in range(len(self.processes)):
            self.health.ill(place, START_SECONDS)

    def restart(self, place: int) -> None:
        """Kill a process with its children and start another in its place."""
        self.health.ill(place, START_SECONDS)
        self.installation.kill(self.processes[place])
        self.frozen.pop(place, None)
        self.stopping.pop(place, None)
        self.processes[place] = self._start(place)
        self._begun[place] = time.time()

    def stop(self, place: int) -> None:
        """Tell a process and its children to end, all at once, as a service manager does."""
        self.health.ill(place, STOP_SECONDS + START_SECONDS)
        self.stopping[place] = time.monotonic() + STOP_SECONDS
        statement = "INSERT INTO audit_stop (worker, at) VALUES (%s, clock_timestamp())"
        self.installation.sql(statement, [str(self.processes[place].pid)])
        self._signal(place, signal.SIGTERM)

    def freeze(self, place: int, seconds: float) -> None:
        """Stop a process with its children for some time, as a suspended host does."""
        self.health.ill(place, seconds + THAW_SECONDS)
        self._signal(place, signal.SIGSTOP)
        self.frozen[place] = time.monotonic() + seconds

    def thaw(self, *, everything: bool = False) -> None:
        """Let those go on whose time is over."""
        for place, until in list(self.frozen.items()):
            if everything or time.monotonic() >= until:
                del self.frozen[place]
                self._thawed[place] = time.monotonic()
                self._signal(place, signal.SIGCONT)

    def mend(self) -> None:
        """Start again what ended by itself; note what was told to end and did not."""
        for place, process in enumerate(self.processes):
            if process.poll() is not None:
                self.restart(place)
            elif time.monotonic() > self.stopping.get(place, float("inf")):
                what = f"worker {process.pid} was told to stop and did not end"
                self.installation.sql("INSERT INTO audit_violation (what) VALUES (%s)", [what])
                self.restart(place)

    def well(self) -> list[int]:
        """Return the places whose processes are at work, as far as is known here, and not only just so."""
        ill = {*self.frozen, *self.stopping}
        just = {place for place, at in self._thawed.items() if time.monotonic() - at < THAW_SECONDS}
        return [place for place in range(len(self.processes)) if place not in ill | just]

    def living_since(self, since: float) -> Iterator[str]:
        """Yield the processes, as text, of those workers that were at work then, and since."""
        for place in {*CYCLE_WORKERS, *WORKERS, OFF} & set(self.well()):
            if self._begun[place] + START_SECONDS < since and self.processes[place].poll() is None:
                yield str(self.processes[place].pid)

    def _start(self, place: int) -> subprocess.Popen[bytes]:
        """Start the process of a place; the auditor knows from its start on when its clock is off."""
        process = self.installation.start(*self.commands[place], environment=self._environments.get(place, {}))
        if place == OFF:
            self.installation.sql("INSERT INTO audit_off (worker) VALUES (%s)", [str(process.pid)])
        return process

    def _signal(self, place: int, number: int) -> None:
        if self.processes[place].poll() is None:
            os.killpg(self.processes[place].pid, number)


def _beats(installation: Installation) -> list[tuple[str, ...]]:
    """Return the commands of two beats."""
    return [(*_CELERY, "beat", "--schedule", str(installation.folder / f"beat-{n}")) for n in range(2)]


def _cycle_workers() -> list[tuple[str, ...]]:
    """Return the commands of two cycle workers."""
    return [(*_CELERY, "worker", "-Q", "dispatch", "--pool", "solo", *_QUIET, "-n", f"cycle{n}@%h") for n in range(2)]


def _workers() -> list[tuple[str, ...]]:
    """Return the commands of four workers: two with a process for each task, as in production, and two without."""
    pools = (("prefork", "1"), ("prefork", "1"), ("solo", "1"), ("solo", "1"))
    return [
        (*_CELERY, "worker", "-Q", "work", "--pool", pool, "-c", size, *_QUIET, "-n", f"work{n}@%h")
        for n, (pool, size) in enumerate(pools)
    ]


def _both() -> tuple[str, ...]:
    """Return the command of a worker that would run cycles and take work, the one while it does the other."""
    return (*_CELERY, "worker", "-Q", "dispatch,work", "--pool", "prefork", "-c", "2", *_QUIET, "-n", "off@%h")
