"""Faults of the database: who dies, locks, fills up, limits or restores it stops nobody else and loses nothing."""

import os
import subprocess
import sys
import threading
import time
from datetime import timedelta

import pytest
from celery.signals import worker_init
from django.conf import settings as django_settings
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection, connections, transaction
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client

from scheduling import tasks
from scheduling.dispatch import cycle
from scheduling.dispatch.cycle import cycle_lock, run_cycle
from scheduling.doctor import installation
from scheduling.management.commands import run_local
from scheduling.models import Attempt, Queue, Run, SchedulerLog, Task
from scheduling.queues import claim_next
from scheduling.runs import advance, execute
from scheduling.runs.by_hand import start_job_now
from scheduling.runs.execute import run_attempt
from scheduling.workloads import pulse
from staging.models import Batch
from tests.scheduling.conftest import NOW, work_off
from tests.scheduling.faults.conftest import TRIGGERED, somebody_else, sql, works
from tests.scheduling.runs.pieces import item, start

pytestmark = pytest.mark.django_db(transaction=True)
postgresql = pytest.mark.postgresql

MINUTE = timedelta(minutes=1)
LONG_STATEMENT = """
import django, sys
django.setup()
from django.db import connection
connection.settings_dict["NAME"] = sys.argv[1]
with connection.cursor() as cursor:
    cursor.execute("SELECT pg_backend_pid()")
    print(cursor.fetchone()[0], flush=True)
    cursor.execute("INSERT INTO fault_ghost SELECT 1 FROM pg_sleep(8)")
"""


def wait_until(condition, what):
    for _ in range(200):
        if condition():
            return
        time.sleep(0.05)
    pytest.fail(f"{what}: not within 10 s")


@postgresql
def test_the_statement_of_a_killed_process_is_ended_and_leaves_nothing():
    """PostgreSQL would notice when it has something to answer: after the whole statement, and after its commit."""
    sql("CREATE TABLE fault_ghost (id integer)")
    told = {**os.environ, "DJANGO_SETTINGS_MODULE": "tests.settings"}
    command = [sys.executable, "-c", LONG_STATEMENT, str(connection.settings_dict["NAME"])]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=told) as doomed:
        backend = int(doomed.stdout.readline())
        at_work = "SELECT 1 FROM pg_stat_activity WHERE pid = %s AND query LIKE '%%pg_sleep%%'"
        wait_until(lambda: sql(at_work, backend), "the statement runs")
        doomed.kill()
    wait_until(lambda: not sql("SELECT 1 FROM pg_stat_activity WHERE pid = %s", backend), "its session ends")
    assert sql("SELECT count(*) FROM fault_ghost") == [(0,)]


@postgresql
def test_a_cycle_whose_lock_was_cut_off_ends_well_and_the_next_one_gets_it(two, monkeypatch):
    holders = (
        "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND objid = 1 AND granted "
        "AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
    )
    cut_off = []
    monkeypatch.setattr(cycle, "note_cycle", lambda now: cut_off.extend(sql(holders)))
    assert works("branch") and len(cut_off) == 1
    with cycle_lock() as held:
        assert held


@pytest.fixture
def restored():
    """Return a function that makes the database what an older copy of it would be: nobody ever took this task."""

    def restore():
        Attempt.objects.all().delete()
        Task.objects.update(status="queued", attempts_made=0)

    return restore


def test_work_whose_claim_was_lost_with_the_server_stops_and_counts_once(make_job, restored, caplog):
    """A copy that lagged behind took over: what it never heard of is done by whoever claims it there."""
    run = start_job_now(make_job("Report", body=lambda context: restored()), started_by="ann", now=NOW)
    run_attempt(claim_next(worker="old", now=NOW), time=lambda: NOW)
    assert run.tasks.get().status == "queued" and "after it was released; ignored" in caplog.text
    assert not Attempt.objects.exists()


def test_a_batch_whose_claim_was_lost_with_the_server_merges_no_further_chunk(
    two, restored, monkeypatch, staged, settings
):
    settings.MERGE_CHUNK_ROWS = 1
    run_cycle(NOW)
    check, checks = pulse.Pulse.check, []

    def lost_at_the_second(self, done, total):
        checks.append(done)
        if len(checks) == 2:
            Attempt.objects.all().delete()
        return check(self, done, total)

    monkeypatch.setattr(pulse.Pulse, "check", lost_at_the_second)
    run_attempt(claim_next(worker="old", now=NOW), time=lambda: NOW)
    assert len(checks) == 2 and Task.objects.filter(status="completed").count() == 0
    assert staged("branch") == {0: 1}


def test_there_is_one_database_and_no_way_to_a_copy_that_lags():
    assert list(django_settings.DATABASES) == ["default"] and not django_settings.DATABASE_ROUTERS


