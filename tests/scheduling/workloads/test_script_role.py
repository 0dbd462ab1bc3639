"""Promise: a script touches staging and production tables, whoever wrote it, and nothing else by any way round."""

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import DatabaseError, connection, transaction

from scheduling.dag.manifest import ManifestTask
from scheduling.errors import FatalJobError
from scheduling.models import SqlScript
from scheduling.states import RunKind
from scheduling.workloads import script_role
from tests.scheduling.runs.pieces import start, work

pytestmark = pytest.mark.django_db

ON_POSTGRESQL = connection.vendor == "postgresql"

ANYWHERE = [
    "UPDATE auth_user SET is_superuser = {true}",
    "DELETE FROM auth_user",
    "INSERT INTO mdm_branch (code, name) SELECT password, 'x' FROM auth_user",
    "SELECT count(*) FROM auth_user",
    "SELECT username FROM auth_user",
    "WITH n AS (SELECT * FROM django_session) SELECT count(*) FROM n",
    "UPDATE mdm_branch SET name = (SELECT password FROM auth_user)",
    "DROP TABLE mdm_branch",
    "ALTER TABLE mdm_branch ADD COLUMN evil text",
    "CREATE TABLE mdm_evil (id int)",
    "CREATE TEMPORARY TABLE scheduling_run (id int)",
    "DELETE FROM scheduling_schedulerlog",
    "UPDATE scheduling_task SET status = 'failed'",
]
SQLITE = [
    "PRAGMA writable_schema = 1",
    "ATTACH DATABASE ':memory:' AS mdm_other",
    "SELECT sql FROM sqlite_master",
    "SELECT count(*) FROM sqlite_schema",
    "CREATE VIEW mdm_look AS SELECT * FROM auth_user",
    "CREATE TRIGGER mdm_t AFTER UPDATE ON mdm_branch BEGIN DELETE FROM auth_user; END",
    "COMMIT",
]
POSTGRESQL = [
    "SET ROLE NONE",
    "RESET ROLE",
    "SET SESSION AUTHORIZATION DEFAULT",
    "SELECT set_config('role', 'none', false)",
    "SELECT set_config('role', session_user, true), query_to_xml('SELECT password FROM auth_user', true, true, '')",
    "SELECT 1; UPDATE auth_user SET is_superuser = true",
    "DO $$ BEGIN RESET ROLE; UPDATE auth_user SET is_superuser = true; END $$",
    "COPY auth_user TO PROGRAM 'cat'",
    "COPY (SELECT 1) TO '/tmp/of-a-script'",
    "CREATE FUNCTION pg_temp.lower(text) RETURNS text LANGUAGE sql AS 'SELECT 1::text'",
    "CREATE OR REPLACE FUNCTION pg_temp.run_script(statement text) RETURNS bigint LANGUAGE sql AS 'SELECT 1'; "
    "ALTER FUNCTION pg_temp.run_script(text) SECURITY INVOKER; SELECT * FROM auth_user",
    "TRUNCATE mdm_branch",
    "COMMIT",
    "SELECT pg_read_file('/etc/passwd')",
    "SELECT pg_ls_dir('/')",
    "SELECT lo_import('/etc/passwd')",
    "SELECT rolpassword FROM pg_authid",
    "CREATE ROLE other_of_tests",
    "ALTER ROLE CURRENT_USER SUPERUSER",
    "CREATE SCHEMA other_of_tests",
    "CREATE EXTENSION dblink",
    "ALTER SYSTEM SET log_statement = 'none'",
    "GRANT ALL ON mdm_branch TO PUBLIC WITH GRANT OPTION; SELECT * FROM auth_user",
    "CREATE TRIGGER t AFTER UPDATE ON mdm_branch EXECUTE FUNCTION suppress_redundant_updates_trigger()",
    "CREATE RULE r AS ON INSERT TO mdm_branch DO ALSO DELETE FROM auth_user",
    "LOCK TABLE auth_user",
    "NOTIFY other_of_tests; SELECT * FROM auth_user",
]


@pytest.fixture
def branch(make_entity):
    User.objects.create(username="ann", password="secret")
    return make_entity()


def outcome_of(statement):
    """Run a script as a worker does; return the state and the message of its task."""
    script, _ = SqlScript.objects.update_or_create(name="Try", defaults={"sql": statement})
    run = start(ManifestTask("script Try", RunKind.SCRIPT, script.pk), key=statement)
    work()
    return run.tasks.values_list("status", "message").get()


