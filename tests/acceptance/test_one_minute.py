"""One minute of real life with real processes: rows land, a batch is decided on and merges, crashes cost nothing."""

from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
import redis

from tests.acceptance.installation import Installation, assert_each_row_once
from tests.acceptance.installation import embedded as installed_on_sqlite
from tests.acceptance.installation import production as installed_for_production

MANAGE = "manage.py"
CELERY = ("-m", "celery", "-A", "scheduler_project.celery")
WORKER = (
    *CELERY,
    "worker",
    "-Q",
    "work",
    "--concurrency",
    "2",
    "--without-gossip",
    "--without-mingle",
    "--loglevel",
    "INFO",
)
CYCLE_WORKER = (
    *CELERY,
    "worker",
    "-Q",
    "dispatch",
    "--pool",
    "solo",
    "--without-gossip",
    "--without-mingle",
    "--hostname",
    "cycle@%h",
)


@pytest.fixture
def embedded(tmp_path: Path) -> Iterator[Installation]:
    """An embedded installation: SQLite, no broker."""
    with installed_on_sqlite(tmp_path, {"MERGE_CHUNK_ROWS": "500"}) as installation:
        yield installation


@pytest.fixture
def production(tmp_path: Path) -> Iterator[Installation]:
    """A production installation: a PostgreSQL database and a Redis key prefix of its own."""
    with installed_for_production(tmp_path, {"MERGE_CHUNK_ROWS": "500"}) as installation:
        yield installation


def deposit_region(installation: Installation) -> None:
    """Deposit the one region, and wait until its batch is through."""
    installation.sql("INSERT INTO stg_region (code, name) VALUES ('north', 'North')")
    merged = lambda: installation.number("SELECT count(*) FROM mdm_region") == 1  # noqa: E731
    installation.wait_until(merged, "the region is merged")


def settled(installation: Installation, rows: int) -> bool:
    """Return whether every deposited branch has an outcome and nothing runs."""
    waiting = installation.number("SELECT count(*) FROM stg_branch WHERE import_status = 0")
    there = installation.number("SELECT count(*) FROM stg_branch")
    live = installation.number("SELECT count(*) FROM scheduling_task WHERE finished_at IS NULL")
    return waiting == 0 and there == rows and live == 0


def some_but_not_all_merged(installation: Installation, rows: int) -> bool:
    """Return whether a batch is in the middle of its chunks."""
    return 0 < installation.number("SELECT count(*) FROM mdm_branch") < rows * 0.8


@pytest.mark.embedded
def test_rows_land_are_processed_and_explained_without_a_broker(embedded: Installation) -> None:
    embedded.start(MANAGE, "run_local")
    deposit_region(embedded)
    embedded.deposit_branches(500)
    embedded.wait_until(lambda: settled(embedded, 500), "all branches have an outcome")
    assert_each_row_once(embedded, 500)
    # Cycles come each second here: on a slow machine one of them meets the batch at work, and says so.
    events = [event for event, _ in embedded.log() if event != "skipped"]
    assert events == ["fired", "completed", "fired", "completed"]
    sentence = embedded.sql("SELECT error_message FROM stg_branch WHERE import_status = 2 ORDER BY id LIMIT 1")[0][0]
    assert "nowhere" in sentence
    assert embedded.command("status")["workers"] == 1


@pytest.mark.embedded
def test_a_killed_local_runner_loses_and_doubles_nothing(embedded: Installation) -> None:
    runner = embedded.start(MANAGE, "run_local")
    deposit_region(embedded)
    embedded.deposit_branches(20_000)
    for _ in range(2):
        embedded.wait_until(lambda: some_but_not_all_merged(embedded, 20_000), "the batch is under way")
        embedded.kill(runner)
        runner = embedded.start(MANAGE, "run_local")
    embedded.wait_until(lambda: settled(embedded, 20_000), "all branches have an outcome")
    assert_each_row_once(embedded, 20_000)
    assert "zombie" in {event for event, _ in embedded.log()}


@pytest.mark.embedded
def test_two_local_runners_share_the_work_and_double_nothing(embedded: Installation) -> None:
    embedded.start(MANAGE, "run_local")
    embedded.start(MANAGE, "run_local")
    deposit_region(embedded)
    for start in range(0, 2000, 500):
        embedded.deposit_branches(500, first=start)
    embedded.wait_until(lambda: settled(embedded, 2000), "all branches have an outcome")
    assert_each_row_once(embedded, 2000)


