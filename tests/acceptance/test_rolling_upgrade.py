"""An upgrade while everything runs: the version before and this one share a database, and no row is lost or doubled.

`version_before.txt` names the commit of the version before; whoever adds a migration names the commit before it.
"""

import subprocess
from pathlib import Path

import pytest

from tests.acceptance import upgrade
from tests.acceptance.arriving import PEOPLE, ROWS_AT_ONCE, Arrivals
from tests.acceptance.auditor import questions, watch
from tests.acceptance.installation import MODEL, ROOT, assert_each_row_once
from tests.acceptance.test_one_minute import settled
from tests.acceptance.upgrade import VERSION_BEFORE, Version, both, files_before

TURNS = 5
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


def seen(version: Version) -> list[str]:
    """Return the pages that this version's people see without an error."""
    return [page for page in PAGES if "ann" in version.door.page(page)]


def is_at_work(version: Version) -> bool:
    """Return whether pages, database, broker and cycles of a version answer, and a batch went through."""
    merged = version.installation.number("SELECT count(*) FROM mdm_region") == 1
    return merged and version.door.ask("GET", "/readyz") == 200


def migrate(version: Version) -> None:
    """Migrate as the guide tells: again when work was in the way; each migration is whole or not at all."""
    for turn in range(TURNS):
        try:
            version.installation.manage("migrate", "--verbosity", "0")
            return
        except AssertionError as error:
            if turn == TURNS - 1 or not any(word in str(error) for word in ("deadlock", "lock timeout")):
                raise


@pytest.mark.services
def test_old_and_new_side_by_side_lose_and_double_nothing(tmp_path: Path) -> None:
    archive = files_before()
    with both(tmp_path, archive, SETTINGS) as (old, new):
        work = old.installation
        work.load(MODEL + FILLED)
        watch.prepare(work)
        work.sql(
            "INSERT INTO stg_customer (code, name, since) VALUES ('c1', 'Ann', '2020-02-29'), ('c2', 'B', 'never')"
        )
        work.manage("run_plan", "Nightly", "--inline")
        work.python(PEOPLE)
        work.sql("INSERT INTO stg_region (code, name) VALUES ('north', 'North')")
        arrivals = Arrivals(work, [old.door])
        old.start()
        work.wait_until(lambda: is_at_work(old), "the version before is at work")
        old.door.sign_in()
        with arrivals.arriving():
            work.wait_until(lambda: work.number("SELECT count(*) FROM mdm_branch") > 0, "branches are merged")
            migrate(new)
            assert seen(old) == list(PAGES), "the version before goes on after the migration"
            new.start()
            new.installation.wait_until(lambda: is_at_work(new), "the new version is at work, beside")
            arrivals.doors.append(new.door)
            new.door.sign_in()
            before = old.attempts()
            shared = lambda: old.attempts() > before and new.attempts() > 0  # noqa: E731
            work.wait_until(shared, "both versions work")
            assert seen(old) == seen(new) == list(PAGES)
            arrivals.doors.remove(old.door)
            assert set(old.stop().values()) == {0}, work.logs()
            alone, made = arrivals.rows, new.attempts()
            on = lambda: arrivals.rows > alone + ROWS_AT_ONCE and new.attempts() > made  # noqa: E731
            new.installation.wait_until(on, "the new version goes on alone")
        assert arrivals.lost == []
        new.installation.wait_until(lambda: settled(new.installation, arrivals.rows), "all rows have an outcome")
        assert_each_row_once(new.installation, arrivals.rows)
        wrong = questions.violations(new.installation)
        assert wrong == [], f"{wrong}\n{work.logs()}\n{new.installation.logs()}"


def test_the_version_before_is_named_as_a_commit_that_this_one_grew_from() -> None:
    assert len(VERSION_BEFORE) == 40
    files_before()
    grown = subprocess.run(["git", "merge-base", "--is-ancestor", VERSION_BEFORE, "HEAD"], cwd=ROOT)
    assert grown.returncode == 0
    changed = subprocess.run(
        ["git", "diff", "--name-only", "--diff-filter=A", VERSION_BEFORE, "--", "*/migrations/0*.py"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert changed.stdout, "the version before has all migrations: name an earlier commit, or nothing is tried"


@pytest.mark.parametrize(("ci", "outcome"), [("", pytest.skip.Exception), ("true", pytest.fail.Exception)])
def test_a_clone_without_history_is_skipped_at_a_desk_and_fails_in_continuous_integration(
    monkeypatch: pytest.MonkeyPatch, ci: str, outcome: type[BaseException]
) -> None:
    monkeypatch.setenv("CI", ci)
    monkeypatch.setattr(upgrade, "VERSION_BEFORE", "0" * 40)
    with pytest.raises(outcome, match="no history"):
        files_before()
