"""Promises of the start-up checks: settings that cannot keep the promises are refused with a hint."""

import sys

import pytest
from celery.signals import worker_init
from django.core.checks import Error
from django.core.management import CommandError, call_command
from django.db import connection

from scheduling import checks, tasks
from scheduling.doctor import installation
from scheduling.jobs import discover
from scheduling.management.commands import run_local


def ids(errors) -> list[str]:
    return [error.id for error in errors]


def test_celery_on_sqlite_is_refused(settings):
    settings.CELERY_BROKER_URL = "redis://127.0.0.1:6379/0"
    expected = ["scheduling.E001"] if connection.vendor == "sqlite" else []
    assert ids(checks.celery_needs_a_server_database(None)) == expected


def test_the_embedded_profile_is_accepted(settings):
    settings.CELERY_BROKER_URL = ""
    assert checks.celery_needs_a_server_database(None) == []


def test_a_zombie_time_out_shorter_than_three_heartbeats_is_refused(settings):
    settings.HEARTBEAT_SECONDS = 10
    settings.ZOMBIE_TIMEOUT_MINUTES = 0.4
    assert ids(checks.times_fit_together(None)) == ["scheduling.E002"]
    settings.ZOMBIE_TIMEOUT_MINUTES = 0.5
    assert checks.times_fit_together(None) == []


def test_intervals_of_nothing_are_refused(settings):
    settings.DISPATCH_INTERVAL_SECONDS = 0
    assert ids(checks.intervals_are_positive(None)) == ["scheduling.E003"]


@pytest.mark.django_db
def test_a_direct_connection_passes_the_pooler_check():
    assert checks.locks_reach_one_server_session(None, databases=["default"]) == []


@pytest.mark.postgresql
@pytest.mark.django_db
def test_a_connection_through_a_transaction_pooler_is_refused(monkeypatch):
    """Such a pooler gives the same session of the server to whoever asks next."""
    only = connection.copy()
    monkeypatch.setattr(connection, "copy", lambda: only)
    only.cursor().close()
    assert ids(checks.locks_reach_one_server_session(None, databases=["default"])) == ["scheduling.E004"]
    with pytest.raises(SystemExit, match=r"through a transaction pooler.*scheduling\.E004"):
        worker_init.send(sender=None)
    monkeypatch.setattr(run_local.conf, "is_embedded", lambda: True)
    with pytest.raises(CommandError, match="through a transaction pooler"):
        call_command("run_local", skip_checks=True)
    only.close()


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("setting", "value", "told"), [("HEARTBEAT_SECONDS", 0, "E003"), ("ZOMBIE_TIMEOUT_MINUTES", 0.01, "E002")]
)
def test_no_worker_starts_with_times_that_cannot_keep_the_promises(settings, monkeypatch, setting, value, told):
    monkeypatch.setattr(tasks, "_watch", [None])  # nothing is to go on watching here
    worker_init.send(sender=None)
    setattr(settings, setting, value)
    with pytest.raises(SystemExit, match=told):
        worker_init.send(sender=None)


@pytest.mark.django_db
def test_a_database_that_does_not_answer_is_waited_for(monkeypatch):
    away = Error("away", id=installation.DATABASE_AWAY)
    monkeypatch.setattr(installation.checks, "run_checks", lambda **_: [away])
    assert installation.unfit() == ""


@pytest.mark.services
def test_a_redis_that_keeps_messages_passes_and_one_that_evicts_is_refused(settings, monkeypatch):
    assert checks.broker_keeps_messages(None, databases=["default"]) == []
    monkeypatch.setattr(checks.redis.Redis, "config_get", lambda *_: {"maxmemory-policy": "allkeys-lru"})
    assert ids(checks.broker_keeps_messages(None, databases=["default"])) == ["scheduling.E005"]


def test_a_redis_that_does_not_answer_is_no_error_of_configuration(settings):
    settings.CELERY_BROKER_URL = "redis://127.0.0.1:1/0"
    assert checks.broker_keeps_messages(None, databases=["default"]) == []


def test_a_job_that_cannot_be_declared_is_a_warning_with_place_mistake_and_mend(tmp_path, monkeypatch):
    (tmp_path / "racks_jobs.py").write_text(
        "from scheduling.jobs.declare import daily\n\n@daily('25:00')\ndef broken(context): ...\n\n"
        "@daily('06:00')\ndef fine(context): ...\n"
    )
    (tmp_path / "lost_jobs.py").write_text("import nowhere.at_all\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(discover, "OWN", (*discover.OWN, "racks_jobs", "lost_jobs"))
    try:
        (lost, broken) = checks.jobs_can_be_declared(None)
    finally:
        sys.modules.pop("racks_jobs", None)
    assert broken.msg.startswith("racks_jobs.py:3 Broken: @daily: '25:00' is not a time of day; hours go from")
    assert "lost_jobs" in lost.msg and "No module named 'nowhere'" in lost.msg
    assert ids([lost, broken]) == ["scheduling.W001"] * 2 and "sync_jobs" in broken.hint
    assert not broken.is_serious(), "a mistake in one job stops no process"


def test_our_own_jobs_pass_without_a_database():
    assert checks.jobs_can_be_declared(None) == []
