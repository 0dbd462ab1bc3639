"""A whole installation of its own for acceptance tests: database, environment, real processes that can be killed."""

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import psycopg

from tests import database

ROOT = Path(__file__).resolve().parent.parent.parent

MODEL = """
version: 1
entities:
  - code: region
    name: Region
    attributes:
      - {name: manager, type: text}
    schedule: {processing_mode: triggered, trigger_row_threshold: 1}
  - code: branch
    name: Branch
    attributes:
      - {name: region, type: reference, reference: region, required: true}
      - {name: staff, type: integer, min: 0, max: 5000}
    schedule: {processing_mode: triggered, trigger_row_threshold: 1}
"""

_OURS = ("RETENTION_CRON", "TIME_ZONE_CRON", "REPORT_CRON", "STATISTICS_CRON")


class Installation:
    """Commands, processes and plain SQL against one database; every process it started dies with it."""

    def __init__(self, folder: Path, environment: dict[str, str], connect: Callable[[], Any]):
        self.folder = folder
        self.home = ROOT  # where the program is
        self.connect = connect
        self.environment = {
            **{name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "CELERY_BROKER_URL")},
            "DJANGO_SETTINGS_MODULE": "scheduler_project.settings",
            "SECRET_KEY": "only-for-tests-" + "0123456789" * 4,
            "DISPATCH_INTERVAL_SECONDS": "1",
            "HEARTBEAT_SECONDS": "0.5",
            "ZOMBIE_TIMEOUT_MINUTES": "0.05",
            "RESEND_AFTER_SECONDS": "2",
            "PYTHONUNBUFFERED": "1",
            **dict.fromkeys(_OURS, "0 0 29 2 *"),  # else a test that works at that minute meets one of our own jobs
            **environment,
        }
        self.processes: list[subprocess.Popen[bytes]] = []
        self.vendor = "postgresql" if environment["DATABASE_URL"].startswith("postgres") else "sqlite"

    def load(self, model: str) -> None:
        """Load a model file."""
        path = self.folder / "model.yaml"
        path.write_text(model)
        self.manage("load_model", str(path))

    def manage(self, *arguments: str) -> str:
        """Run a management command to its end; return what it printed."""
        done = subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=self.home,
            env=self.environment,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, f"{arguments}: {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def python(self, code: str, *arguments: str) -> str:
        """Run a piece of Python to its end in this installation's environment; return what it printed."""
        done = subprocess.run(
            [sys.executable, "-c", code, *arguments],
            cwd=self.home,
            env=self.environment,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, f"{done.returncode}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def command(self, *arguments: str) -> dict[str, Any]:
        """Run a management command with --json; return its document."""
        return json.loads(self.manage(*arguments, "--json"))

    def start(self, *command: str, environment: dict[str, str] | None = None) -> subprocess.Popen[bytes]:
        """Start a process in a group of its own, its output in a file of the test's folder.

        `environment` is added to that of the installation.
        """
        own = {**self.environment, **(environment or {})}
        log = (self.folder / f"process-{len(self.processes)}.log").open("wb")
        process = subprocess.Popen(
            [sys.executable, *command], cwd=self.home, env=own, stdout=log, stderr=log, start_new_session=True
        )
        log.close()
        self.processes.append(process)
        return process

    def kill(self, process: subprocess.Popen[bytes]) -> None:
        """Kill a process and its children without warning."""
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def stop(self) -> None:
        """Kill everything that still runs."""
        for process in self.processes:
            self.kill(process)

    def sql(self, statement: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Run one statement the way any foreign program would: with the driver alone, committed."""
        with closing(self.connect()) as connection:
            cursor = connection.cursor()
            cursor.execute(statement, *([parameters] if parameters else []))
            rows = cursor.fetchall() if cursor.description else []
            connection.commit()
            return list(rows)

    def number(self, statement: str) -> int:
        """Return the one number a statement asks for."""
        return int(self.sql(statement)[0][0])

    def deposit_branches(self, rows: int, first: int = 0) -> None:
        """Deposit branches in one statement; every hundredth names a region that does not exist."""
        last = first + rows - 1
        self.sql(
            f"WITH RECURSIVE n(i) AS (SELECT {first} UNION ALL SELECT i + 1 FROM n WHERE i < {last}) "
            "INSERT INTO stg_branch (code, name, region, staff) SELECT 'b' || i, 'Branch ' || i, "
            "CASE WHEN mod(i, 100) = 0 THEN 'nowhere' ELSE 'north' END, '5' FROM n"
        )

    def log(self) -> list[tuple[Any, ...]]:
        """Return the scheduler log, oldest first."""
        return self.sql("SELECT event_type, message FROM scheduling_schedulerlog ORDER BY id")

    def logs(self) -> str:
        """Return what all processes printed, for the message of a failing test."""
        return "\n".join(f"--- {path.name}\n{path.read_text()[-4000:]}" for path in sorted(self.folder.glob("*.log")))

    def wait_until(self, condition: Callable[[], bool], what: str, seconds: float = 240) -> None:
        """Wait until a condition holds; fail with everything known when it does not in time.

        The limit is long: a busy machine needs it, and only what fails takes it.
        """
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if condition():
                return
            time.sleep(0.05)
        raise AssertionError(f"{what}: not within {seconds} s\n{self.log()}\n{self.logs()}")


def on_file(path: Path, environment: dict[str, str]) -> Installation:
    """Return the installation whose database is this file of SQLite; it has no broker."""
    services = {"DATABASE_URL": f"sqlite:///{path}", "CELERY_BROKER_URL": ""}
    return Installation(path.parent, {**services, **environment}, lambda: sqlite3.connect(path, timeout=20))


def own_app(folder: Path, name: str, jobs: str) -> dict[str, str]:
    """Write an app of its own with these jobs; return the settings by which an installation has it."""
    app = folder / "apps" / name
    app.mkdir(parents=True)
    (app / "__init__.py").write_text("")
    (app / "jobs.py").write_text(jobs)
    return {"EXTRA_APPS": name, "EXTRA_PATH": str(app.parent)}


@contextmanager
def embedded(folder: Path, environment: dict[str, str], *, model: str = MODEL) -> Iterator[Installation]:
    """Yield an installation on a file of SQLite, without a broker, with this model loaded."""
    template = database.ROOT / "var" / f"installation-template-{database.fingerprint()}.sqlite3"
    with database.alone():
        if not template.exists():
            _migrate(folder, f"sqlite:///{template}.new")
            Path(f"{template}.new").rename(template)
    installation = on_file(folder / "scheduler.sqlite3", environment)
    shutil.copy(template, folder / "scheduler.sqlite3")
    try:
        installation.load(model)
        yield installation
    finally:
        installation.stop()


@contextmanager
def production(folder: Path, environment: dict[str, str]) -> Iterator[Installation]:
    """Yield an installation on PostgreSQL and, if there is a Redis, with a key prefix of its own, its model loaded."""
    with migrated(folder, environment) as installation:
        installation.load(MODEL)
        yield installation


@contextmanager
def migrated(folder: Path, environment: dict[str, str]) -> Iterator[Installation]:
    """Yield an installation on PostgreSQL with everything that `migrate` makes, and nothing else."""
    server = os.environ["DATABASE_URL"].rsplit("/", 1)[0]
    name, template = f"acceptance_{uuid.uuid4().hex[:12]}", f"acceptance_template_{database.fingerprint()}"
    with database.alone(), psycopg.connect(f"{server}/postgres", autocommit=True) as admin:
        if not admin.execute("SELECT 1 FROM pg_database WHERE datname = %s", [template]).fetchone():
            admin.execute(f"DROP DATABASE IF EXISTS {template}_new WITH (FORCE)")
            admin.execute(f"CREATE DATABASE {template}_new")
            _migrate(folder, f"{server}/{template}_new")
            admin.execute(f"ALTER DATABASE {template}_new RENAME TO {template}")
        admin.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
        admin.execute(f"ALTER DATABASE {name} SET {database.NOT_LASTING}")
    with _of_database(folder, environment, server, name) as installation:
        yield installation


@contextmanager
def fresh_database(folder: Path, environment: dict[str, str]) -> Iterator[Installation]:
    """Yield an installation on a database of PostgreSQL that has no table yet."""
    server = os.environ["DATABASE_URL"].rsplit("/", 1)[0]
    name = f"acceptance_{uuid.uuid4().hex[:12]}"
    with psycopg.connect(f"{server}/postgres", autocommit=True) as admin:
        admin.execute(f"CREATE DATABASE {name}")
        admin.execute(f"ALTER DATABASE {name} SET {database.NOT_LASTING}")
    with _of_database(folder, environment, server, name) as installation:
        yield installation


@contextmanager
def _of_database(folder: Path, environment: dict[str, str], server: str, name: str) -> Iterator[Installation]:
    """Yield the installation on this database; both are gone afterwards."""
    url = f"{server}/{name}"
    services = {"DATABASE_URL": url, "CELERY_BROKER_URL": os.environ.get("CELERY_BROKER_URL", "")}
    own = {**services, "CELERY_KEY_PREFIX": f"{name}:", **environment}
    installation = Installation(folder, own, lambda: psycopg.connect(url))
    try:
        yield installation
    finally:
        installation.stop()
        with psycopg.connect(f"{server}/postgres", autocommit=True) as admin:
            admin.execute(f"DROP DATABASE {name} WITH (FORCE)")


def _migrate(folder: Path, url: str) -> None:
    """Make the template of all installations. What depends on the time, such as a model, comes into the copies."""
    made = Installation(folder, {"DATABASE_URL": url, "CELERY_BROKER_URL": ""}, lambda: None)
    made.manage("migrate", "--verbosity", "0")


def assert_each_row_once(installation: Installation, rows: int) -> None:
    """Assert that every deposited branch was processed or rejected once, and nothing is left running."""
    bad = len([i for i in range(rows) if i % 100 == 0])
    number = installation.number
    assert number("SELECT count(*) FROM stg_branch WHERE import_status = 1") == rows - bad
    assert number("SELECT count(*) FROM stg_branch WHERE import_status = 2 AND error_code = 32") == bad
    assert number("SELECT count(*) FROM mdm_branch") == rows - bad
    assert _counted(installation, "inserted") == rows - bad
    assert _counted(installation, "rejected") == bad
    assert number("SELECT count(*) FROM scheduling_schedulerconfiguration WHERE is_running") == 0
    assert number("SELECT count(*) FROM scheduling_task WHERE finished_at IS NULL") == 0
    assert number("SELECT count(*) FROM scheduling_attempt WHERE finished_at IS NULL") == 0


def _counted(installation: Installation, outcome: str) -> int:
    """Return how often all batches of branches together counted an outcome."""
    return installation.number(
        f"SELECT coalesce(sum(b.{outcome}), 0) FROM staging_batch b JOIN staging_entity e ON e.id = b.entity_id "
        "WHERE e.code = 'branch'"
    )
