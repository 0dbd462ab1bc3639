"""Promises of the start-up checks: settings that cannot keep the promises are refused with a hint."""

import pytest
from django.db import connection

from scheduling import checks


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


@pytest.mark.services
def test_a_redis_that_keeps_messages_passes_and_one_that_evicts_is_refused(settings, monkeypatch):
    assert checks.broker_keeps_messages(None, databases=["default"]) == []
    monkeypatch.setattr(checks.redis.Redis, "config_get", lambda *_: {"maxmemory-policy": "allkeys-lru"})
    assert ids(checks.broker_keeps_messages(None, databases=["default"])) == ["scheduling.E005"]


def test_a_redis_that_does_not_answer_is_no_error_of_configuration(settings):
    settings.CELERY_BROKER_URL = "redis://127.0.0.1:1/0"
    assert checks.broker_keeps_messages(None, databases=["default"]) == []
