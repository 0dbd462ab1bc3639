"""Faults that take a whole installation of real processes: they share one, whose rows are counted at each end."""

import json
import os
import pickle
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import redis

from tests.acceptance.installation import Installation, assert_each_row_once, production
from tests.acceptance.test_one_minute import CELERY, CYCLE_WORKER, WORKER, deposit_region, settled

pytestmark = pytest.mark.services

ROWS = 6_000
SETTINGS = {"MERGE_CHUNK_ROWS": "100", "BATCH_LANES": "1", "ZOMBIE_TIMEOUT_MINUTES": "0.1", "STOP_GRACE_SECONDS": "1"}
ENDS_ITS_WORKER = """
import os, runpy, sys
from dataclasses import replace
import django
django.setup()
from scheduling import clock
from scheduling.runs.ordered import call, submit
from scheduling.workloads.call import task

@task("the end")
def the_end(context):
    os._exit(1)

"""
SUBMIT = """
twice = replace(call("the end"), attempts=2, retry_interval_seconds=1)
submit([(1, twice)], title="The end", submitted_by="ann", now=clock.now())
"""


class Shared:
    """An installation at work, and how many rows were deposited so far."""

    def __init__(self, installation: Installation):
        self.installation, self.rows = installation, 0
        installation.start(*CELERY, "beat", "--schedule", str(installation.folder / "beat"))
        self.cycle = installation.start(*CYCLE_WORKER)
        self.worker = installation.start(*WORKER)
        deposit_region(installation)

    def log_of_the_worker(self) -> str:
        """Return what the worker that is at work wrote: another test may have ended the one before."""
        number = self.installation.processes.index(self.worker)
        return (self.installation.folder / f"process-{number}.log").read_text()

    def deposit(self, rows: int) -> None:
        """Deposit so many branches more."""
        self.installation.deposit_branches(rows, first=self.rows)
        self.rows += rows

    def deposit_and_be_in_the_middle(self) -> None:
        """Deposit many branches and wait until their batch is under way."""
        before = self.installation.number("SELECT count(*) FROM mdm_branch")
        self.deposit(ROWS)
        begun = lambda: self.installation.number("SELECT count(*) FROM mdm_branch") > before  # noqa: E731
        self.installation.wait_until(begun, "the batch is under way")

    def come_to_the_end(self) -> None:
        """Wait until everything has an outcome; each row has one."""
        done = lambda: settled(self.installation, self.rows)  # noqa: E731
        self.installation.wait_until(done, "everything has an outcome")
        assert_each_row_once(self.installation, self.rows)

    def another_worker(self) -> None:
        """Start a worker in place of one that is gone."""
        self.worker = self.installation.start(*WORKER)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shared]:
    """Yield the one installation of this file."""
    with production(tmp_path_factory.mktemp("faults"), SETTINGS) as made:
        yield Shared(made)


class Harm:
    """Writes a file when it is unpickled."""

    def __init__(self, path: str):
        self.path = path

    def __reduce__(self) -> Any:
        return os.system, (f"touch {self.path}",)


def message(body: bytes, *, task: str = "scheduling.execute", kind: str = "application/json") -> bytes:
    """Return what a message of Celery is in Redis."""
    properties = {"delivery_tag": "t", "delivery_info": {"exchange": "", "routing_key": "work"}, "correlation_id": "c"}
    headers = {"lang": "py", "task": task, "id": "c", "root_id": "c", "argsrepr": "()", "retries": 0}
    told = {"body": body.decode("latin-1"), "content-encoding": "utf-8", "content-type": kind}
    return json.dumps({**told, "headers": headers, "properties": properties}).encode()


