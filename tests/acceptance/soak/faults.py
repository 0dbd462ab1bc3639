"""What goes wrong in a soak: processes killed, frozen and stopped, connections dropped, messages lost and doubled."""

import os
import random
import time
from collections.abc import Callable, Sequence

import redis
from celery import Celery

from tests.acceptance.installation import Installation
from tests.acceptance.soak.fleet import CYCLE_WORKERS, OFF, WORKERS, Fleet

_OUTAGE_SECONDS = 8.0  # longer than a slot may be late
_PACES = (2, 3, 4, 6)


class Faults:
    """One fault after another, chosen by a seed; `done` tells them for the message of a failing soak."""

    def __init__(self, installation: Installation, fleet: Fleet, seed: str, only: Sequence[str] = ()):
        self.installation, self.fleet, self.chance = installation, fleet, random.Random(seed)
        self.done: list[str] = []
        self.dropped: list[float] = []  # when all connections were ended
        kinds = {
            "none": lambda: "nothing",
            "kill": self._kill,
            "kill a batch": self._kill_a_batch,
            "freeze": self._freeze,
            "stop": self._stop,
            "drop": self._drop_connection,
            "drop all": self._drop_all_connections,
            "wipe": self._wipe_broker,
            "double": self._double_messages,
            "outage": self._outage,
            "deploy": self._deploy,
        }
        self._kinds: list[Callable[[], str]] = [kinds[name] for name in only or _OFTEN]

    def one(self) -> None:
        """Do one."""
        self.done.append(self.chance.choice(self._kinds)())

    def _kill(self) -> str:
        place = self._one_of_the_fleet()
        self.fleet.restart(place)
        return f"kill -9 {place}"

    def _kill_a_batch(self) -> str:
        for place in self._at_work("batch")[:1]:
            self.fleet.restart(place)
            return f"kill -9 {place}"
        return "nothing"

    def _freeze(self) -> str:
        place, seconds = self._one_of_the_fleet(), self.chance.uniform(1, 6)
        self.fleet.freeze(place, seconds)
        return f"freeze {place} for {seconds:.1f} s"

    def _stop(self) -> str:
        """Stop a worker, rather one at work; at most one at a time, and none that has just lost a connection."""
        places = [place for place in self._at_work() or self.fleet.well() if place in WORKERS]
        if not places or self.fleet.stopping or self.done[-1:] in (["drop a connection"], ["restart the database"]):
            return self._freeze()
        place = self.chance.choice(places)
        self.fleet.stop(place)
        return f"stop {place}"

    def _outage(self) -> str:
        """Let no cycle run for a while."""
        if not {*CYCLE_WORKERS, OFF} <= set(self.fleet.well()):
            return self._freeze()
        for place in (*CYCLE_WORKERS, OFF):
            self.fleet.freeze(place, _OUTAGE_SECONDS)
        return "no cycles for a while"

    def _deploy(self) -> str:
        """Let processes that start from now on find jobs that are timed otherwise."""
        self.installation.environment["SOAK_PACE"] = str(self.chance.choice(_PACES))
        self.installation.start("manage.py", "sync_jobs")
        return f"deploy jobs every {self.installation.environment['SOAK_PACE']}"

    def _drop_connection(self) -> str:
        backends = self.installation.sql(
            "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        if self.fleet.stopping:
            return self._freeze()  # whoever is cut off while it hands its work back cannot
        if backends:
            self.installation.sql("SELECT pg_terminate_backend(%s)", self.chance.choice(backends))
        return "drop a connection"

    def _drop_all_connections(self) -> str:
        return self._freeze() if self.fleet.stopping else self.drop_all_connections()

    def drop_all_connections(self) -> str:
        """End every connection at once, as a restart of the database does."""
        self.installation.sql(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        self.dropped.append(time.time())
        return "restart the database"

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
        """Choose a worker that is at work right now if there is one, now and then any process."""
        places = self._at_work()
        if places and self.chance.random() < 0.7:
            return self.chance.choice(places)
        return self.chance.choice(self.fleet.well() or [0])

    def _at_work(self, kind: str = "") -> list[int]:
        """Return the places of workers that are at work on this kind of work, or on whichever the chance names."""
        at_work = self.installation.sql(
            "SELECT DISTINCT a.worker, t.workload FROM scheduling_attempt a JOIN scheduling_task t "
            "ON t.id = a.task_id WHERE a.outcome = 'running' ORDER BY 1, 2"
        )
        if not at_work:
            return []
        kind = kind or self.chance.choice(sorted({workload for _, workload in at_work}))
        groups = {_group(worker) for worker, workload in at_work if workload == kind}
        return [place for place in self.fleet.well() if self.fleet.processes[place].pid in groups]


# How often each: what is named twice comes twice as often.
_OFTEN = (
    "kill", "kill a batch", "kill a batch", "freeze", "freeze", "freeze", "drop", "drop", "drop all", "wipe", "wipe",
    "double", "stop", "stop", "stop", "outage", "deploy",
)  # fmt: skip


def _group(worker: str) -> int:
    """Return the process group of a worker by its name, which holds host and process; 0 when it is gone."""
    try:
        return os.getpgid(int(worker.rpartition(":")[2].partition("/")[0]))
    except ProcessLookupError:
        return 0
