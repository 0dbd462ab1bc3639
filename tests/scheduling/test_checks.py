"""Promises of the start-up checks: settings that cannot keep the promises are refused with a hint."""

import sys

import pytest
from django.db import connection

from scheduling import checks
from scheduling.jobs import discover


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
    only.close()


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
