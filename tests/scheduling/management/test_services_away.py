"""Promise: a database or broker that does not answer is one line and exit code 1, never a traceback."""

import os
import pkgutil
import subprocess
import sys

import pytest
from celery import Celery
from django.core.management import CommandError, call_command
from django.db import OperationalError, connection

from scheduling import broker, checks
from scheduling.management import base, commands
from scheduling.management.commands import status

AWAY = "redis://127.0.0.1:1/0"


@pytest.fixture
def no_broker(settings, monkeypatch):
    """The settings name a broker that nobody runs; so does the environment, which Celery asks first."""
    settings.CELERY_BROKER_URL = AWAY
    monkeypatch.setenv("CELERY_BROKER_URL", AWAY)
    settings.CELERY_BROKER_TRANSPORT_OPTIONS = {"socket_connect_timeout": 0.2}
    broker._sender.cache_clear()
    broker._left_alone_until["monotonic"] = float("-inf")
    yield
    broker._sender.cache_clear()
    broker._left_alone_until["monotonic"] = float("-inf")


@pytest.mark.django_db
def test_status_and_check_tell_of_a_broker_that_does_not_answer(no_broker, capsys):
    document, _ = status.Command().answer()
    assert "does not answer" in document["broker"]
    assert [each.id for each in checks.broker_answers(None, databases=["default"])] == ["scheduling.W002"]


@pytest.mark.django_db
def test_without_a_broker_nothing_is_amiss(settings):
    settings.CELERY_BROKER_URL = ""
    assert status.Command().answer()[0]["broker"] is None
    assert checks.broker_answers(None, databases=["default"]) == []


def test_a_wake_up_that_could_not_be_sent_is_one_line_of_the_log(no_broker, caplog):
    assert broker.wake([1]) == 0
    told = [record for record in caplog.records if "broker did not answer" in record.getMessage()]
    assert len(told) == 1 and told[0].exc_info is None


def test_a_celery_process_never_gives_up_on_its_broker():
    app = Celery("as-the-workers")
    app.config_from_object("django.conf:settings", namespace="CELERY")
    assert app.conf.broker_connection_max_retries is None and app.conf.broker_connection_retry_on_startup


@pytest.mark.parametrize("error", [OperationalError("connection refused\n\tIs the server running?")])
def test_a_database_that_is_away_is_one_line_and_exit_code_1(monkeypatch, error):
    def fail(self, **options):
        raise error

    monkeypatch.setattr(status.Command, "answer", fail)
    monkeypatch.setattr(status.Command, "requires_migrations_checks", False)
    monkeypatch.setattr(status.Command, "requires_system_checks", [])
    with pytest.raises(CommandError) as told:
        call_command("status")
    assert told.value.returncode == 1 and "\n" not in str(told.value)


def test_every_command_that_needs_the_database_says_so_in_one_line():
    for module in pkgutil.iter_modules(commands.__path__):
        command = __import__(f"{commands.__name__}.{module.name}", fromlist=["Command"]).Command
        calculates_only = command.requires_system_checks == []
        assert issubclass(command, base.PlainCommand) or calculates_only, module.name


@pytest.mark.postgresql
def test_a_real_process_prints_no_traceback():
    url = "postgres://nobody@127.0.0.1:1/none"
    environment = {**os.environ, "DATABASE_URL": url, "DJANGO_SETTINGS_MODULE": "scheduler_project.settings"}
    done = subprocess.run([sys.executable, "manage.py", "status"], env=environment, capture_output=True, text=True)
    assert done.returncode == 1 and "Traceback" not in done.stderr
    assert "does not answer" in done.stderr and connection.vendor == "postgresql"
