"""Promises of the doctor: each finding is found when it is so, and the command it names as its mend mends it."""

import re
import shlex
import subprocess
from contextlib import closing
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import call_command
from django.db import OperationalError, connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from scheduling import clock, conf
from scheduling.doctor import examine, installation, sizes
from scheduling.doctor.examine import findings
from scheduling.doctor.finding import DoctorFinding, Level
from scheduling.doctor.patient import Patient
from scheduling.lifecycle import events
from scheduling.models import (
    Attempt,
    Heartbeat,
    Plan,
    Queue,
    Run,
    SchedulerConfiguration,
    SchedulerState,
    SqlScript,
    Task,
)
from scheduling.queues import claim_next
from scheduling.runs.by_hand import start_batch_now
from scheduling.runs.intervene import hold_step
from scheduling.schedules.pause import pause_everything
from scheduling.schedules.tzdata import installed_version
from staging.identifiers import quote, staging_table
from staging.sql.dialect import OfItself, Server, dialect
from tests.scheduling.conftest import work_off

pytestmark = pytest.mark.django_db

DAY = timedelta(days=1)
# What the machine that runs the tests is like: an account that may do anything, and whatever DEBUG and HTTPS are.
OF_THE_TESTS = re.compile(r"database\.superuser|security\.")


def found() -> dict[str, DoctorFinding]:
    return {one.id: one for one in findings() if not OF_THE_TESTS.match(one.id)}


def mend(finding: DoctorFinding) -> None:
    """Run the command that a finding names."""
    _, _, command = finding.mend.partition("Run: manage.py ")
    assert command, f"{finding.id} names no command: {finding.mend}"
    call_command(*shlex.split(command), stdout=StringIO())


@pytest.fixture
def alive(db: None):
    """An installation at work: a cycle and a worker gave signs of life just now."""
    now = clock.now()
    Heartbeat.note(Heartbeat.DISPATCHER, Heartbeat.DISPATCHER, now)
    Heartbeat.note("local@h:1", Heartbeat.WORKER, now)
    return now


def test_a_healthy_installation_has_no_findings(alive, make_entity, deposit):
    start_batch_now(make_entity(), started_by="ann", now=alive)
    work_off(alive)
    assert found() == {}


def test_errors_stand_before_warnings(alive):
    Heartbeat.objects.all().delete()
    pause_everything(by="ann", reason="stock-taking", until=None, now=alive)
    assert [one.level for one in findings() if not OF_THE_TESTS.match(one.id)] == [
        Level.ERROR, Level.ERROR, Level.WARNING,
    ]  # fmt: skip


# --- settings, database, broker, clock ---


def test_a_database_that_is_away_is_the_only_finding(monkeypatch):
    def away(**_: object) -> None:
        raise OperationalError("connection refused")

    monkeypatch.setattr("scheduling.doctor.examine.clock.follow", away)
    (finding,) = findings()
    assert (finding.id, finding.level) == ("database.away", Level.ERROR)
    assert "connection refused" in finding.text


def test_a_migration_that_is_not_applied_is_the_only_finding_and_migrate_mends_it(alive):
    (last,) = MigrationLoader(connection).graph.leaf_nodes("scheduling")
    MigrationRecorder(connection).record_unapplied(*last)
    try:
        (finding,) = findings()
        assert finding.id == "database.migrations" and last[1] in finding.text
        assert finding.mend == "Run: manage.py migrate"
    finally:
        MigrationRecorder(connection).record_applied(*last)
    assert found() == {}


def test_a_setting_that_cannot_keep_the_promises(alive, settings):
    settings.ZOMBIE_TIMEOUT_MINUTES = 0.1
    finding = found()["scheduling.E002"]
    assert finding.level == Level.ERROR and "ZOMBIE_TIMEOUT_MINUTES" in finding.mend
    settings.SILENCED_SYSTEM_CHECKS = ["scheduling.E002"]
    assert "scheduling.E002" not in found()