@pytest.fixture
def read_only():
    """Let this thread's connection take no writes, as a server does that is a copy; return what ends it."""
    on, off = ("PRAGMA query_only = ON", "PRAGMA query_only = OFF")
    if connection.vendor == "postgresql":
        on, off = ("SET default_transaction_read_only = on", "SET default_transaction_read_only = off")

    def change(is_on):
        sql(on if is_on else off)

    yield change
    connection.close()


def test_a_database_that_takes_no_writes_is_told_and_what_waits_runs_when_it_does(two, read_only, api):
    caller = api()
    read_only(True)
    with pytest.raises(DatabaseError):
        run_cycle(NOW)
    answer = caller.post("entities/branch/rows", [{"code": "x", "name": "X"}])
    assert answer.status_code == 503, answer.content
    browser = Client(raise_request_exception=False)
    page = browser.post("/admin/login/", {"username": "ann", "password": "wrong"})
    assert page.status_code == 503 and b"cannot answer now" in page.content
    read_only(False)
    assert works("branch") and works("other") is False, "what was processed waits no more"
    assert Run.objects.count() == 2


@postgresql
@pytest.mark.parametrize("table", ["scheduling_schedulerconfiguration", "stg_branch"])
def test_a_lock_that_somebody_keeps_delays_nobody_else(two, impatient, table):
    """A row that a foreign transaction holds; and a change of the table that waits in line, and all behind it."""
    held = "SELECT * FROM {} WHERE entity_id = (SELECT id FROM staging_entity WHERE code = 'branch') FOR UPDATE"
    lock = held.format(table) if table.startswith("scheduling") else f"LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE"
    with somebody_else() as other:
        other.execute("BEGIN")
        other.execute(lock)
        fired = run_cycle(NOW).fired
        work_off(NOW)
        other.execute("ROLLBACK")
    assert "branch" not in fired and Batch.objects.get().entity.code == "other"
    later = NOW + timedelta(hours=2)  # whatever backs off has done so
    assert "branch" in run_cycle(later).fired


@postgresql
def test_a_deadlock_at_the_end_of_work_is_tried_again(monkeypatch):
    """Somebody locks the task and then wants the run; the engine does it the other way round, and is the victim."""
    start(item("a"), now=NOW)
    attempt = claim_next(worker="w", now=NOW)
    sql("SET deadlock_timeout = '50ms'")
    task_id, run_id = attempt.task_id, attempt.task.run_id
    has_task, wants_run, victims = threading.Event(), threading.Event(), []

    def foreign():
        with somebody_else() as other:
            other.execute("SET deadlock_timeout = '60s'")
            other.execute("BEGIN")
            other.execute("SELECT 1 FROM scheduling_task WHERE id = %s FOR UPDATE", [task_id])
            has_task.set()
            wants_run.wait(10)
            other.execute("SELECT 1 FROM scheduling_run WHERE id = %s FOR UPDATE", [run_id])
            other.execute("ROLLBACK")
        connections.close_all()

    thread = threading.Thread(target=foreign)
    end_attempt = advance.end_attempt

    def then_they_meet(*given, **named):
        monkeypatch.setattr(advance, "end_attempt", end_attempt)
        wants_run.set()
        waits = (
            "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%%scheduling_run%%UPDATE'"
        )
        with somebody_else() as watch:
            for _ in range(100):
                watch.execute(waits)
                if watch.fetchone():
                    break
                time.sleep(0.02)
        return end_attempt(*given, **named)

    monkeypatch.setattr(advance, "end_attempt", then_they_meet)
    monkeypatch.setattr(execute.clock, "sleep", lambda seconds: victims.append(seconds))
    thread.start()
    assert has_task.wait(10)
    run_attempt(attempt, time=lambda: NOW)
    thread.join(20)
    connection.close()
    assert victims, "nobody was the victim of a deadlock"
    assert list(Task.objects.values_list("status", "attempts_made")) == [("completed", 1)]


