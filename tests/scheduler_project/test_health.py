"""Liveness says the process lives, readiness that it can serve; neither cares for host names or HTTPS."""

from datetime import timedelta

import pytest
from django.db import OperationalError, connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client

from scheduler_project.health import HealthMiddleware
from scheduling import clock, conf
from scheduling.models import Heartbeat


def test_liveness_needs_no_database(client: Client):
    answer = client.get("/healthz")
    assert (answer.status_code, answer.json()) == (200, {"status": "alive"})


@pytest.fixture
def cycle(db: None) -> None:
    Heartbeat.note(Heartbeat.DISPATCHER, Heartbeat.DISPATCHER, clock.now())


def test_readiness_says_ready_where_nothing_is_missing(client: Client, cycle):
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json()) == (200, {"status": "ready"})


@pytest.mark.django_db
def test_readiness_waits_for_the_last_migration(client: Client):
    (last,) = MigrationLoader(connection).graph.leaf_nodes("scheduling")
    MigrationRecorder(connection).record_unapplied(*last)
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json()) == (
        503,
        {"status": "migrations are not applied", "missing": ["migrations"]},
    )


def test_readiness_reports_a_database_that_is_away(client: Client, monkeypatch: pytest.MonkeyPatch):
    class Away:
        def cursor(self) -> None:
            raise OperationalError("connection refused by 10.0.0.7")

    monkeypatch.setattr("scheduler_project.health.connection", Away())
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json()) == (
        503,
        {"status": "the database does not answer", "missing": ["database"]},
    )


def test_readiness_waits_for_a_cycle_and_for_the_broker(client: Client, db, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("scheduler_project.health.broker.trouble", lambda: "no")
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json()["missing"]) == (503, ["broker", "last cycle"])
    monkeypatch.setattr("scheduler_project.health.broker.trouble", lambda: "")
    Heartbeat.note(
        Heartbeat.DISPATCHER, Heartbeat.DISPATCHER, clock.now() - conf.cycle_silence() - timedelta(seconds=9)
    )
    answer = client.get("/readyz")
    assert answer.json() == {"status": "no cycle has run lately", "missing": ["last cycle"]}


def test_a_probe_by_address_and_plain_http_is_answered(client: Client, settings):
    settings.ALLOWED_HOSTS = ["scheduler.example.com"]
    settings.SECURE_SSL_REDIRECT = True
    assert client.get("/healthz", headers={"host": "10.1.2.3:8000"}).status_code == 200


@pytest.mark.django_db
def test_anything_else_passes_through(client: Client):
    assert client.get("/healthz/more").status_code == 404


def test_it_stands_before_all_that_asks_for_a_host_or_for_https(settings):
    place = settings.MIDDLEWARE.index(f"{HealthMiddleware.__module__}.{HealthMiddleware.__name__}")
    assert all(name.startswith("scheduler_project.") for name in settings.MIDDLEWARE[:place])