def test_the_settings_of_production_are_looked_at_in_production_only(alive, settings, monkeypatch):
    settings.DEBUG = True
    monkeypatch.setattr(conf, "is_embedded", lambda: True)
    assert "security.W018" not in {one.id for one in findings()}
    monkeypatch.setattr(conf, "is_embedded", lambda: False)
    assert "security.W018" in {one.id for one in findings()}


def test_a_broker_that_does_not_answer_is_an_error(alive, monkeypatch):
    monkeypatch.setattr("scheduling.checks.broker.trouble", lambda: "The broker does not answer: no.")
    assert found()["scheduling.W002"].level == Level.ERROR


@pytest.mark.parametrize(
    ("row", "name"),
    [
        (Server(14, "UTF8", False), "database.version"),
        (Server(15, "SQL_ASCII", False), "database.encoding"),
        (Server(15, "UTF8", True), "database.superuser"),
    ],
)
def test_a_server_that_does_not_fit(alive, monkeypatch, row, name):
    monkeypatch.setattr(Patient, "database", OfItself({}, row))
    assert [one.id for one in findings() if one.id.startswith("database.")] == [name]


@pytest.mark.postgresql
def test_the_server_is_asked(alive):
    version, encoding, is_superuser, _ = dialect().of_itself([]).server
    assert (version >= 15, encoding, type(is_superuser)) == (True, "UTF8", bool)


@pytest.mark.postgresql
def test_a_transaction_that_somebody_left_open_is_told(alive, monkeypatch):
    """As a report that was left open over night does."""
    foreign = connection.copy()
    with closing(foreign), foreign.cursor() as other:
        other.execute("BEGIN")
        other.execute("SELECT pg_backend_pid()")
        process = other.fetchone()[0]
        assert "database.transaction" not in found()
        monkeypatch.setattr(installation, "_OPEN_TOO_LONG", timedelta())
        finding = found()["database.transaction"]
    assert finding.level == Level.WARNING and finding.mend.endswith(f"({process})")


@pytest.mark.postgresql
def test_scripts_without_their_role(alive, settings):
    SqlScript.objects.create(name="Refresh", sql="SELECT 1")
    assert "scripts.role" not in found()
    settings.SCRIPT_ROLE = "staging_scripts_of_the_doctor"
    finding = found()["scripts.role"]
    try:
        call_command("create_script_role", stdout=StringIO())
        assert "scripts.role" not in found()
    finally:
        with connection.cursor() as cursor:
            cursor.execute(f"DROP ROLE {settings.SCRIPT_ROLE}")
    assert "create_script_role" in finding.mend


def test_other_time_zone_data_is_told_and_mended(alive):
    SchedulerState.objects.update_or_create(pk=1, defaults={"tzdata_version": "2001a"})
    mend(found()["time_zones.version"])
    assert SchedulerState.current().tzdata_version == installed_version()
    assert "time_zones.version" not in found()


def test_a_clock_that_drifts_is_told_before_it_is_too_far_off(alive, monkeypatch):
    monkeypatch.setattr(clock, "follow", lambda **_: None)
    monkeypatch.setattr(clock, "ahead", lambda: timedelta(seconds=-5))
    assert found()["clock.drift"].level == Level.WARNING
    monkeypatch.setattr(clock, "ahead", lambda: timedelta(seconds=1))
    assert "clock.drift" not in found()


# --- who is alive ---


def test_no_cycle_at_all_and_one_that_fell_silent(alive):
    Heartbeat.objects.filter(name=Heartbeat.DISPATCHER).delete()
    assert "cycle.never" in found()
    Heartbeat.note(Heartbeat.DISPATCHER, Heartbeat.DISPATCHER, alive - conf.cycle_silence() - timedelta(seconds=60))
    assert "cycle.silent" in found()
    call_command("dispatch", stdout=StringIO())
    assert found() == {}


