"""Two hosts, each with web, beat, cycle worker and worker, and what can happen to one process or to a whole host."""

import os
import signal
import subprocess
from time import monotonic, sleep

from tests.acceptance.arriving import Door
from tests.acceptance.installation import Installation

HOSTS, KINDS = ("a", "b"), ("worker", "cycle", "web", "beat")
SETTINGS = {
    "DJANGO_SETTINGS_MODULE": "tests.acceptance.hosts.settings",
    "DEBUG": "True",  # style sheets need not be collected
    "MERGE_CHUNK_ROWS": "100",
    "BATCH_LANES": "1",
}
# Longer than every limit of silence: three cycles, six heartbeats and ZOMBIE_TIMEOUT_MINUTES are three seconds here.
SILENCE_SECONDS = 4.5
_CUT_OFF_SECONDS, _LOOKS_EVERY, _STARTS_WITHIN_SECONDS = 1.5, 0.1, 60
_CELERY = ("-m", "celery", "-A", "scheduler_project.celery")
_QUIET = ("--without-gossip", "--without-mingle", "--loglevel", "INFO")
_AT_WORK = "SELECT count(*) FROM scheduling_attempt WHERE outcome = 'running' AND worker LIKE %s"
# Each chunk takes so long that whoever is at work can be met at it.
_SLOW = """
CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(0.1); RETURN NULL; END $$;
CREATE TRIGGER slow AFTER UPDATE ON stg_branch FOR EACH STATEMENT EXECUTE FUNCTION slow()
"""
_THEIRS = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = %s"

Place = tuple[str, str]


class Hosts:
    """The processes by host and kind; what is killed is started again, as a supervisor does."""

    def __init__(self, installation: Installation):
        self.installation, self.cut = installation, 0
        installation.sql(_SLOW)
        self.doors = {host: Door(host, seconds=2) for host in HOSTS}
        self.processes = {(host, kind): self._start(host, kind) for kind in KINDS for host in HOSTS}

    def kill(self, place: Place) -> None:
        """Kill a process with its children, a worker at its work, and start another."""
        self._meet(place)
        self.installation.kill(self.processes[place])
        self.processes[place] = self._start(*place)

    def cut_off(self, *places: Place) -> None:
        """End the connections of processes to the database again and again for a while.

        The first time until there was one: on a busy machine processes take long to start.
        """
        began = monotonic()
        while monotonic() - began < (_CUT_OFF_SECONDS if self.cut else _STARTS_WITHIN_SECONDS):
            for place in places:
                self.cut += len(self.installation.sql(_THEIRS, ["/".join(place)]))
            sleep(_LOOKS_EVERY)

    def freeze(self, *places: Place) -> None:
        """Stop processes with their children where they are, a worker at its work."""
        self._meet(*places)
        self._signal(signal.SIGSTOP, *places)

    def thaw(self, *places: Place) -> None:
        """Let them go on."""
        self._signal(signal.SIGCONT, *places)

    def _meet(self, *places: Place) -> None:
        """Wait until the worker among these processes is at work."""
        for host in [host for host, kind in places if kind == "worker"]:
            busy = lambda: self.installation.sql(_AT_WORK, [f"host-{host}:%"])[0][0] > 0  # noqa: B023, E731
            self.installation.wait_until(busy, f"the worker of host {host} is at work")

    def _signal(self, number: int, *places: Place) -> None:
        for place in places:
            os.killpg(self.processes[place].pid, number)

    def _start(self, host: str, kind: str) -> subprocess.Popen[bytes]:
        memory = str(self.installation.folder / f"beat-{host}")
        bind = f"127.0.0.1:{self.doors[host].port}"
        commands = {
            "web": (
                "-m",
                "gunicorn",
                "scheduler_project.wsgi",
                "--bind",
                bind,
                "--threads",
                "4",
                "--no-control-socket",
            ),
            "beat": (*_CELERY, "beat", "--schedule", memory, "--pidfile="),
            "cycle": (*_CELERY, "worker", "-Q", "dispatch", "--pool", "solo", "-n", f"cycle@{host}", *_QUIET),
            "worker": (*_CELERY, "worker", "-Q", "work", "-c", "1", "-n", f"work@{host}", *_QUIET),
        }
        told = {"HOST": f"host-{host}", "PGAPPNAME": f"{host}/{kind}"}
        return self.installation.start(*commands[kind], environment=told)
