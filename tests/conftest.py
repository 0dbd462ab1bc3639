"""What every test shares: its database, its order, which services it needs, and what is said when it fails."""

import gc
import os
import shutil
from collections.abc import Generator, Iterator
from contextlib import ExitStack
from typing import Any
from zlib import crc32

import hypothesis
import pytest
from django.conf import settings
from django.test import TransactionTestCase

from tests import database
from tests.depth import DEEP
from tests.needs import lacking

# Where tests of pages, commands, requests, files and texts lie: what they send to the database is tried below, on both.
_DOORS = {
    "admin", "api", "browser", "management", "model_files", "payloads", "scheduler_project", "simulation", "subjects",
}  # fmt: skip
_OF_A_DATABASE = {"postgresql", "services"}
_RACES = {"Racers", "threading"}  # what a module of tests of doors has that race: each database has its own way of that
_DATABASE_FIXTURES = {"db", "transactional_db", "django_db_setup", "live_server"}

hypothesis.settings.load_profile("deep" if DEEP else "quick")


def _has_postgresql() -> bool:
    """Return whether the suite runs on PostgreSQL."""
    return settings.DATABASES["default"]["ENGINE"].endswith("postgresql")


def _has_redis() -> bool:
    """Return whether a Redis broker is named."""
    return settings.CELERY_BROKER_URL.startswith("redis")


def chromium() -> str | None:
    """Return the path of this machine's Chromium, or None; the one without windows starts fastest."""
    names = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
    return next((path for name in names if (path := shutil.which(name))), None)


# For each marker: whether what it needs is here, and how to get it.
NEEDS = {
    "postgresql": (_has_postgresql, "DATABASE_URL must name a PostgreSQL database (make test-services sets it)"),
    "services": (
        lambda: _has_postgresql() and _has_redis(),
        "DATABASE_URL must name PostgreSQL and CELERY_BROKER_URL Redis (make test-services sets both)",
    ),
    "browser": (
        lambda: chromium() is not None,
        "Chromium is not on this machine (apt install chromium-headless-shell)",
    ),
}


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """Stay in one process when one file or one test is named: starting others takes longer than the test.

    Otherwise take one more than there are cores: tests also wait for processes and browsers.
    """
    named = [argument for argument in config.args if ".py" in argument]
    return 0 if len(named) == len(config.args) == 1 else len(os.sched_getaffinity(0)) + 1


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> Generator[None, None, None]:
    """Mark what needs no database and what one database answers for both; put the tests of pages last.

    These share a browser while they follow each other.

    The marks come before `-m` chooses by them, the order comes after it was made random.
    """
    for item in items:
        place = set(item.nodeid.partition("::")[0].split("/"))  # below the folder of the program, wherever that lies
        fixtures = set(getattr(item, "fixturenames", ()))
        markers = {marker.name for marker in item.iter_markers()}
        if not fixtures & _DATABASE_FIXTURES and "django_db" not in markers and "acceptance" not in place:
            item.add_marker("pure")
        races = _RACES & vars(getattr(item, "module", None) or object).keys()
        is_of_a_door = _DOORS & place and not markers & _OF_A_DATABASE and not races
        if is_of_a_door and crc32(item.nodeid.encode()) % 3:
            item.add_marker("spared")
    yield
    items.sort(key=lambda item: item.get_closest_marker("browser") is not None)


def pytest_collection_finish() -> None:
    """Leave what was imported to itself: looking through it again and again took a tenth of the suite's time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test whose service is missing, with the reason; in continuous integration fail it."""
    for marker, (is_here, mend) in NEEDS.items():
        if item.get_closest_marker(marker) is None or is_here():
            continue
        lacking(mend)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, Any, Any]:
    """Let a test print what is no text, half a surrogate for one: reports travel between processes as UTF-8."""
    report = yield
    report.sections = [(title, text.encode(errors="backslashreplace").decode()) for title, text in report.sections]
    return report


@pytest.fixture(autouse=True)
def _remembers_no_other_test() -> None:
    """Let every test begin with pieces of work that nobody told to fail, and with a process that ran no cycle yet.

    Of the cycle of a test with a clock of its own the next one would say that time went on at once, and alerts would
    know what lay in tables of the same names. A job of the tests is known by nothing but its path: another test means
    another function by it. And who was told that a worker begins here watches on, in a thread, over whatever the next
    tests write.
    """
    from scheduling import tasks
    from scheduling.alerts import of_rows
    from scheduling.dispatch import recover
    from staging.sql import kept_plans
    from tests.scheduling.jobs import declaring
    from tests.scheduling.runs import pieces

    pieces.forget()
    declaring.forget()
    recover._last_cycle.clear()
    of_rows._looks.clear()
    kept_plans._last_blocks.clear()
    while tasks._watch:
        tasks._watch.pop().stop()


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Say how to repeat what failed: alone, and in the order in which it failed."""
    stats = terminalreporter.stats
    failed = sorted({report.nodeid for kind in ("failed", "error") for report in stats.get(kind, [])})
    if not failed:
        return
    target = "make test-services" if _has_postgresql() else "make test"
    depth = "DEPTH=deep " * DEEP
    terminalreporter.section("to repeat what failed")
    terminalreporter.line(f"{depth}{target} ARGS='-n0 {' '.join(failed)}'")
    seed = config.getoption("randomly_seed", "none")
    terminalreporter.line(f"{depth}{target} ARGS='--randomly-seed={seed}'  # everything, in this order")


@pytest.fixture(scope="session")
def django_db_setup(django_test_environment: None, django_db_blocker: Any) -> Iterator[None]:
    """Copy the migrated database for this process; put it back after a test that committed, instead of flushing it."""
    stack = ExitStack()
    with django_db_blocker.unblock():
        stack.enter_context(database.of_this_process())
        kept = database.Kept()
    TransactionTestCase._fixture_teardown = lambda case: kept.put_back()
    yield
    with django_db_blocker.unblock():
        stack.close()
