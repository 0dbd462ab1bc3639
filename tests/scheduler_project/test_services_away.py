"""Promise: a database or broker that is away is one line and an exit code for people, and ends no process."""

import logging
import os
import subprocess
import sys

import pytest

from scheduler_project.celery import app
from scheduling import broker, checks
from tests.house.source import ROOT

NOBODY = "127.0.0.1:1"


@pytest.mark.parametrize("command", ["status", "migrate", "run_local"])
def test_a_command_without_its_database_says_so_in_one_line(command: str) -> None:
    environment = {**os.environ, "DATABASE_URL": f"postgres://nobody@{NOBODY}/nothing", "CELERY_BROKER_URL": ""}
    manage = [sys.executable, "manage.py", command]
    done = subprocess.run(manage, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1 and done.stderr.startswith("The database could not be used: ")


@pytest.fixture
def away(settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """A Redis that is not there."""
    settings.CELERY_BROKER_URL = f"redis://{NOBODY}/0"
    broker._sender.cache_clear()
    monkeypatch.setitem(broker._left_alone_until, "monotonic", float("-inf"))
    yield
    broker._sender.cache_clear()


def test_the_check_and_status_tell_of_a_broker_that_is_away(away: None) -> None:
    assert "refused" in broker.trouble()
    (warning,) = checks.broker_answers(None, databases=["default"])
    assert warning.id == "scheduling.W002" and not warning.is_serious() and "refused" in warning.msg
    assert checks.broker_answers(None, databases=None) == [], "only who asks for the services waits for them"


def test_without_a_broker_there_is_none_to_tell_of(settings) -> None:
    settings.CELERY_BROKER_URL = ""
    assert broker.trouble() == "" and checks.broker_answers(None, databases=["default"]) == []


def test_a_wake_up_that_cannot_be_sent_is_one_line_in_the_log(away: None, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        assert broker.wake([1, 2]) == 0
    (record,) = [record for record in caplog.records if record.name == "scheduling.broker"]
    assert record.exc_info is None and "0 of 2 wake-ups sent" in record.getMessage()


def test_workers_and_beat_wait_for_their_broker_however_long_it_is_away() -> None:
    assert app.conf.broker_connection_max_retries is None and app.conf.broker_connection_retry_on_startup
