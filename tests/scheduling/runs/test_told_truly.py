"""Promise: what is recorded and logged is what happened: starts, slots, and each fault once."""

import logging
from datetime import timedelta
from types import SimpleNamespace

import pytest

from scheduling import queues
from scheduling.dispatch import cycle
from scheduling.dispatch.cycle import run_cycle
from scheduling.jobs.declare import every
from scheduling.models import Attempt, JobSchedule, Run, SchedulerLog
from scheduling.queues import claim, claim_next
from scheduling.runs.by_hand import start_job_now
from scheduling.runs.execute import execute_task, run_attempt, work_off_line
from scheduling.workloads import pulse
from tests.scheduling.conftest import NOW
from tests.scheduling.runs.pieces import item, start

pytestmark = pytest.mark.django_db

WAITED = timedelta(seconds=2)


@pytest.mark.parametrize("door", ["a wake-up", "a command", "the local runner"])
def test_a_task_starts_after_what_it_waited_for(monkeypatch, door):
    """The lock of the queue is held by the claim before; its task ends while this one waits."""
    task_id = start(item("a"), now=NOW).tasks.get().pk
    clock, lock_queue = SimpleNamespace(at=NOW), queues.lock_queue

    def waits(queue_id):
        lock_queue(queue_id)
        clock.at = NOW + WAITED

    monkeypatch.setattr(queues, "lock_queue", waits)
    if door == "a wake-up":
        work_off_line(task_id, worker="w", time=lambda: clock.at)
    elif door == "a command":
        execute_task(task_id, worker="w", time=lambda: clock.at)
    else:
        claim_next(worker="w", now=clock.at, time=lambda: clock.at)
    attempt = Attempt.objects.select_related("task").get()
    assert attempt.claimed_at == attempt.task.started_at == NOW + WAITED


def test_without_a_clock_it_starts_when_it_was_told():
    task_id = start(item("a"), now=NOW).tasks.get().pk
    assert claim(task_id, worker="w", now=NOW).claimed_at == NOW


def test_a_slot_that_fired_is_not_told_as_skipped_when_two_cycles_overlap(make_job, monkeypatch):
    make_job("Tick", every("1m"))
    JobSchedule.objects.update(next_scheduled_run=NOW, armed_from=NOW - timedelta(minutes=1))
    decide, nested = cycle._decide_and_fire, []

    def second_cycle_reads_before_the_first_fires(report):
        if not nested:
            nested.append(True)
            stale = [schedule for kind in cycle.KINDS for schedule in kind.due(report.now)]
            decide(report)  # the first cycle fires the slot
            monkeypatch.setattr(type(cycle.KINDS[2]), "due", lambda kind, now: stale if kind is cycle.KINDS[2] else [])
        decide(report)

    monkeypatch.setattr(cycle, "_decide_and_fire", second_cycle_reads_before_the_first_fires)
    run_cycle(NOW)
    assert Run.objects.filter(scheduled_for=NOW).count() == 1
    assert list(SchedulerLog.objects.values_list("event_type", flat=True)) == ["fired"]


@pytest.mark.django_db(transaction=True)
def test_the_error_of_a_job_is_once_in_the_process_log_and_once_in_its_own(make_job, caplog):
    def body(context):
        raise ValueError("no such shelf")

    start_job_now(make_job("Report", body=body), started_by="ann", now=NOW)
    with caplog.at_level(logging.INFO):
        run_attempt(claim_next(worker="w", now=NOW), time=lambda: NOW)
    traces = [record for record in caplog.records if record.exc_info and "no such shelf" in str(record.exc_info[1])]
    assert len(traces) == 1
    assert Attempt.objects.get().log.lines.count("ValueError: no such shelf") == 1


def test_an_attempt_that_cannot_beat_says_so_once_and_nothing_untrue(caplog, monkeypatch):
    beats = pulse.Pulse.__new__(pulse.Pulse)
    rounds = iter(range(5))
    monkeypatch.setattr(pulse.Pulse, "_beat_once", lambda self: None)
    monkeypatch.setattr(pulse.connections, "close_all", lambda: None)
    stop = SimpleNamespace(is_set=lambda: next(rounds, None) is None, wait=lambda seconds: None)
    lost = pulse.threading.Event()
    for name, value in {"_stop": stop, "_lost": lost, "_last_beat": float("-inf"), "_task_id": 1}.items():
        monkeypatch.setattr(beats, name, value, raising=False)
    beats._beat_until_stopped()
    told = [record.getMessage() for record in caplog.records if "heartbeat" in record.getMessage()]
    assert len(told) == 1 and "stops itself" not in told[0] and lost.is_set()