def test_forged_messages_run_nothing_and_end_no_worker(shared: Shared, tmp_path: Path) -> None:
    harm = str(tmp_path / "harm")
    arguments = [["x"], [None], [{"a": 1}], [10**30], [-1], [], [1, 2, 3], {"a": 1}, "x", 7]
    forged = [
        *(message(json.dumps([each, {}, {}]).encode()) for each in arguments),
        message(pickle.dumps(Harm(harm), protocol=0), kind="application/x-python-serialize"),
        message(json.dumps([[f"touch {harm}"], {}, {}]).encode(), task="os.system"),
        message(b"[[], {}, {}]", task="scheduling.no_such_task"),
        message(b"no json"),
    ]
    environment = shared.installation.environment
    with redis.Redis.from_url(environment["CELERY_BROKER_URL"]) as broker:
        broker.lpush(f"{environment['CELERY_KEY_PREFIX']}work", *forged)
    shared.deposit(300)
    shared.come_to_the_end()
    for told in ("os.system", "no_such_task", "ContentDisallowed", "JSONDecodeError"):
        heard = lambda told=told: told in shared.log_of_the_worker()  # noqa: E731
        shared.installation.wait_until(heard, f"the worker told of {told}")
    assert not Path(harm).exists()
    assert shared.worker.poll() is None and shared.cycle.poll() is None


def test_children_whose_worker_was_killed_do_no_harm_and_end(shared: Shared) -> None:
    shared.deposit_and_be_in_the_middle()
    os.kill(shared.worker.pid, signal.SIGKILL)
    shared.worker.wait()
    group = shared.worker.pid
    shared.another_worker()
    shared.come_to_the_end()

    def ended() -> bool:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        return False

    shared.installation.wait_until(ended, "the children of a killed worker have ended")


def test_a_cold_stop_in_the_middle_of_a_batch_loses_nothing(shared: Shared) -> None:
    shared.deposit_and_be_in_the_middle()
    os.killpg(shared.worker.pid, signal.SIGQUIT)
    shared.worker.wait(timeout=60)
    shared.another_worker()
    shared.come_to_the_end()


def test_work_that_ends_its_process_each_time_uses_up_its_attempts_and_hinders_no_other(shared: Shared) -> None:
    installation = shared.installation
    installation.kill(shared.worker)
    installation.python(ENDS_ITS_WORKER + SUBMIT)
    run = "runpy.run_module('celery', run_name='__main__')"
    shared.worker = installation.start("-c", f"{ENDS_ITS_WORKER}sys.argv[0] = 'celery'\n{run}", *WORKER[2:])
    shared.deposit(300)
    of_it = "SELECT status, attempts_made FROM scheduling_task WHERE workload = 'call'"
    failed = lambda: installation.sql(of_it) == [("failed", 2)]  # noqa: E731
    installation.wait_until(failed, "its attempts are used up")
    shared.come_to_the_end()
    installation.kill(shared.worker)
    shared.another_worker()


def test_ticks_that_nobody_took_are_no_flood_and_work_that_nobody_takes_is_told(shared: Shared) -> None:
    """No worker for some time, and then one for cycles only: connected, and it takes none of the work."""
    installation = shared.installation
    installation.kill(shared.worker)
    installation.kill(shared.cycle)
    environment = installation.environment
    with redis.Redis.from_url(environment["CELERY_BROKER_URL"]) as broker:
        waiting = lambda: broker.llen(f"{environment['CELERY_KEY_PREFIX']}dispatch") >= 5  # noqa: E731
        installation.wait_until(waiting, "ticks pile up")
    shared.cycle = installation.start(*CYCLE_WORKER, "--loglevel", "INFO")
    log = installation.folder / f"process-{len(installation.processes) - 1}.log"
    dropped = lambda: log.read_text().count("Discarding revoked task: scheduling.dispatch") >= 3  # noqa: E731
    installation.wait_until(dropped, "old ticks are dropped")
    shared.deposit(300)
    queued = "SELECT count(*) FROM scheduling_task WHERE status = 'queued'"
    installation.wait_until(lambda: installation.number(queued) == 1, "the batch is queued")
    installation.sql("UPDATE scheduling_task SET queued_at = queued_at - interval '2 hours' WHERE status = 'queued'")
    assert "queue.slow" in installation.python(
        "import django; django.setup()\nfrom scheduling.doctor.examine import findings\n"
        "print([one.id for one in findings()])"
    )
    shared.another_worker()
    shared.come_to_the_end()
