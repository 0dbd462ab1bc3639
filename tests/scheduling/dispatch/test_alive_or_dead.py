"""Promise 4: an outage of the database is no death, a process that is gone is one, and who does not listen is ended."""

import subprocess
import threading
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.db import connections

from scheduling import clock, conf
from scheduling.dispatch import local, recover
from scheduling.dispatch.cycle import run_cycle
from scheduling.lifecycle import tasks as process
from scheduling.models import Attempt, Heartbeat, SchedulerLog, SchedulerState
from scheduling.queues import claim_next
from scheduling.runs.by_hand import start_job_now
from scheduling.runs.execute import run_attempt
from scheduling.workloads import job as job_workload
from scheduling.workloads.pulse import STOPPING
from tests.scheduling.conftest import NOW
from tests.scheduling.runs.pieces import item, start

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def at_work(db, monkeypatch):
    """A task that a worker claimed at NOW."""
    monkeypatch.setattr(recover, "_last_cycle", {})
    start(item("a"), now=NOW)
    return claim_next(worker="w", now=NOW)


def outcome():
    return Attempt.objects.get().outcome


def silence():
    return conf.zombie_timeout() + timedelta(minutes=1)


@pytest.mark.parametrize("was_away", [True, False])
def test_an_outage_longer_than_the_time_out_releases_no_living_work(at_work, monkeypatch, was_away):
    run_cycle(NOW)
    back = NOW + silence()
    if was_away:  # no cycle of this process reached the database, and none of others did
        recover._last_cycle["at"] -= silence().total_seconds()
    assert run_cycle(back).zombies == (0 if was_away else 1)
    if was_away:
        assert SchedulerState.current().database_back_at == back
        Attempt.objects.update(heartbeat_at=back + timedelta(seconds=10))
        later = back + silence()
        assert run_cycle(later - timedelta(minutes=2)).zombies == 0
        assert run_cycle(later + timedelta(minutes=1)).zombies == 1, "grace ends, and silence counts again"


def test_a_gap_of_one_dispatcher_is_no_outage_while_another_one_works(at_work):
    run_cycle(NOW)
    recover._last_cycle["at"] -= silence().total_seconds()
    Heartbeat.objects.update(seen_at=NOW + silence() - timedelta(seconds=30))
    assert run_cycle(NOW + silence()).zombies == 1


def test_a_process_that_is_gone_is_noticed_at_once(at_work):
    with subprocess.Popen(["sleep", "60"]) as other:
        machine, _, _ = process.identity().partition("|")
        told = f"{machine}|{other.pid}|{process._started(other.pid)}"
        Attempt.objects.update(process=told)
        assert not process.is_gone(told)
        assert run_cycle(NOW + timedelta(seconds=1)).zombies == 0
        other.kill()
    assert process.is_gone(told)
    assert run_cycle(NOW + timedelta(seconds=2)).zombies == 1
    assert "has ended" in SchedulerLog.objects.get(event_type="zombie").message


def test_only_what_is_certain_counts_as_gone():
    mine = process.identity()
    machine, pid, started = mine.split("|")
    assert not process.is_gone(mine) and not process.is_gone("")
    assert process.is_gone(f"{machine}|{pid}|{int(started) + 1}"), "the number was given to another process"
    assert not process.is_gone(f"another|999999999|{started}"), "a machine or container of its own"


def test_an_operator_releases_what_he_knows_to_be_dead(at_work, capsys):
    call_command("release_task", str(at_work.task_id), "--json")
    assert outcome() == "lost" and "Released by command" in SchedulerLog.objects.get(event_type="zombie").message
    with pytest.raises(CommandError) as refused:
        call_command("release_task", str(at_work.task_id))
    assert refused.value.returncode == 2


def test_the_sentence_of_a_short_silence_says_how_short(at_work, settings):
    settings.ZOMBIE_TIMEOUT_MINUTES = 0.5
    run_cycle(NOW + timedelta(seconds=40))
    assert "for 40 s;" in SchedulerLog.objects.get(event_type="zombie").message


def test_what_runs_a_job_that_does_not_listen_is_ended(make_job, monkeypatch):
    monkeypatch.setattr(job_workload, "LOOK_SECONDS", 0.02)
    monkeypatch.setattr(job_workload, "DEAF_AFTER_SECONDS", 0.05)
    go_on, ended = threading.Event(), threading.Event()
    start_job_now(make_job("Deaf", body=lambda context: go_on.wait(10)), started_by="ann", now=NOW)
    attempt = claim_next(worker="w", now=NOW)
    monkeypatch.setattr(STOPPING, "when_deaf", lambda attempt_id: attempt_id == attempt.pk and ended.set())

    def work():
        run_attempt(attempt, time=clock.now)
        connections.close_all()

    thread = threading.Thread(target=work)
    thread.start()
    assert not ended.wait(0.2), "only what was given up is ended"
    Attempt.objects.update(outcome="lost", finished_at=NOW)
    assert ended.wait(10)
    go_on.set()
    thread.join(10)


def test_the_local_runner_gives_the_place_of_a_deaf_job_to_another():
    runner = local.LocalRunner(threads=1)
    place = runner._places[7] = local._Place()
    assert runner._free.acquire(blocking=False) and not runner._free.acquire(blocking=False)
    runner._go_on_without(7)
    runner._go_on_without(7)
    runner._free_place(place)
    assert runner._free.acquire(blocking=False) and not runner._free.acquire(blocking=False)
