"""Promise 4: a worker that is told to stop hands its work back as interrupted, and no attempt is used."""

import os
import subprocess
import threading
import time

import pytest
from django.db import OperationalError, connection, connections

from scheduling import clock
from scheduling.errors import FatalJobError
from scheduling.models import Attempt, SchedulerConfiguration, SchedulerLog, Task
from scheduling.queues import claim_next
from scheduling.runs import advance
from scheduling.runs.by_hand import start_batch_now, start_job_now
from scheduling.runs.cancel import cancel_run
from scheduling.runs.execute import run_attempt, work_off_line
from scheduling.runs.ordered import call, submit
from scheduling.runs.restart import manifest_of
from scheduling.workloads import call as calls
from scheduling.workloads import job as job_workload
from scheduling.workloads import pulse
from scheduling.workloads.pulse import STOPPING, Pulse
from staging.models import Batch
from tests.scheduling.conftest import NOW, work_off

pytestmark = pytest.mark.django_db(transaction=True)

HOUR = 3600.0


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(job_workload, "LOOK_SECONDS", 0.02)
    yield
    STOPPING.forget()


def tell(grace=HOUR, then=lambda: None):
    STOPPING.tell(grace=grace, then=then)


@pytest.fixture
def start_job(make_job):
    """Return a function that declares and starts a job with this body; it has one attempt."""

    def start(body):
        return start_job_now(make_job("Report", body=body), started_by="ann", now=NOW)

    return start


def attempts():
    return list(Attempt.objects.order_by("number").values_list("number", "outcome"))


def test_a_batch_stops_at_its_next_chunk_and_is_carried_on_with_no_attempt_used(
    make_entity, deposit, staged, monkeypatch, settings
):
    settings.MERGE_CHUNK_ROWS = 2
    configuration = make_entity()
    deposit(rows=6)
    start_batch_now(configuration, started_by="ann", now=NOW)
    checked, check = [], Pulse.check

    def check_and_stop(pulse, done, total):
        checked.append(done)
        if done:
            tell()
        return check(pulse, done, total)

    monkeypatch.setattr(Pulse, "check", check_and_stop)
    run_attempt(claim_next(worker="w", now=NOW), time=lambda: NOW)
    task = Task.objects.get()
    assert (task.status, task.next_attempt_at) == ("queued", None)
    assert task.attempts_allowed - task.attempts_made == 1, "an attempt was used"
    assert attempts()[0] == (1, "interrupted") and 0 < staged()[0] <= 6
    held = SchedulerConfiguration.objects.get(pk=configuration.pk)
    assert held.is_running and held.running_task_id == task.pk and held.consecutive_failures == 0
    assert Batch.objects.get().status == "running"

    monkeypatch.setattr(Pulse, "check", check)
    STOPPING.forget()
    work_off(NOW)
    assert staged() == {1: 6} and Batch.objects.get().status == "completed"
    assert SchedulerLog.objects.filter(event_type="interrupted").count() == len(attempts()) - 1


def listens(context):
    tell()
    while not context.cancelled:
        pass


def looks_and_raises(context):
    tell()
    while True:
        context.check_cancelled()


def loses_its_program(context):
    timer = threading.Timer(0.1, tell)  # the signal ends the program before this process has noticed it
    timer.start()
    raise subprocess.CalledProcessError(-15, ["load", "region"])


def loses_the_program_of_a_shell(context):
    tell()
    try:
        raise subprocess.CalledProcessError(143, ["load", "region"])
    except subprocess.CalledProcessError as error:
        raise RuntimeError("the load failed") from error


def is_broken_off(context):
    tell()
    raise SystemExit(-241)  # what a pool of Celery raises in a child


@pytest.mark.parametrize(
    "body", [listens, looks_and_raises, loses_its_program, loses_the_program_of_a_shell, is_broken_off]
)
def test_a_job_that_is_stopped_is_no_failure_of_the_job(start_job, body):
    run = start_job(body)
    run_attempt(claim_next(worker="w", now=NOW), time=lambda: NOW)
    task = run.tasks.get()
    assert (task.status, task.attempts_allowed - task.attempts_made) == ("queued", 1)
    assert attempts() == [(1, "interrupted")]
    assert not SchedulerLog.objects.filter(event_type="error").exists()
    assert manifest_of(run)[0].attempts == 1, "a restart would give one attempt more"


def test_what_ends_by_itself_within_the_grace_counts(start_job):
    def body(context):
        tell()
        return "all of it"

    run = start_job(body)
    run_attempt(claim_next(worker="w", now=NOW), time=lambda: NOW)
    run.refresh_from_db()
    assert run.status == "completed" and run.tasks.get().message == "all of it"


def fatal(context):
    tell()
    raise FatalJobError("pointless")


def a_program_of_another_fault(context):
    raise subprocess.CalledProcessError(1, ["load"])


@pytest.mark.parametrize("body", [fatal, a_program_of_another_fault])
def test_a_failure_of_the_job_itself_stays_one(start_job, body):
    run = start_job(body)
    run_attempt(claim_next(worker="w", now=NOW), time=lambda: NOW)
    run.refresh_from_db()
    assert run.status == "failed"


def test_a_program_that_was_ended_while_the_worker_stays_is_a_failure(start_job, monkeypatch):
    monkeypatch.setattr(pulse, "_NOTICED_WITHIN_SECONDS", 0.1)

    def body(context):
        raise subprocess.CalledProcessError(-15, ["load"])

    run = start_job(body)
    run_attempt(claim_next(worker="w", now=NOW), time=lambda: NOW)
    run.refresh_from_db()
    assert run.status == "failed"


