"""Promises of the commands: one JSON document, honest exit codes, one line for bad input."""

import json
from datetime import timedelta

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection

from scheduling import clock
from scheduling.models import Run, SchedulerLog
from scheduling.runs.by_hand import start_batch_now
from staging.models import AuditEntry, Batch
from staging.states import AuditKind
from tests.scheduling.conftest import NOW

pytestmark = pytest.mark.django_db(transaction=True)


def run(capsys, *arguments: str) -> dict:
    """Run a command with --json; return its one document."""
    capsys.readouterr()
    call_command(*arguments, "--json")
    return json.loads(capsys.readouterr().out)


def test_dispatch_says_what_it_fired(make_entity, deposit, capsys):
    make_entity(processing_mode="triggered", trigger_row_threshold=1)
    deposit()
    document = run(capsys, "dispatch", "--now", NOW.isoformat())
    assert document["ran"] is True and document["fired"] == ["branch"]
    assert document["skipped"] == [] and document["errors"] == []


def test_test_run_has_the_fields_of_the_contract_and_writes_nothing(make_entity, deposit, capsys):
    configuration = make_entity(processing_mode="triggered", trigger_row_threshold=3)
    deposit(rows=2, at=NOW - timedelta(minutes=5, seconds=50))
    document = run(capsys, "test_run", "branch", "--now", NOW.isoformat())
    gates = document.pop("gates")
    assert document == {
        "entity": "branch",
        "would_fire": False,
        "reason": "Row threshold not met: 2 rows < threshold 3.",
        "pending_rows": 2,
        "oldest_row_age": 5,
        "next_scheduled_run": None,
    }
    assert {"gate", "passed", "value", "limit", "text"} == set(gates[0])
    before = configuration.last_trigger_check
    configuration.refresh_from_db()
    assert configuration.last_trigger_check == before
    assert Run.objects.count() == SchedulerLog.objects.count() == 0


def test_process_batch_inline_runs_to_the_end(make_entity, deposit, capsys):
    make_entity()
    deposit(rows=2)
    deposit(staff="x", prefix="bad")
    document = run(capsys, "process_batch", "branch", "--inline")
    duration, batch = document.pop("duration_ms"), document.pop("batch")
    assert document == {
        "status": "completed", "inserted": 2, "updated": 0, "unchanged": 0, "deactivated": 0,
        "deleted": 0, "rejected": 1, "superseded": 0,
    }  # fmt: skip
    assert duration >= 0 and batch


def test_process_batch_queues_without_inline(make_entity, deposit, capsys, staged):
    make_entity()
    deposit()
    assert run(capsys, "process_batch", "branch")["status"] == "pending"
    assert staged() == {0: 1}


def test_process_batch_inline_waits_for_room_in_its_queue(make_entity, deposit, capsys, monkeypatch):
    from scheduling import clock
    from scheduling.models import Queue
    from scheduling.queues import claim_next
    from scheduling.runs.execute import run_attempt

    start_batch_now(make_entity("other"), started_by="ann", now=NOW)
    other = claim_next(worker="test", now=NOW)
    Queue.objects.update(max_running=1)
    monkeypatch.setattr(clock, "sleep", lambda seconds: run_attempt(other))
    make_entity()
    deposit()
    assert run(capsys, "process_batch", "branch", "--inline")["status"] == "completed"


@pytest.mark.parametrize("arguments", [("process_batch", "--inline"), ("process_batch",), ("preview_batch",)])
def test_a_tag_that_no_row_has_is_told_and_ends_with_exit_code_2(make_entity, deposit, arguments):
    make_entity()
    deposit()
    command, *options = arguments
    with pytest.raises(CommandError, match="No staged row of Branch has the tag 'nosuch'") as error:
        call_command(command, "branch", "--tag", "nosuch", *options)
    assert error.value.returncode == 2
    assert not Batch.objects.exists()