@pytest.mark.services
def test_celery_and_beat_process_rows_and_survive_every_kill(production: Installation) -> None:
    beat = (*CELERY, "beat", "--schedule", str(production.folder / "beat"), "--loglevel", "INFO")
    production.start(*beat)
    cycle = production.start(*CYCLE_WORKER)
    worker = production.start(*WORKER)
    deposit_region(production)
    production.deposit_branches(40_000)
    production.wait_until(lambda: some_but_not_all_merged(production, 40_000), "the batch is under way")
    production.kill(worker)
    production.kill(cycle)
    production.start(*CYCLE_WORKER)
    production.start(*WORKER)
    production.wait_until(lambda: settled(production, 40_000), "all branches have an outcome")
    assert_each_row_once(production, 40_000)
    assert "zombie" in {event for event, _ in production.log()}


@pytest.mark.services
def test_the_first_cycle_comes_when_beat_starts_and_not_an_interval_later(production: Installation) -> None:
    production.environment["DISPATCH_INTERVAL_SECONDS"] = "600"
    production.start(*CYCLE_WORKER)
    production.start(*CELERY, "beat", "--schedule", str(production.folder / "beat"))
    cycles = lambda: production.command("status")["last_cycle"] is not None  # noqa: E731
    production.wait_until(cycles, "the first cycle has run")
    assert production.command("status")["workers"] == 0, "who takes only cycles does no work"


@pytest.mark.services
def test_two_dispatchers_and_doubled_messages_fire_once(production: Installation) -> None:
    production.start(*CELERY, "beat", "--schedule", str(production.folder / "beat-1"))
    production.start(*CELERY, "beat", "--schedule", str(production.folder / "beat-2"))
    production.start(*CYCLE_WORKER)
    production.start(*CYCLE_WORKER[:-1], "cycle-2@%h")
    production.start(*WORKER)
    deposit_region(production)
    production.deposit_branches(5000)
    for task_id in range(1, 5):
        production.manage("shell", "--command", f"from scheduling import broker; broker.wake([{task_id}] * 3)")
    production.wait_until(lambda: settled(production, 5000), "all branches have an outcome")
    assert_each_row_once(production, 5000)


@pytest.mark.services
def test_messages_lost_by_the_broker_are_sent_again(production: Installation) -> None:
    production.start(*CELERY, "beat", "--schedule", str(production.folder / "beat"))
    production.start(*CYCLE_WORKER)
    production.sql("INSERT INTO stg_region (code, name) VALUES ('north', 'North')")
    queued = lambda: production.number("SELECT count(*) FROM scheduling_task") == 1  # noqa: E731
    production.wait_until(queued, "the batch is queued")
    with redis.Redis.from_url(production.environment["CELERY_BROKER_URL"]) as broker:
        broker.delete(*broker.keys(f"{production.environment['CELERY_KEY_PREFIX']}*"))
    production.start(*WORKER)
    merged = lambda: production.number("SELECT count(*) FROM mdm_region") == 1  # noqa: E731
    production.wait_until(merged, "the region is merged after its message was lost")


@pytest.mark.services
def test_an_orm_free_client_and_copy_can_deposit(production: Installation) -> None:
    production.start(*CELERY, "beat", "--schedule", str(production.folder / "beat"))
    production.start(*CYCLE_WORKER)
    production.start(*WORKER)
    with (
        psycopg.connect(production.environment["DATABASE_URL"]) as connection,
        connection.cursor().copy("COPY stg_region (code, name) FROM STDIN") as copy,
    ):
        copy.write_row(("north", "North"))
        copy.write_row(("south", "South"))
    merged = lambda: production.number("SELECT count(*) FROM mdm_region") == 2  # noqa: E731
    production.wait_until(merged, "the copied regions are merged")
    workers = {worker for (worker,) in production.sql("SELECT worker FROM scheduling_attempt")}
    alive = {name for (name,) in production.sql("SELECT name FROM scheduling_heartbeat")}
    assert workers and {f"celery@{worker.rpartition(':')[0]}" for worker in workers} <= alive, (
        "a pool's process is named after the worker that gives its signs of life"
    )
