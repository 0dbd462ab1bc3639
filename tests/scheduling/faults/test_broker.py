"""Faults of the broker, of a Redis of our own: full, restarted, with a policy that loses; and messages of any order."""

import os
import random
import shutil
import socket
import subprocess
import sys
import time
from datetime import timedelta

import pytest
import redis
from celery.signals import worker_init
from django.conf import settings as django_settings
from django.db import connection

from scheduler_project.celery import app
from scheduling import broker, checks, tasks
from scheduling.dispatch.recover import resend
from scheduling.models import Task
from scheduling.runs.execute import work_off_line
from tests.house.source import ROOT
from tests.needs import lacking
from tests.scheduling.conftest import NOW
from tests.scheduling.runs.pieces import RAN, item, start

pytestmark = pytest.mark.django_db(transaction=True)


class OwnRedis:
    """A Redis that a test may treat as it likes; what it holds is lost when it is started anew."""

    def __init__(self):
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.start()

    def start(self):
        """Start it and wait until it answers."""
        command = ["redis-server", "--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        self.client = redis.Redis(port=self.port, retry_on_error=[redis.ConnectionError])
        for _ in range(200):
            try:
                return self.client.ping()
            except redis.ConnectionError:
                time.sleep(0.02)
        raise AssertionError("redis-server does not start")

    def kill(self):
        """Kill it, and whatever it held."""
        self.client.close()
        self.process.kill()
        self.process.wait()

    def length(self):
        """Return how many messages wait."""
        prefix = django_settings.CELERY_BROKER_TRANSPORT_OPTIONS["global_keyprefix"]
        return self.client.llen(f"{prefix}{django_settings.CELERY_TASK_DEFAULT_QUEUE}")


@pytest.fixture
def own(settings, monkeypatch):
    """A Redis of our own as the broker; skipped where there is no program to start."""
    if shutil.which("redis-server") is None:
        lacking("redis-server is not on this machine")
    server = OwnRedis()
    settings.CELERY_BROKER_URL = f"redis://127.0.0.1:{server.port}/0"
    monkeypatch.setenv("CELERY_BROKER_URL", settings.CELERY_BROKER_URL)  # Celery prefers it to the setting
    monkeypatch.setattr(broker, "_left_alone_until", {"monotonic": float("-inf")})
    broker._sender.cache_clear()
    yield server
    broker._sender().close()
    broker._sender.cache_clear()
    server.kill()


def try_again(monkeypatch):
    """Let the pause after a failure be over."""
    monkeypatch.setattr(broker, "_left_alone_until", {"monotonic": float("-inf")})


def test_a_broker_without_memory_refuses_messages_and_recovery_sends_them_again(own, monkeypatch, caplog):
    own.client.config_set("maxmemory", "1mb")
    start(item("a"), now=NOW)
    assert Task.objects.get().status == "queued", "what was to be told is stored whether it could be told or not"
    assert "used memory > 'maxmemory'" in caplog.text and own.length() == 0
    own.client.config_set("maxmemory", "0")
    try_again(monkeypatch)
    assert resend(NOW + timedelta(minutes=2)) == 1 and own.length() == 1


def test_a_broker_that_died_with_all_its_messages_gets_them_again(own, monkeypatch):
    start(item("a"), now=NOW)
    assert own.length() == 1
    own.kill()
    try_again(monkeypatch)
    resend(NOW + timedelta(minutes=2))
    own.start()
    try_again(monkeypatch)
    assert own.length() == 0
    resend(NOW + timedelta(minutes=4))
    assert own.length() == 1


@pytest.mark.parametrize(("policy", "found"), [("noeviction", []), ("allkeys-lru", ["scheduling.E005"])])
def test_a_policy_that_throws_messages_away_is_refused_at_the_start(own, policy, found):
    own.client.config_set("maxmemory-policy", policy)
    assert [each.id for each in checks.broker_keeps_messages(None, databases=["default"])] == found


def test_no_worker_and_no_beat_starts_with_such_a_policy(own, tmp_path):
    """Celery runs the checks of Django and looks at no answer of theirs."""
    own.client.config_set("maxmemory-policy", "allkeys-lru")
    with pytest.raises(SystemExit, match=r"Redis evicts keys.*scheduling\.E005"):
        worker_init.send(sender=tasks)
    name = connection.settings_dict["NAME"]
    server = os.environ["DATABASE_URL"].rpartition("/")[0] if connection.vendor == "postgresql" else "sqlite:///"
    told = {**os.environ, "SECRET_KEY": django_settings.SECRET_KEY, "DATABASE_URL": f"{server}/{name}"}
    beat = [sys.executable, "-m", "celery", "-A", "scheduler_project", "beat", "--schedule", str(tmp_path / "beat")]
    done = subprocess.run(beat, cwd=ROOT, env=told, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and "scheduling.E005" in done.stderr, done.stderr


def test_messages_of_any_order_hours_late_and_doubled_run_everything_once_in_its_order():
    for number in range(4):
        start(item("a"), item("b", "a"), item("c", "b"), now=NOW, key=f"run {number}")
    messages = [task.pk for task in Task.objects.all()] * 3
    random.Random(7).shuffle(messages)
    later = NOW + timedelta(hours=5)
    for task_id in messages:
        work_off_line(task_id, worker="late", time=lambda: later)
    assert sorted(RAN) == ["a"] * 4 + ["b"] * 4 + ["c"] * 4
    assert set(Task.objects.values_list("status", "attempts_made")) == {("completed", 1)}


def test_no_time_of_the_broker_gives_a_message_to_a_second_worker():
    """A message is acknowledged before its work, however long that takes: nothing of Redis counts the hours."""
    assert django_settings.CELERY_TASK_ACKS_LATE is False
    assert "visibility_timeout" not in django_settings.CELERY_BROKER_TRANSPORT_OPTIONS


def test_messages_are_json_and_nothing_else():
    assert django_settings.CELERY_ACCEPT_CONTENT == ["json"] and django_settings.CELERY_TASK_SERIALIZER == "json"
    assert set(app.conf.accept_content) == {"json"} and app.conf.event_serializer == "json"