def test_no_worker(alive):
    Heartbeat.objects.filter(kind=Heartbeat.WORKER).update(seen_at=alive - conf.worker_silence() - timedelta(minutes=1))
    assert set(found()) == {"workers.none"}


def test_another_host_whose_clock_is_off(alive):
    Heartbeat.note("celery@other:1", Heartbeat.WORKER, alive, "The clock of other is 90 seconds ahead.")
    assert found()["clock.skew"].text == "The clock of other is 90 seconds ahead."


def test_a_pause_of_everything_is_told_and_mended(alive):
    pause_everything(by="ann", reason="stock-taking", until=None, now=alive)
    finding = found()["paused.everything"]
    assert "ann" in finding.text and "stock-taking" in finding.text
    mend(finding)
    assert found() == {}


def test_a_paused_queue_is_told_only_while_something_waits_in_it(alive, make_entity):
    Queue.objects.create(name="Slow lane", max_running=1)
    queue, _ = Queue.objects.get_or_create(name="default")
    call_command("pause", "queue", "default", reason="moving", stdout=StringIO())
    assert "queue.paused" not in found()
    start_batch_now(make_entity(), started_by="ann", now=alive)
    mend(found()["queue.paused"])
    assert found() == {}
    queue.refresh_from_db()
    assert not queue.is_paused


# --- what stands still ---


def test_a_silent_attempt_is_told_and_a_cycle_mends_it(alive, make_entity):
    start_batch_now(make_entity(), started_by="ann", now=alive)
    attempt = claim_next(worker="dead", now=alive)
    long_ago = alive - conf.zombie_timeout() - timedelta(minutes=1)
    Attempt.objects.filter(pk=attempt.pk).update(heartbeat_at=long_ago)
    finding = found()["stuck.attempts"]
    assert finding.mend == "Run: manage.py dispatch"
    examine.clock.follow()
    SchedulerState.objects.update_or_create(pk=1, defaults={"database_back_at": None})
    mend(finding)
    assert "stuck.attempts" not in found()


def test_a_guard_that_nobody_holds_is_told_and_a_cycle_mends_it(alive, make_entity):
    configuration = make_entity()
    long_ago = alive - conf.zombie_timeout() - timedelta(minutes=1)
    SchedulerConfiguration.objects.filter(pk=configuration.pk).update(is_running=True, run_started_at=long_ago)
    finding = found()["stuck.guards"]
    assert "branch" in finding.text
    mend(finding)
    assert found() == {}


def test_a_run_that_cannot_move_is_told_and_a_cycle_mends_it(alive, make_entity):
    run = start_batch_now(make_entity(), started_by="ann", now=alive).run
    Task.objects.filter(run=run).update(status="failed", finished_at=alive)
    mend(found()["stuck.runs"])
    assert "stuck.runs" not in found()
    run.refresh_from_db()
    assert run.status == "failed"


def test_a_step_that_is_held_for_long_is_told_and_its_mend_lets_it_go_on(alive, make_entity):
    task = start_batch_now(make_entity(), started_by="ann", now=alive).task
    hold_step(task, by="ann", now=alive)
    assert found() == {}, "a run that is held is not stuck"
    Task.objects.update(held_at=alive - timedelta(days=3))
    finding = found()["stuck.held"]
    assert "ann has held branch of run" in finding.text and "for 3 d" in finding.text
    mend(finding)
    task.refresh_from_db()
    assert task.status == "queued" and "stuck.held" not in found()


def test_a_queue_that_does_not_get_on(alive, make_entity):
    start_batch_now(make_entity(), started_by="ann", now=alive)
    assert "queue.slow" not in found()
    Task.objects.update(queued_at=alive - timedelta(hours=2))
    assert "default" in found()["queue.slow"].text


def test_an_entity_whose_tables_were_altered(alive, make_entity):
    make_entity()
    with connection.cursor() as cursor:
        cursor.execute(f"ALTER TABLE {quote(staging_table('branch'))} DROP COLUMN {quote('staff')}")
    finding = found()["entity.altered"]
    assert finding.level == Level.ERROR and "stg_branch.staff" in finding.text