def test_a_tag_whose_rows_are_all_processed_is_no_mistake(make_entity, capsys):
    make_entity()
    with connection.cursor() as cursor:
        cursor.execute("INSERT INTO stg_branch (code, batch_tag) VALUES ('b', 'monday')")
    assert run(capsys, "process_batch", "branch", "--inline", "--tag", "monday")["inserted"] == 1
    assert run(capsys, "process_batch", "branch", "--inline", "--tag", "monday")["inserted"] == 0


def test_a_failed_batch_ends_with_exit_code_1(make_entity, deposit, monkeypatch):
    make_entity()
    deposit()

    def explode(*_, **__):
        raise RuntimeError("boom")

    monkeypatch.setattr("scheduling.workloads.batch.process", explode)
    with pytest.raises(SystemExit) as stop:
        call_command("process_batch", "branch", "--inline")
    assert stop.value.code == 1


def test_a_held_guard_ends_with_exit_code_3(make_entity):
    start_batch_now(make_entity(), started_by="ann", now=NOW)
    with pytest.raises(CommandError) as error:
        call_command("process_batch", "branch")
    assert error.value.returncode == 3


@pytest.mark.parametrize(
    "arguments",
    [
        ("test_run", "nosuch"),
        ("process_batch", "nosuch"),
        ("dispatch", "--now", "yesterday"),
        ("dispatch", "--now", "2026-03-02T06:00:00"),
    ],
)
def test_bad_input_ends_with_exit_code_2_and_one_line(arguments, db):
    with pytest.raises(CommandError) as error:
        call_command(*arguments)
    assert error.value.returncode == 2
    assert "\n" not in str(error.value)


def test_time_travel_is_refused_unless_allowed(settings, db):
    settings.SCHEDULER_ALLOW_TIME_TRAVEL = False
    with pytest.raises(CommandError) as error:
        call_command("dispatch", "--now", NOW.isoformat())
    assert error.value.returncode == 2


def test_status_shows_cycle_workers_queues_and_what_runs(make_entity, capsys):
    from scheduling.queues import claim_next

    start_batch_now(make_entity("a"), started_by="ann", now=NOW)
    start_batch_now(make_entity("b"), started_by="ann", now=NOW)
    claim_next(worker="test", now=NOW)
    call_command("dispatch", "--now", NOW.isoformat())
    document = run(capsys, "status")
    assert document["last_cycle"] is not None and document["workers"] == 0
    assert document["queues"] == [{"name": "default", "max_running": 4, "running": 1, "waiting": 1}]
    assert [task["entity"] for task in document["running"]] == ["a"]
    assert document["stopped"] == [] and document["broker"] in (None, "answers")
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE stg_b DROP COLUMN staff")
    assert run(capsys, "status")["stopped"] == [{"entity": "b", "problems": ["Column stg_b.staff is missing."]}]


def test_cleanup_reports_its_counts(db, capsys):
    nothing = dict.fromkeys(("log", "rows", "history", "runs", "audit", "versions", "alerts", "messages"), 0)
    assert run(capsys, "cleanup") == nothing
    AuditEntry.objects.create(kind=AuditKind.SIGNED_IN, happened_at=clock.now() - timedelta(days=400))
    assert run(capsys, "cleanup") == {**nothing, "audit": 1}


def test_text_output_is_for_people(make_entity, capsys):
    make_entity()
    call_command("test_run", "branch")
    text = capsys.readouterr().out
    assert "would_fire: no" in text and "stop  mode: Manual: people start it" in text


def test_run_local_refuses_beside_a_broker(settings, db):
    settings.CELERY_BROKER_URL = "redis://127.0.0.1:6379/15"
    with pytest.raises(CommandError, match="CELERY_BROKER_URL is set"):
        call_command("run_local", skip_checks=True)


def test_the_delivery_contract_is_told_as_text_and_as_json(make_entity, capsys):
    make_entity("a")
    assert run(capsys, "delivery_contract", "a")["columns"][0]["name"] == "staff"
    call_command("delivery_contract", "a")
    text = capsys.readouterr().out
    assert "insert into stg_a" in text and "staff: a whole number" in text and "INSERT INTO" in text
    with pytest.raises(CommandError) as error:
        call_command("delivery_contract", "nosuch")
    assert error.value.returncode == 2