def test_a_job_that_does_not_listen_is_handed_back_after_the_grace_and_then_ended(start_job):
    ended, go_on = threading.Event(), threading.Event()
    run = start_job(lambda context: go_on.wait(10) and "late")
    attempt = claim_next(worker="w", now=NOW)

    def work():
        run_attempt(attempt, time=lambda: NOW)
        connections.close_all()

    thread = threading.Thread(target=work)
    thread.start()
    while not STOPPING._held:
        pass
    tell(grace=0.05, then=ended.set)
    assert ended.wait(10)
    assert run.tasks.get().status == "queued" and attempts() == [(1, "interrupted")]
    go_on.set()
    thread.join(10)
    assert run.tasks.get().status == "queued", "the late end of a fenced-off attempt was written"


def test_a_database_that_does_not_answer_keeps_no_process_from_its_end(monkeypatch, caplog):
    """A file of SQLite that somebody has locked, a frozen server: each hand-back waits for its own time-out."""
    monkeypatch.setattr(pulse, "HANDS_BACK_WITHIN_SECONDS", 0.1)
    ended, answers = threading.Event(), threading.Event()
    with STOPPING.working(lambda: answers.wait(10)):
        tell(grace=0.0, then=ended.set)
        assert ended.wait(5)
        answers.set()
    assert "could not hand back what runs within" in caplog.text


def test_a_child_process_of_a_job_hands_back_none_of_its_parents_work():
    with STOPPING.working(lambda: None):
        child = os.fork()
        if child == 0:
            os._exit(len(STOPPING._held))
        assert os.waitpid(child, 0)[1] == 0 and len(STOPPING._held) == 1


def test_a_task_that_people_cancelled_stays_cancelled(start_job):
    def body(context):
        cancel_run(run, by="ann", now=NOW)
        tell()
        raise RuntimeError("broken off")

    run = start_job(body)
    run_attempt(claim_next(worker="w", now=NOW), time=lambda: NOW)
    run.refresh_from_db()
    assert run.status == "cancelled"


def test_a_worker_that_is_to_stop_takes_nothing_and_wakes_another(start_job, monkeypatch):
    from scheduling.runs import execute

    woken = []
    monkeypatch.setattr(execute, "wake_line", lambda *args: woken.append(args))
    run = start_job(lambda context: "done")
    tell()
    assert work_off_line(run.tasks.get().pk, worker="w", time=lambda: NOW) == 0
    assert run.tasks.get().status == "queued" and len(woken) == 1


@pytest.mark.parametrize("way", ["asks", "is told by an error"])
def test_a_declared_function_hears_of_the_stop(way, monkeypatch):
    def body(context):
        tell()
        while way == "is told by an error" or not context.cancelled:
            if way == "is told by an error":
                context.progress(1, 2)
            time.sleep(0.01)

    monkeypatch.setattr(job_workload, "LOOK_SECONDS", 0.05)
    monkeypatch.setitem(calls._CALLS, "report", body)
    run = submit([(1, call("report"))], title="R", submitted_by="ann", now=NOW)
    run_attempt(claim_next(worker="w", now=NOW), time=lambda: NOW)
    assert run.tasks.get().status == "queued" and attempts() == [(1, "interrupted")]


@pytest.mark.parametrize("stop", [KeyboardInterrupt, SystemExit])
def test_a_command_that_is_broken_off_hands_its_work_back(monkeypatch, stop):
    def broken_off(*_):
        raise stop

    monkeypatch.setitem(calls._CALLS, "report", lambda context: None)
    monkeypatch.setattr(calls, "execute", broken_off)
    run = submit([(1, call("report"))], title="R", submitted_by="ann", now=NOW)
    with pytest.raises(stop):
        run_attempt(claim_next(worker="command", now=NOW), time=lambda: NOW)
    assert run.tasks.get().status == "queued"


@pytest.mark.postgresql
def test_work_whose_connection_was_lost_meanwhile_is_handed_back_all_the_same(start_job, monkeypatch):
    """The work asked the database for nothing since, so that nobody had noticed."""
    monkeypatch.setattr(clock, "sleep", lambda seconds: None)

    def body(context):
        tell()
        connection.ensure_connection()
        connection.connection.close()
        STOPPING.check()

    run = start_job(body)
    run_attempt(claim_next(worker="w", now=NOW), time=lambda: NOW)
    assert run.tasks.get().status == "queued" and attempts() == [(1, "interrupted")]


def test_a_run_that_is_locked_for_a_while_does_not_keep_its_work_from_being_handed_back(start_job, monkeypatch):
    from scheduling.runs import execute

    locked = iter([OperationalError("lock timeout")])

    def first_locked(*of, **more):
        for error in locked:
            raise error
        return advance.hand_back(*of, **more)

    monkeypatch.setattr(execute, "hand_back", first_locked)
    monkeypatch.setattr(clock, "sleep", lambda seconds: None)
    run = start_job(listens)
    run_attempt(claim_next(worker="w", now=NOW), time=lambda: NOW)
    assert run.tasks.get().status == "queued" and attempts() == [(1, "interrupted")]


def test_what_was_released_before_is_not_handed_back(start_job):
    start_job(lambda context: None)
    attempt = claim_next(worker="w", now=NOW)
    assert advance.hand_back(attempt, attempt.task, now=NOW)
    assert not advance.hand_back(attempt, attempt.task, now=NOW)