def test_a_schedule_that_fails_again_and_again_names_what_explains_it(alive, make_entity):
    configuration = make_entity(processing_mode="triggered", trigger_row_threshold=5)
    SchedulerConfiguration.objects.filter(pk=configuration.pk).update(consecutive_failures=2)
    assert "schedule.fails" not in found()
    SchedulerConfiguration.objects.filter(pk=configuration.pk).update(consecutive_failures=3)
    plan = Plan.objects.create(name="Every night", is_enabled=True, schedule_type="daily", run_times=["02:00"])
    Plan.objects.filter(pk=plan.pk).update(consecutive_failures=4)
    told = [one for one in findings() if one.id == "schedule.fails"]
    assert len(told) == 2
    for finding in told:
        mend(finding)


def test_failed_runs_that_nobody_made_good_name_the_command_that_does(alive, make_entity, monkeypatch):
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("no disk")

    run = start_batch_now(make_entity(), started_by="ann", now=alive).run
    with monkeypatch.context() as patched:
        patched.setattr("scheduling.workloads.batch.process", broken)
        work_off(alive)
    finding = found()["runs.failed"]
    assert str(run.pk) in finding.text
    mend(finding)
    assert Run.objects.filter(restart_of=run).exists()


# --- what grows ---


def test_what_retention_left_is_told_and_cleanup_mends_it(alive, make_entity):
    events.record("fired", now=alive - 33 * DAY)
    old = alive - 93 * DAY
    start_batch_now(make_entity(), started_by="ann", now=old)
    work_off(old)
    told = found()
    assert {"retention.log", "retention.runs"} <= set(told)
    assert told["retention.log"].mend == told["retention.runs"].mend
    mend(told["retention.log"])
    assert found() == {}


def test_a_large_table_is_told_without_counting(alive, monkeypatch):
    for _ in range(3):
        events.record("fired", now=alive)
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE scheduling_schedulerlog")
    monkeypatch.setattr(sizes, "MANY_ROWS", 3)
    assert any("scheduling_schedulerlog" in one.text for one in findings() if one.id == "size.table")


def test_a_backlog_is_told_and_mended(alive, make_entity, deposit, monkeypatch):
    make_entity()
    deposit(rows=3, at=alive)
    monkeypatch.setattr(sizes, "MANY_PENDING", 3)
    mend(found()["staging.backlog"])
    work_off(clock.now())
    assert "staging.backlog" not in found()


def test_rows_that_no_trigger_takes_name_what_explains_it(alive, make_entity, deposit):
    make_entity(processing_mode="triggered", trigger_row_threshold=5)
    make_entity("apple")
    deposit(rows=1, at=alive - 2 * DAY)
    deposit("apple", rows=1, at=alive - 2 * DAY)  # people start it: rows may wait for them as long as they like
    (finding,) = [one for one in findings() if one.id == "staging.old"]
    assert "branch" in finding.text
    mend(finding)


def test_many_rejected_rows(alive, make_entity, deposit, monkeypatch):
    deposit_into = make_entity()
    deposit(rows=2, staff="bad", at=alive)
    start_batch_now(deposit_into, started_by="ann", now=alive)
    work_off(alive)
    monkeypatch.setattr(sizes, "MANY_REJECTED", 2)
    assert "branch" in found()["staging.rejected"].text


def test_every_finding_has_an_example_here(request):
    """Whoever adds a finding makes it happen in this file, or in one beside it."""
    text = "".join(file.read_text(encoding="utf-8") for file in request.path.parent.glob("*.py"))
    listed = subprocess.run(
        ["grep", "-rhoE", r'(error|warning)\("[a-z_]+\.[a-z]+"', "scheduling/doctor"], capture_output=True, text=True
    ).stdout
    ids = set(re.findall(r'"([a-z_.]+)"', listed))
    assert len(ids) > 20
    assert {name for name in ids if f'"{name}"' not in text} == set()
