"""Promises of `explain_batch`: the statements with purposes and plans, as SQL or JSON, and not one row changed."""

import json

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from scheduling.models import SchedulerConfiguration
from staging.models import Batch

pytestmark = pytest.mark.django_db


def _answer(capsys: pytest.CaptureFixture, *arguments: str) -> dict:
    call_command("explain_batch", "branch", "--json", *arguments)
    return json.loads(capsys.readouterr().out)


def test_it_tells_the_statements_in_order_with_purposes_and_plans(make_entity, deposit, staged, capsys):
    make_entity()
    deposit(rows=2)

    document = _answer(capsys)

    assert (document["entity"], document["waiting_rows"]) == ("branch", None)
    names = [each["name"] for each in document["statements"] if each["name"]]
    wanted = ["extent", "create_table", "classify", "mark_staged", "update_members", "insert_members"]
    assert [name for name in dict.fromkeys(names) if name in wanted] == wanted
    marked = next(each for each in document["statements"] if each["name"] == "mark_staged")
    assert marked["purpose"].startswith("Marks the staged rows of a chunk")
    assert marked["aliases"]["s"] == "a row of the staging table"
    assert 'UPDATE "stg_branch" AS s' in marked["sql"] and "%s" not in marked["sql"]
    assert marked["plan"] and marked["rows"] is None
    assert staged() == {0: 2}
    assert not Batch.objects.exists()


def test_analyzed_it_ran_over_the_rows_that_wait_and_changed_nothing(make_entity, deposit, staged, capsys):
    make_entity()
    deposit(rows=3)

    document = _answer(capsys, "--analyze")

    assert document["waiting_rows"] == 3
    inserted = next(each for each in document["statements"] if each["name"] == "insert_members")
    assert (inserted["rows"], inserted["times"]) == (3, 1)
    assert inserted["milliseconds"] > 0
    assert staged() == {0: 3}
    assert not Batch.objects.exists()


@pytest.mark.parametrize("option", [[], ["--analyze"]])
def test_as_text_it_is_sql_that_the_database_understands(make_entity, deposit, capsys, option):
    make_entity()
    deposit(rows=1)

    call_command("explain_batch", "branch", *option)

    text = capsys.readouterr().out
    assert "nothing was changed." in text.splitlines()[0]
    assert ("rolled back" in text.splitlines()[0]) == bool(option)
    statement = text[text.index("extent:") :].split("\n\n")[0].split("\n", 1)[1]
    with connection.cursor() as cursor:
        cursor.execute(statement.rstrip())
        assert cursor.fetchall() == [(1, 1, 1)]


def test_an_entity_that_is_not_there_is_bad_input():
    with pytest.raises(CommandError, match="no entity with the code 'nothing'") as error:
        call_command("explain_batch", "nothing")
    assert error.value.returncode == 2


def test_broken_tables_are_bad_input(make_entity):
    make_entity()
    with connection.cursor() as cursor:
        cursor.execute("DROP TABLE stg_branch")
    with pytest.raises(CommandError) as error:
        call_command("explain_batch", "branch")
    assert error.value.returncode == 2


def test_while_a_batch_is_running_it_is_not_run_beside_it(make_entity, capsys):
    configuration = make_entity()
    SchedulerConfiguration.objects.filter(pk=configuration.pk).update(
        is_running=True, run_started_at="2026-01-01T00:00:00Z", run_started_by="x"
    )
    with pytest.raises(CommandError, match=r"already running\.") as error:
        call_command("explain_batch", "branch", "--analyze")
    assert error.value.returncode == 3
    assert _answer(capsys)["statements"]


def test_a_batch_that_would_fail_says_why(make_entity, deposit, staged):
    make_entity()
    with connection.cursor() as cursor:
        cursor.execute("CREATE UNIQUE INDEX theirs ON mdm_branch (staff)")
    deposit(rows=2)
    with pytest.raises(CommandError, match=r"The batch fails: .*(unique|UNIQUE)") as error:
        call_command("explain_batch", "branch", "--analyze")
    assert error.value.returncode == 1
    assert staged() == {0: 2}
