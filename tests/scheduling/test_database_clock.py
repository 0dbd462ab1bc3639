"""Promise 11: one clock. A host whose clock is off goes by the database's, and too far off it takes no work."""

from datetime import timedelta

import pytest
from django.core.management import call_command
from django.db import connection

from scheduling import checks, clock, conf, tasks
from scheduling.dispatch.cycle import run_cycle
from scheduling.errors import SchedulingError
from scheduling.explanations.why_not import why_not
from scheduling.models import Attempt, Heartbeat, Run, SchedulerConfiguration, SchedulerLog, Task
from scheduling.runs.by_hand import start_batch_now
from scheduling.runs.execute import execute_task, work_off_line

pytestmark = pytest.mark.django_db

HOUR = timedelta(hours=1)


@pytest.fixture
def host_clock(monkeypatch):
    """Return a function that puts this host's clock wrong by so much; the database's stays right."""
    right = clock.of_this_host

    def put(by):
        monkeypatch.setattr(clock, "of_this_host", lambda: right() + by)
        if connection.vendor == "postgresql":
            clock.follow(at_once=True)
        else:  # its file has no clock; another database would have answered this
            monkeypatch.setattr(clock, "_ask", lambda _: clock.note_ahead(by))
            clock.note_ahead(by)

    yield put
    monkeypatch.undo()
    clock.note_ahead(timedelta())


@pytest.mark.parametrize("off", [HOUR, -HOUR, timedelta(seconds=20)])
def test_time_is_the_databases_whatever_this_host_says(host_clock, off):
    right = clock.of_this_host()
    host_clock(off)
    assert abs(clock.now() - right) < timedelta(seconds=5)
    assert abs(clock.ahead() - off) < timedelta(seconds=2)


@pytest.mark.parametrize("off", [HOUR, -HOUR])
def test_a_cycle_on_a_host_with_a_wrong_clock_uses_up_nothing_and_says_so(host_clock, make_entity, off, capsys):
    now = clock.now()
    due = make_entity(
        processing_mode="scheduled", schedule_type="cron", cron_expression="* * * * *",
        next_scheduled_run=now + timedelta(minutes=5), armed_from=now,
    )  # fmt: skip
    before = SchedulerConfiguration.objects.filter(pk=due.pk).values().get()
    host_clock(off)
    for _ in range(2):
        report = run_cycle(clock.of_this_host())
        assert not report.ran and "clock" in report.as_json()["reason"]
    assert SchedulerConfiguration.objects.filter(pk=due.pk).values().get() == before
    assert not Run.objects.exists() and not Heartbeat.objects.filter(name=Heartbeat.DISPATCHER).exists()
    sentence = clock.trouble()
    assert ("ahead of" if off > timedelta() else "behind") in sentence
    assert SchedulerLog.objects.filter(event_type="error", message=sentence).count() == 1
    call_command("status", "--json")
    assert "runs no cycle" in capsys.readouterr().out
    assert [error.id for error in checks.clock_is_the_databases(None, databases=["default"])] == ["scheduling.E006"]
    due.refresh_from_db()
    assert any("runs no cycle" in note for note in why_not(due, now=clock.now()).notes)


def test_a_worker_with_a_wrong_clock_takes_no_work(host_clock, make_entity, deposit, admin_client):
    configuration = make_entity()
    deposit()
    task = start_batch_now(configuration, started_by="ann", now=clock.now()).task
    host_clock(HOUR)
    assert work_off_line(task.pk, worker="w") == 0
    with pytest.raises(SchedulingError, match="clock"):
        execute_task(task.pk, worker="command")
    assert not Attempt.objects.exists()
    tasks._note_sign_of_life(clock.now())
    page = admin_client.get("/admin/scheduling/heartbeat/").content.decode()
    assert "takes no work" in page and "ahead of the database" in page


def test_within_the_tolerance_work_goes_on_by_the_databases_clock(host_clock, make_entity, deposit):
    configuration = make_entity()
    deposit()
    right = clock.now()
    host_clock(conf.clock_tolerance() - timedelta(seconds=10))
    task = start_batch_now(configuration, started_by="ann", now=clock.now()).task
    assert execute_task(task.pk, worker="w")
    attempt = Attempt.objects.get()
    ended = Task.objects.get().finished_at
    configuration.refresh_from_db()
    for instant in (attempt.claimed_at, attempt.heartbeat_at, ended, configuration.last_completed_at):
        assert abs(instant - right) < timedelta(seconds=8)
