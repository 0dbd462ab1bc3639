"""An upgrade while everything runs: the version before and this one share a database, and no row is lost or doubled.

`version_before.txt` names the commit of the version before; whoever adds a migration names the commit before it.
"""

import json
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.acceptance.auditor import questions, watch
from tests.acceptance.installation import MODEL, ROOT, assert_each_row_once
from tests.acceptance.test_one_minute import settled
from tests.acceptance.upgrade import VERSION_BEFORE, Version, both, files_before

ROWS_AT_ONCE = 100
PASSWORD = "a long one for ann"
PAGES = ("", "scheduling/schedulerconfiguration/", "staging/batch/", "scheduling/run/", "scheduling/queue/")
# Several chunks a batch; and style sheets need not be collected.
SETTINGS = {"MERGE_CHUNK_ROWS": "50", "BATCH_LANES": "1", "DEBUG": "True"}
# What was there before the upgrade: a history, schedules, a plan and its run.
FILLED = """
  - code: customer
    name: Customer
    keep_history: true
    attributes: [{name: since, type: date}]
    schedule: {processing_mode: scheduled, schedule_type: interval, interval_minutes: 1}
plans:
  - {name: Nightly, schedule: {schedule_type: daily, run_times: ["02:30"]}, steps: [{entity: customer}]}
"""
PEOPLE = f"""
import django; django.setup()
from django.contrib.auth.models import Group, User
User.objects.create_superuser("ann", password={PASSWORD!r}).groups.add(Group.objects.get(name="Administrator"))
"""


class Deliveries:
    """Rows that arrive all the time, by SQL and by the API of the versions that serve just now."""

    def __init__(self, version: Version, token: str):
        self.serving, self.rows, self.errors = [version], 0, list[str]()
        self._token, self._over = token, threading.Event()

    @contextmanager
    def arriving(self) -> Iterator[None]:
        """Let rows arrive until the end of the block."""
        thread = threading.Thread(target=self._arrive)
        thread.start()
        try:
            yield
        finally:
            self._over.set()
            thread.join()

    def _arrive(self) -> None:
        turn = 0
        while not self._over.wait(0.2):
            turn += 1
            if turn % 2:
                self.serving[0].installation.deposit_branches(ROWS_AT_ONCE, first=self.rows)
            else:
                version = self.serving[turn // 2 % len(self.serving)]
                try:
                    status = version.deposit(self._token, [_branch(self.rows + n) for n in range(ROWS_AT_ONCE)])
                except OSError as error:
                    status = str(error)
                if status != 200:
                    self.errors.append(f"{version.name}: {status}")
                    continue
            self.rows += ROWS_AT_ONCE


def _branch(number: int) -> dict[str, str]:
    region = "nowhere" if number % 100 == 0 else "north"
    return {"code": f"b{number}", "name": f"Branch {number}", "region": region, "staff": "5"}


def seen(version: Version) -> list[str]:
    """Return the pages that this version's people see without an error."""
    return [page for page in PAGES if "ann" in version.page(page)]


@pytest.mark.services
def test_old_and_new_side_by_side_lose_and_double_nothing(tmp_path: Path) -> None:
    archive = files_before()
    if archive is None:
        pytest.skip(f"this clone has no history: commit {VERSION_BEFORE[:12]} is not in it (git fetch --unshallow)")
    with both(tmp_path, archive, SETTINGS) as (old, new):
        work = old.installation
        work.load(MODEL + FILLED)
        work.sql(
            "INSERT INTO stg_customer (code, name, since) VALUES ('c1', 'Ann', '2020-02-29'), ('c2', 'B', 'never')"
        )
        work.manage("run_plan", "Nightly", "--inline")
        watch.prepare(work)
        work.python(PEOPLE)
        token = json.loads(work.manage("create_token", "ann", "--scope", "deposit", "--json"))["token"]
        work.sql("INSERT INTO stg_region (code, name) VALUES ('north', 'North')")
        old.start()
        merged = lambda: work.number("SELECT count(*) FROM mdm_region") == 1  # noqa: E731
        work.wait_until(lambda: merged() and old.is_ready(), "the version before is at work")
        old.sign_in("ann", PASSWORD)
        deliveries = Deliveries(old, token)
        with deliveries.arriving():
            work.wait_until(lambda: work.number("SELECT count(*) FROM mdm_branch") > 0, "branches are merged")
            new.installation.manage("migrate", "--verbosity", "0")
            assert seen(old) == list(PAGES), "the version before goes on after the migration"
            new.start()
            new.installation.wait_until(new.is_ready, "the new version is at work, beside")
            deliveries.serving.append(new)
            new.sign_in("ann", PASSWORD)
            before = old.attempts()
            shared = lambda: old.attempts() > before and new.attempts() > 0  # noqa: E731
            work.wait_until(shared, "both versions work")
            assert seen(old) == seen(new) == list(PAGES)
            deliveries.serving.remove(old)
            assert set(old.stop().values()) == {0}, work.logs()
            alone, made = deliveries.rows, new.attempts()
            on = lambda: deliveries.rows > alone + ROWS_AT_ONCE and new.attempts() > made  # noqa: E731
            new.installation.wait_until(on, "the new version goes on alone")
        assert deliveries.errors == []
        new.installation.wait_until(lambda: settled(new.installation, deliveries.rows), "all rows have an outcome")
        assert_each_row_once(new.installation, deliveries.rows)
        wrong = questions.violations(new.installation)
        assert wrong == [], f"{wrong}\n{work.logs()}\n{new.installation.logs()}"


def test_the_version_before_is_named_as_a_commit_that_this_one_grew_from() -> None:
    assert len(VERSION_BEFORE) == 40
    if files_before() is None:
        pytest.skip("this clone has no history")
    grown = subprocess.run(["git", "merge-base", "--is-ancestor", VERSION_BEFORE, "HEAD"], cwd=ROOT)
    assert grown.returncode == 0
    changed = subprocess.run(
        ["git", "diff", "--name-only", "--diff-filter=A", VERSION_BEFORE, "--", "*/migrations/0*.py"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert changed.stdout, "the version before has all migrations: name an earlier commit, or nothing is tried"