@postgresql
def test_a_batch_that_loses_a_deadlock_is_taken_up_again(two, monkeypatch):
    """Somebody lets nobody write members, and then wants the table of batches for himself, as a migration may."""
    assert run_cycle(NOW).fired
    sql("SET deadlock_timeout = '2s'")
    has_members, pauses = threading.Event(), []
    waits = "SELECT 1 FROM pg_locks WHERE relation = 'mdm_branch'::regclass AND NOT granted"

    def foreign():
        with somebody_else() as other:
            other.execute("SET deadlock_timeout = '60s'")
            other.execute("BEGIN")
            other.execute("LOCK TABLE mdm_branch IN EXCLUSIVE MODE")
            has_members.set()
            wait_until(lambda: other.execute(waits) and other.fetchone(), "the batch wants the members")
            other.execute("LOCK TABLE staging_batch IN ACCESS EXCLUSIVE MODE")
            other.execute("ROLLBACK")
        connections.close_all()

    thread = threading.Thread(target=foreign)
    monkeypatch.setattr(execute.clock, "sleep", pauses.append)
    thread.start()
    assert has_members.wait(10)
    work_off(NOW)
    thread.join(20)
    connection.close()
    assert len(pauses) == 1, "the batch was not the victim of a deadlock"
    assert list(Task.objects.values_list("status", "attempts_made")) == [("completed", 1)] * 2
    assert list(Batch.objects.values_list("status", "inserted")) == [("completed", 1)] * 2


@postgresql
@pytest.mark.parametrize(
    ("setting", "theirs", "ours"),
    [("default_transaction_isolation", "serializable", "read committed"), ("jit", "on", "off")],
)
def test_a_setting_is_ours_whatever_the_database_has_as_its_default(setting, theirs, ours):
    name = connection.ops.quote_name(connection.settings_dict["NAME"])
    sql(f"ALTER DATABASE {name} SET {setting} = '{theirs}'")
    try:
        with somebody_else() as cursor:
            cursor.execute(f"SHOW {setting}")
            assert cursor.fetchone() == (ours,)
    finally:
        sql(f"ALTER DATABASE {name} RESET {setting}")


def test_a_table_that_goes_in_the_middle_of_a_batch_stops_its_entity_in_words_and_no_other(two, monkeypatch, settings):
    """The chunk before stays; there is no endless trying again."""
    settings.MERGE_CHUNK_ROWS = 1
    sql("INSERT INTO stg_branch (code, name) VALUES ('b2', 'B2'), ('b3', 'B3')")
    run_cycle(NOW)
    check, checks = pulse.Pulse.check, []

    def gone_after_the_second(self, done, total):
        checks.extend([done] * (Task.objects.get(pk=self._task_id).entity.code == "branch"))
        if len(checks) == 2:
            checks.append(done)
            transaction.on_commit(lambda: sql("ALTER TABLE stg_branch RENAME TO fault_elsewhere"))
        return check(self, done, total)

    monkeypatch.setattr(pulse.Pulse, "check", gone_after_the_second)
    work_off(NOW)
    assert Batch.objects.get(entity__code="other").status == "completed"
    told = " ".join(SchedulerLog.objects.filter(event_type="error").values_list("message", flat=True))
    assert "stg_branch" in told
    made = Task.objects.get(entity__code="branch").attempts_made
    for hour in range(1, 4):
        run_cycle(NOW + timedelta(hours=hour))
        work_off(NOW + timedelta(hours=hour))
    assert Task.objects.filter(entity__code="branch").count() + made <= 5
    sql("ALTER TABLE fault_elsewhere RENAME TO stg_branch")


def test_no_worker_starts_before_the_last_migration(monkeypatch):
    """A migration that was killed in its middle is one that is not applied."""
    worker_init.send(sender=None)
    MigrationRecorder.Migration.objects.filter(app="scheduling").latest("id").delete()
    with pytest.raises(SystemExit, match="1 migration is not applied"):
        worker_init.send(sender=None)
    monkeypatch.setattr(run_local.conf, "is_embedded", lambda: True)
    with pytest.raises(CommandError, match="not applied"):
        call_command("run_local", skip_checks=True)
    assert tasks.not_migrated is installation.not_migrated


FAR = 3_000_000_000


def number_from(table, last):
    """Let the next row of a table have the number after this one."""
    if connection.vendor == "postgresql":
        sql("SELECT setval(pg_get_serial_sequence(%s, 'id'), %s)", table, last)
    else:
        sql("DELETE FROM sqlite_sequence WHERE name = %s", table)
        sql("INSERT INTO sqlite_sequence (name, seq) VALUES (%s, %s)", table, last)


@pytest.fixture
def old_tables(make_entity):
    """Tables that have had very many rows."""
    make_entity(**TRIGGERED)
    ours = [model._meta.db_table for model in (Run, Task, Attempt, SchedulerLog, Batch, Queue)]
    for table in (*ours, "stg_branch", "mdm_branch"):
        number_from(table, FAR)
    yield
    for table in ours:
        number_from(table, 100_000)


def test_no_number_of_ours_comes_to_its_end_at_two_thousand_millions(old_tables, deposit, staged):
    deposit(rows=3)
    assert works("branch") and staged() == {1: 3}
    assert Task.objects.get().pk > FAR and Batch.objects.get().pk > FAR
    assert sql("SELECT min(id) FROM mdm_branch")[0][0] > FAR
