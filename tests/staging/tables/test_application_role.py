"""Promise: the account that docs/security.md gives to the application is enough for what it does, and no more."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from django.db import connection

from staging.identifiers import quote
from tests.house.source import ROOT

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has no accounts"),
]
FORBIDDEN = [
    "CREATE ROLE other_of_tests",
    "CREATE DATABASE other_of_tests",
    "ALTER ROLE {role} SUPERUSER",
    "ALTER ROLE {role} CREATEROLE",
    "SET ROLE postgres",
    "SET SESSION AUTHORIZATION postgres",
    "ALTER SYSTEM SET log_statement = 'none'",
    "COPY (SELECT 1) TO PROGRAM 'cat'",
    "COPY (SELECT 1) TO '/tmp/of-the-application'",
    "SELECT pg_read_file('/etc/passwd')",
    "SELECT pg_ls_dir('/')",
    "SELECT lo_import('/etc/passwd')",
    "CREATE EXTENSION dblink",
    "CREATE EXTENSION plpython3u",
    "SELECT rolpassword FROM pg_authid",
    "DELETE FROM pg_catalog.pg_class",
    "SELECT pg_terminate_backend({other})",
    "DROP DATABASE {theirs}",
    "ALTER DATABASE {theirs} OWNER TO {role}",
]
WORK = """
import django; django.setup()
from django.core.management import call_command
from django.db import connection, transaction
from scheduling.workloads.script_role import run_confined
call_command("migrate", verbosity=0)
call_command("load_model", {model!r})
call_command("upload_rows", "branch", {rows!r})
call_command("process_batch", "branch", "--inline")
with transaction.atomic(), connection.cursor() as cursor:
    print("by script:", run_confined(cursor, "UPDATE mdm_branch SET name = 'x'", {{}}))
"""


@pytest.fixture
def account() -> Iterator[str]:
    """Make the account and the database of the guide by its own words; give the name, and take both away again."""
    name = f"application_{os.getpid()}"
    guide = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
    words = re.search(r"CREATE ROLE scheduler LOGIN.*?OWNER scheduler;", guide, re.DOTALL)
    assert words
    statements = re.sub(r"\bscheduler\b", name, words[0]).split(";")
    with psycopg.connect(**server(), autocommit=True) as superuser:
        try:
            for statement in filter(str.strip, statements):
                superuser.execute(statement)
            superuser.execute(f"GRANT staging_scripts TO {quote(name)}")  # as create_script_role --print says
            yield name
        finally:
            superuser.execute(f"DROP DATABASE IF EXISTS {quote(name)} WITH (FORCE)")
            superuser.execute(f"DROP ROLE IF EXISTS {quote(name)}")


def server(**other: str) -> dict[str, str]:
    """Return how to reach the server of the suite, as its own account unless told otherwise."""
    known = connection.settings_dict
    found = {"host": known["HOST"], "port": str(known["PORT"]), "user": known["USER"], "password": known["PASSWORD"]}
    return {**found, "dbname": "postgres", **other}


def work_as(account: str, folder: Path) -> str:
    """Set an installation up and run a batch and a script in it, as this account; return what was printed."""
    model, rows = folder / "m.json", folder / "rows.csv"
    entity = {"code": "branch", "name": "Branch", "attributes": [{"name": "staff", "type": "integer"}]}
    model.write_text(json.dumps({"version": 1, "entities": [entity]}))
    rows.write_text("code,name,staff\na,A,3\n")
    known = server()
    environment = {
        **os.environ,
        "DATABASE_URL": f"postgres://{account}:{known['password'] or 'x'}@{known['host']}:{known['port']}/{account}",
        "DJANGO_SETTINGS_MODULE": "tests.settings",
        "CELERY_BROKER_URL": "",
    }
    program = WORK.format(model=str(model), rows=str(rows))
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def test_the_account_of_the_guide_runs_an_installation_and_may_do_nothing_beside(account: str, tmp_path: Path) -> None:
    assert "by script: 1" in work_as(account, tmp_path)
    theirs = connection.settings_dict["NAME"]
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        other = cursor.fetchone()[0]
    with psycopg.connect(**server(user=account, dbname=account), autocommit=True) as us:
        rights = "rolsuper, rolcreaterole, rolcreatedb, rolreplication, rolbypassrls"
        assert not any(us.execute(f"SELECT {rights} FROM pg_roles WHERE rolname = current_user").fetchone() or [True])
        owned = us.execute("SELECT datname FROM pg_database WHERE pg_get_userbyid(datdba) = current_user").fetchall()
        assert owned == [(account,)]
        for statement in FORBIDDEN:
            with pytest.raises(psycopg.Error, match=r"permission denied|must |only roles|Only roles|not available"):
                us.execute(statement.format(role=quote(account), theirs=quote(theirs), other=other))
    with psycopg.connect(**server(user=account, dbname=theirs), autocommit=True) as us:
        for statement in ("SELECT * FROM auth_user", "CREATE TABLE other_of_tests (id int)", "DROP TABLE auth_user"):
            with pytest.raises(psycopg.Error, match=r"permission denied|must be owner"):
                us.execute(statement)
