"""Promises of a script: values are parameters, all of it or nothing, and no longer than it may."""

import pytest
from django.db import connection

from scheduling.dag.manifest import ManifestTask
from scheduling.lifecycle.tasks import lose_attempt
from scheduling.models import Attempt, SqlScript
from scheduling.queues import claim_next
from scheduling.runs.execute import run_attempt
from scheduling.states import RunKind
from scheduling.workloads import script as workload
from tests.scheduling.conftest import NOW
from tests.scheduling.runs.pieces import of, start, states, status, work

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def script(make_entity) -> SqlScript:
    """A script that renames every member of an entity."""
    make_entity()
    sql(
        "INSERT INTO mdm_branch (code, name, is_active, created_at, updated_at) VALUES ('b', 'one', TRUE, now(), now())"
        if connection.vendor == "postgresql"
        else "INSERT INTO mdm_branch (code, name, is_active, created_at, updated_at) VALUES ('b', 'one', 1, 'x', 'x')"
    )
    return SqlScript.objects.create(
        name="Rename", sql="UPDATE mdm_branch SET name = %(name)s WHERE name <> '100%%'", parameters={"name": "text"},
    )  # fmt: skip


def sql(statement: str) -> list:
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return cursor.fetchall() if cursor.description else []


def run_of(script: SqlScript, **arguments):
    return start(ManifestTask("script Rename", RunKind.SCRIPT, script.pk, arguments=arguments))


def names() -> list[str]:
    return [name for (name,) in sql("SELECT name FROM mdm_branch")]


def test_it_runs_with_its_values_and_tells_the_rows(script):
    run = run_of(script, name="x'; DROP TABLE scheduling_run; --")
    work()
    assert status(run) == "completed" and of(run, "script Rename").message == "1 row."
    assert names() == ["x'; DROP TABLE scheduling_run; --"]


def test_a_mistake_in_the_statement_fails_the_task_with_the_database_s_words(script):
    SqlScript.objects.update(sql="SELECT 1 FROM nowhere")
    run = run_of(script, name="x")
    work()
    assert states(run) == {"script Rename": "failed"} and "nowhere" in of(run, "script Rename").message


def test_a_script_that_was_given_up_while_it_ran_changes_nothing(script, monkeypatch):
    run = run_of(script, name="late")
    attempt = claim_next(worker="w", now=NOW)
    real = workload._watched

    def lose(cursor, seconds):
        lose_attempt(Attempt.objects.get(), now=NOW, message="gone")
        return real(cursor, seconds)

    monkeypatch.setattr(workload, "_watched", lose)
    run_attempt(attempt, time=lambda: NOW)
    assert names() == ["one"] and states(run) == {"script Rename": "running"}


def test_a_script_that_takes_too_long_is_stopped(script):
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
    SqlScript.objects.update(sql="SELECT pg_sleep(60)" if connection.vendor == "postgresql" else endless)
    SqlScript.objects.update(timeout_seconds=1)
    run = run_of(script)
    work()
    assert states(run) == {"script Rename": "failed"}
    assert "OperationalError" in of(run, "script Rename").message


@pytest.mark.parametrize("change", [{"is_cancelled": True}, None])
def test_a_script_that_is_gone_is_not_run_and_not_tried_again(script, change):
    run = start(ManifestTask("gone", RunKind.SCRIPT, script.pk if change else 10**6, attempts=5))
    SqlScript.objects.update(**(change or {"description": ""}))
    work()
    assert states(run) == {"gone": "failed"} and of(run, "gone").attempts_made == 1
