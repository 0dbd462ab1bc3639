"""What goes wrong during a soak: processes killed and frozen, connections dropped, messages lost and doubled."""

import os
import random
import signal
import subprocess
import time
from collections.abc import Callable

import redis
from celery import Celery

from tests.acceptance.installation import Installation
from tests.acceptance.soak.health import Health

BEATS, CYCLE_WORKERS = (0, 1), (2, 3)  # their places in the fleet
START_SECONDS, THAW_SECONDS = 20, 3  # until a process that was started, or woke up, is sure to be at work

_CELERY = ("-m", "celery", "-A", "scheduler_project.celery")
_QUIET = ("--without-gossip", "--without-mingle", "--loglevel", "INFO")


class Fleet:
    """Two dispatchers (beat and cycle worker) and four workers; what is killed is started again at once."""

    def __init__(self, installation: Installation):
        self.installation = installation
        self.commands = [*_beats(installation), *_cycle_workers(), *_workers()]
        self.processes = [installation.start(*command) for command in self.commands]
        self.frozen: dict[int, float] = {}
        self.health = Health(dispatchers=(BEATS, CYCLE_WORKERS))
        for place in range(len(self.processes)):
            self.health.ill(place, START_SECONDS)

    def restart(self, place: int) -> None:
        """Kill a process with its children and start another in its place."""
        self.health.ill(place, START_SECONDS)
        self.installation.kill(self.processes[place])
        self.frozen.pop(place, None)
        self.processes[place] = self.installation.start(*self.commands[place])

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
                self._signal(place, signal.SIGCONT)

    def mend(self) -> None:
        """Start again what ended by itself."""
        for place, process in enumerate(self.processes):
            if process.poll() is not None:
                self.restart(place)

    def _signal(self, place: int, number: int) -> None:
        if self.processes[place].poll() is None:
            os.killpg(self.processes[place].pid, number)


class Faults:
    """One fault after another, chosen by a seed; `done` tells them for the message of a failing soak."""

    def __init__(self, installation: Installation, fleet: Fleet, seed: str, *, only_freeze: bool = False):
        self.installation, self.fleet, self.chance = installation, fleet, random.Random(seed)
        self.done: list[str] = []
        every = [self._kill, self._freeze, self._freeze, self._drop_connection, self._drop_connection]
        every += [self._wipe_broker, self._double_messages]
        self._kinds: list[Callable[[], str]] = [self._freeze] if only_freeze else every

    def one(self) -> None:
        """Do one."""
        self.done.append(self.chance.choice(self._kinds)())

    def _kill(self) -> str:
        place = self._one_of_the_fleet()
        self.fleet.restart(place)
        return f"kill -9 {place}"

    def _freeze(self) -> str:
        place, seconds = self._one_of_the_fleet(), self.chance.uniform(1, 6)
        self.fleet.freeze(place, seconds)
        return f"freeze {place} for {seconds:.1f} s"

    def _drop_connection(self) -> str:
        backends = self.installation.sql(
            "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        if backends:
            self.installation.sql("SELECT pg_terminate_backend(%s)", self.chance.choice(backends))
        return "drop a connection"

    def _wipe_broker(self) -> str:
        environment = self.installation.environment
        with redis.Redis.from_url(environment["CELERY_BROKER_URL"]) as broker:
            if keys := broker.keys(f"{environment['CELERY_KEY_PREFIX']}*"):
                broker.delete(*keys)
        return "wipe the broker"

    def _double_messages(self) -> str:
        """Wake workers again for tasks of any state, and for one that does not exist; start cycles at once."""
        known = [task_id for (task_id,) in self.installation.sql("SELECT id FROM scheduling_task ORDER BY id")]
        chosen = [*self.chance.sample(known, min(len(known), 5)), 2_000_000_000]
        environment = self.installation.environment
        with Celery("soak", broker=environment["CELERY_BROKER_URL"], set_as_current=False) as app:
            app.conf.broker_transport_options = {"global_keyprefix": environment["CELERY_KEY_PREFIX"]}
            for task_id in chosen * 3:
                app.send_task("scheduling.execute", args=[task_id], queue="work", ignore_result=True)
            for _ in range(3):
                app.send_task("scheduling.dispatch", queue="dispatch", ignore_result=True)
        return "double messages"

    def _one_of_the_fleet(self) -> int:
        """Choose a worker that runs a script right now if there is one, now and then any process."""
        at_work = self.installation.sql(
            "SELECT DISTINCT a.worker FROM scheduling_attempt a JOIN scheduling_task t ON t.id = a.task_id "
            "WHERE a.outcome = 'running' AND t.workload = 'script' ORDER BY 1"
        )
        groups = {_group(worker) for (worker,) in at_work}
        places = [place for place, process in enumerate(self.fleet.processes) if process.pid in groups]
        if places and self.chance.random() < 0.7:
            return self.chance.choice(places)
        return self.chance.randrange(len(self.fleet.processes))


def _group(worker: str) -> int:
    """Return the process group of a worker by its name, which holds host and process; 0 when it is gone."""
    try:
        return os.getpgid(int(worker.rpartition(":")[2].partition("/")[0]))
    except ProcessLookupError:
        return 0


def start_work(installation: Installation, seed: str, seconds: float) -> subprocess.Popen[bytes]:
    """Start the process that asks for work."""
    return installation.start("-m", "tests.acceptance.soak.work", seed, str(seconds))


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