@pytest.mark.parametrize("statement", [*ANYWHERE, *(POSTGRESQL if ON_POSTGRESQL else SQLITE)])
def test_whatever_else_a_script_tries_is_refused_and_changes_nothing(branch, statement):
    statement = statement.format(true="TRUE" if ON_POSTGRESQL else 1) if "{true}" in statement else statement
    with pytest.raises((DatabaseError, FatalJobError)), transaction.atomic(), connection.cursor() as cursor:
        script_role.run_confined(cursor, statement.replace("%", "%%"), {})
    user = User.objects.get()
    assert (user.is_superuser, user.password) == (False, "secret")
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM mdm_branch")
        assert cursor.fetchone() == (0,)
        cursor.execute("SELECT current_user = session_user" if ON_POSTGRESQL else "SELECT 1")
        assert cursor.fetchone()[0]


def test_what_was_refused_is_told(branch):
    status, message = outcome_of("DELETE FROM auth_user")
    assert status == "failed" and "auth_user" in message


MAY = [
    ("INSERT INTO stg_branch (code, name) VALUES ('a', 'A'), ('b', 'B')", 2),
    ("UPDATE stg_branch SET name = 'x'", 0),
    ("DELETE FROM mdm_branch WHERE code IN (SELECT code FROM stg_branch)", 0),
    ("WITH n AS (SELECT 1 AS i UNION SELECT 2) SELECT i FROM n WHERE i NOT IN (SELECT id FROM mdm_branch)", None),
    ("SELECT count(*) FROM mdm_branch AS one JOIN stg_branch AS two ON two.code = one.code", None),
]


@pytest.mark.parametrize("statement,rows", MAY)
def test_staging_and_production_tables_are_its_own(branch, statement, rows):
    status, message = outcome_of(statement)
    assert status == "completed", message
    assert rows is None or message == f"{rows} row{'' if rows == 1 else 's'}."


def test_an_entity_that_came_since_the_last_script_is_open_to_the_next(branch, make_entity):
    assert outcome_of("DELETE FROM mdm_branch")[0] == "completed"
    make_entity("region")
    assert outcome_of("DELETE FROM mdm_region")[0] == "completed"


@pytest.mark.postgresql
@pytest.mark.django_db(transaction=True)
def test_settings_of_a_script_do_not_outlive_it(branch):
    script = "SELECT set_config('search_path', 'pg_temp', false), set_config('lock_timeout', '77', false)"
    assert outcome_of(script)[0] == "completed"
    with connection.cursor() as cursor:
        cursor.execute("SHOW search_path")
        assert "pg_temp" not in cursor.fetchone()[0]
        cursor.execute("SHOW lock_timeout")
        assert "77ms" not in cursor.fetchone()[0]


@pytest.mark.postgresql
def test_without_the_role_scripts_do_not_run_and_the_command_tells_what_to_do(branch, settings, capsys):
    settings.SCRIPT_ROLE = "no_such_role_of_scripts"
    status, message = outcome_of("SELECT 1")
    assert status == "failed" and "manage.py create_script_role" in message
    call_command("create_script_role", "--print")
    assert 'CREATE ROLE "no_such_role_of_scripts" NOLOGIN;' in capsys.readouterr().out


def test_the_role_is_made_by_migrate_and_the_command_may_run_again(db, capsys):
    assert script_role.missing_statements() == []
    call_command("create_script_role")
    said = capsys.readouterr().out
    assert ("is there" in said) if ON_POSTGRESQL else ("SQLite needs no role" in said)


@pytest.mark.postgresql
def test_the_role_of_scripts_can_neither_sign_in_nor_make_anything(branch):
    with connection.cursor() as cursor:
        rights = "rolcanlogin, rolsuper, rolcreaterole, rolcreatedb, rolreplication, rolbypassrls"
        cursor.execute(f"SELECT {rights} FROM pg_roles WHERE rolname = %s", [script_role.role()])
        assert not any(cursor.fetchone())
        cursor.execute("SELECT count(*) FROM pg_class WHERE pg_get_userbyid(relowner) = %s", [script_role.role()])
        assert cursor.fetchone() == (0,)
        cursor.execute("SELECT has_schema_privilege(%s, current_schema(), 'CREATE')", [script_role.role()])
        assert cursor.fetchone() == (False,)
