"""Promise: a script that the database does not take is refused when it is saved, in the database's words, and the
question changes nothing, whatever the text holds."""

import pytest
from django.contrib.auth.models import User
from django.db import DatabaseError, connection
from django.urls import reverse

from scheduling import clock
from scheduling.model_files.load import load
from scheduling.models import SqlScript
from scheduling.workloads.script_check import database_faults
from staging.errors import InvalidDefinition
from tests.scheduling.admin.conftest import client_for
from tests.scheduling.workloads.test_script_role import ANYWHERE, MAY, ON_POSTGRESQL, POSTGRESQL, SQLITE

pytestmark = pytest.mark.django_db

WANT_MORE = [*ANYWHERE, *(POSTGRESQL if ON_POSTGRESQL else SQLITE)]
# A block, or a function, is run to know what it does; the role keeps it harmless then.
KNOWN_WHEN_RUN = ("DO $$", "SELECT set_config")


@pytest.fixture
def branch(make_entity):
    User.objects.create(username="ann", password="secret")
    entity = make_entity()
    with connection.cursor() as cursor:
        cursor.execute("INSERT INTO stg_branch (code, name) VALUES ('a', 'A')")
    return entity


def script(sql, **fields):
    return SqlScript(**{"name": "Refresh", "sql": sql, **fields})


def as_it_was():
    """Return whether nothing of a script that was asked about has an effect."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT code, name, (SELECT count(*) FROM mdm_branch) FROM stg_branch")
        rows = cursor.fetchall()
    return rows == [("a", "A", 0)] and User.objects.filter(is_superuser=False, password="secret").exists()


def test_what_reads_and_writes_rows_is_taken_and_not_run(branch):
    for statement, _ in MAY:
        assert database_faults(script(statement)) == [], statement
    parameters = {"a": "text", "b": "integer", "c": "number", "d": "boolean"}
    all_of_them = "UPDATE stg_branch SET name = %(a)s WHERE id > %(b)s AND %(d)s AND 1.5 < %(c)s OR name LIKE 'a%%'"
    assert database_faults(script(all_of_them, parameters=parameters)) == []
    assert as_it_was()


def test_what_wants_more_is_refused_and_not_run(branch):
    for statement in WANT_MORE:
        text = statement.format(true="TRUE" if ON_POSTGRESQL else 1) if "{true}" in statement else statement
        found = database_faults(script(text.replace("%", "%%")))
        assert bool(found) is not statement.startswith(KNOWN_WHEN_RUN), (statement, found)
        assert as_it_was(), statement


WRONG = [
    ("DELETE FROM stg_nothing", "stg_nothing"),
    ("SELECT no_such_column FROM stg_branch", "no_such_column"),
    ("SELEKT 1", "SELEKT"),
    ("DELETE FROM stg_branch; DELETE FROM mdm_branch", "A script is one statement; this text has several."),
    ("SELECT 1; DROP TABLE mdm_branch", "A script is one statement; this text has several."),
    ("EXPLAIN ANALYZE DELETE FROM stg_branch", ""),
    ("ANALYZE DELETE FROM stg_branch", ""),
    ("QUERY PLAN DELETE FROM stg_branch", ""),
]


def test_the_message_of_the_database_is_told(branch):
    for statement, told in WRONG:
        (fault,) = database_faults(script(statement))
        assert told in fault and as_it_was(), statement


@pytest.mark.postgresql
def test_a_value_that_only_a_sample_would_break_is_no_fault(branch):
    text = "SELECT 1 / (%(n)s - 1), code::date FROM stg_branch WHERE id = %(n)s"
    assert database_faults(script(text, parameters={"n": "integer"})) == []
    assert "no plan" not in str(database_faults(script("CALL nothing_of_this_name()")))


@pytest.mark.postgresql
def test_without_the_role_the_text_is_still_parsed(branch, settings):
    settings.SCRIPT_ROLE = "no_such_role_of_scripts"
    assert database_faults(script("SELECT code FROM stg_branch")) == []
    assert "stg_nothing" in database_faults(script("SELECT code FROM stg_nothing"))[0]


def test_a_script_whose_table_is_gone_can_still_be_described_and_taken_out_of_use_but_not_taken_back(branch):
    stored = SqlScript.objects.create(name="Refresh", sql="SELECT 1 FROM stg_gone")
    client, url = client_for("Administrator"), reverse("admin:scheduling_sqlscript_change", args=[stored.pk])
    sent = {"name": "Refresh", "sql": stored.sql, "timeout_seconds": 300}
    assert client.post(url, {**sent, "in_use": "on", "description": "Of last year"}).status_code == 302
    assert client.post(url, sent).status_code == 302
    refused = client.post(url, {**sent, "in_use": "on"})
    assert "stg_gone" in refused.context["adminform"].form.errors["sql"][0]
    assert SqlScript.objects.get().is_cancelled


def test_the_form_tells_the_fault_at_the_text_and_stores_nothing(branch):
    sent = {"name": "New", "sql": "SELECT nothing FROM stg_branch", "timeout_seconds": 300, "in_use": "on"}
    refused = client_for("Administrator").post(reverse("admin:scheduling_sqlscript_add"), sent)
    (fault,) = refused.context["adminform"].form.errors["sql"]
    assert fault.startswith("The database does not take it:") and "nothing" in fault
    assert not SqlScript.objects.exists()


def test_a_model_file_may_bring_the_table_with_the_script_and_no_script_without_its_table(db):
    entity = {"code": "till", "name": "Till"}
    file = {"version": 1, "entities": [entity], "scripts": [{"name": "Tidy", "sql": "DELETE FROM stg_till"}]}
    load(file, now=clock.now())
    assert SqlScript.objects.get().name == "Tidy"
    with pytest.raises(InvalidDefinition) as refused:
        load({"version": 1, "scripts": [{"name": "Other", "sql": "DELETE FROM stg_gone"}]}, now=clock.now())
    assert "stg_gone" in refused.value.errors["scripts[0].sql"][0]
    assert not SqlScript.objects.filter(name="Other").exists()


def test_a_broken_connection_is_told_and_no_traceback(branch, monkeypatch):
    def gone(*_):
        raise DatabaseError("The server closed the connection")

    monkeypatch.setattr("scheduling.workloads.script_check.run_confined", gone)
    assert database_faults(script("SELECT 1 FROM stg_branch")) == [
        "The database does not take it: The server closed the connection"
    ]
