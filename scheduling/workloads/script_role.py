"""The database role of scripts: what a saved statement may touch, whoever wrote it.

PostgreSQL: the statement runs in a function that belongs to a role of its own, which may use staging and production
tables and what a database administrator grants it besides. Inside of such a function the server lets nobody become
another role, and it shares the transaction of the caller, so that a script counts together with its outcome.
SQLite: an authorizer asks for each table and action of the statement before it runs.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from django.conf import settings
from django.db import DatabaseError, connection, transaction
from django.db.backends.utils import CursorWrapper
from django.db.models import BooleanField, QuerySet
from django.db.models.expressions import RawSQL

from scheduling.errors import FatalJobError
from scheduling.models import SqlScript
from staging.identifiers import quote
from staging.wording import say

PREFIXES = ("stg_", "mdm_")

# Who we are, and of the role, where there is one, whether we are its member.
_MEMBERSHIP = """
SELECT current_user, (SELECT pg_has_role(r.oid, 'MEMBER') FROM pg_roles r WHERE r.rolname = %s)
"""
_NOT_GRANTED = r"""
SELECT relkind = 'S', relname FROM pg_class
WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p', 'S')
    AND (relname LIKE 'stg\_%%' OR relname LIKE 'mdm\_%%')
    AND NOT CASE WHEN relkind = 'S' THEN has_sequence_privilege(%s, oid, 'USAGE')
        ELSE has_table_privilege(%s, oid, 'DELETE') END
"""
_ONE_AT_A_TIME = "SELECT pg_advisory_xact_lock(hashtext('staging-scheduler: rights of scripts'))"
# Made anew for each script and gone with the connection: what belonged to the role for good, a script could replace.
_FUNCTION = """
CREATE FUNCTION pg_temp.run_script(statement text) RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE touched bigint;
BEGIN
    EXECUTE statement;
    GET DIAGNOSTICS touched = ROW_COUNT;
    RETURN touched;
END $$
"""
# The same for what a query answers first.
_ASKING = """
CREATE FUNCTION pg_temp.run_script(statement text) RETURNS text LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE answer text;
BEGIN
    EXECUTE statement INTO answer;
    RETURN answer;
END $$
"""
# The same for all that a query answers, each row as JSON, up to so many.
_LISTING = """
CREATE FUNCTION pg_temp.run_script(statement text) RETURNS text LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE answer text[] := '{{}}'; found record;
BEGIN
    FOR found IN EXECUTE statement LOOP
        answer := answer || to_json(found)::text;
        EXIT WHEN cardinality(answer) >= {most:d};
    END LOOP;
    RETURN '[' || array_to_string(answer, ',') || ']';
END $$
"""
_LEFT_BEHIND = """
SELECT 1 FROM pg_catalog.pg_class WHERE relnamespace = pg_catalog.pg_my_temp_schema()
UNION ALL SELECT 1 FROM pg_catalog.pg_proc
WHERE pronamespace = pg_catalog.pg_my_temp_schema() AND proname <> 'run_script'
"""

_READS = (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE)
_FUNCTIONS_LIKE_TABLES = ("json_each", "json_tree")
_OF_A_TABLE = (sqlite3.SQLITE_READ, sqlite3.SQLITE_INSERT, sqlite3.SQLITE_UPDATE, sqlite3.SQLITE_DELETE)


def role() -> str:
    """Return the name of the role (SCRIPT_ROLE, default staging_scripts)."""
    return str(settings.SCRIPT_ROLE)


def statements_of_role(user: str) -> list[str]:
    """Return what makes the role and lets `user`, as which we connect, run scripts as it."""
    return [f"CREATE ROLE {quote(role())} NOLOGIN", f"GRANT {quote(role())} TO {quote(user)}"]


def _needs_role() -> bool:
    return connection.vendor == "postgresql"


def missing_statements() -> list[str]:
    """Return those of the statements that are still to be run, none on SQLite, which needs no role."""
    if not _needs_role():
        return []
    with connection.cursor() as cursor:
        cursor.execute(_MEMBERSHIP, [role()])
        user, is_member = cursor.fetchone()
    create, grant = statements_of_role(user)
    if is_member is None:
        return [create, grant]
    return [] if is_member else [grant]


def without_role() -> QuerySet[SqlScript]:
    """Return the scripts that no role is there for, all or none of them; none on SQLite."""
    if not _needs_role():
        return SqlScript.objects.none()
    asked = f"EXISTS (SELECT 1 FROM ({_MEMBERSHIP}) AS asked(account, is_member) WHERE is_member IS NOT TRUE)"  # noqa: S608 (our own)
    return SqlScript.objects.alias(is_missing=RawSQL(asked, [role()], BooleanField())).filter(is_missing=True)  # noqa: S611


def create_role() -> list[str]:
    """Make the role where it is missing; return the statements that ran. Raises DatabaseError when we may not."""
    statements = missing_statements()
    with transaction.atomic(), connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)
    return statements


def run_confined(cursor: CursorWrapper, statement: str, values: Mapping[str, Any]) -> int:
    """Run a statement with the rights of scripts in the caller's transaction; return how many rows it touched.

    Raises FatalJobError when it wants more, or the role is missing, and database errors.
    """
    return int(_confined(cursor, statement, values, _FUNCTION, lambda: max(cursor.rowcount, 0)))


def answer_confined(cursor: CursorWrapper, statement: str, values: Mapping[str, Any]) -> Any:
    """Return the first column of the first row of a query that has the rights of scripts; None without a row.

    On PostgreSQL as text. The caller rolls back. Raises as `run_confined`, and FatalJobError for what answers nothing.
    """

    def first() -> Any:
        if cursor.description is None:
            raise FatalJobError(say("A step can only wait for a query: this statement answers nothing."))
        row = cursor.fetchone()
        return row[0] if row else None

    return _confined(cursor, statement, values, _ASKING, first)


def rows_confined(cursor: CursorWrapper, statement: str, values: Mapping[str, Any], most: int) -> list[dict[str, Any]]:
    """Return the first rows of a query that has the rights of scripts, at most so many, by the names of their columns.

    On PostgreSQL each value is as JSON has it. The caller rolls back. Raises as `answer_confined`.
    """

    def rows() -> str:
        if cursor.description is None:
            raise FatalJobError(say("Items come of a query: this statement answers nothing."))
        names = [column[0] for column in cursor.description]
        return json.dumps([dict(zip(names, row, strict=True)) for row in cursor.fetchmany(most)])

    found: list[dict[str, Any]] = json.loads(_confined(cursor, statement, values, _LISTING.format(most=most), rows))
    return found


def _confined(
    cursor: CursorWrapper, statement: str, values: Mapping[str, Any], function: str, read: Callable[[], Any]
) -> Any:
    """Run a statement with the rights of scripts; return what the function returns, on SQLite what `read` reads."""
    if connection.vendor == "postgresql":
        return _in_the_role(cursor, statement, values, function)
    with _authorized() as refused:
        try:
            cursor.execute(statement, dict(values))
            return read()
        except DatabaseError as error:
            if refused:
                raise FatalJobError(
                    say(
                        "A script may use staging and production tables only (stg_…, mdm_…), and neither makes nor "
                        "alters tables: {refused}.",
                        refused=refused[0],
                    )
                ) from error
            raise


def _in_the_role(cursor: CursorWrapper, statement: str, values: Mapping[str, Any], function: str) -> Any:
    """Run a statement in a function that belongs to the role, and leave nothing of it that later work could meet."""
    if missing_statements():
        raise FatalJobError(say("Scripts have no database role yet; `manage.py create_script_role` makes it."))
    _grant(cursor)
    cursor.execute("SELECT current_schema()")
    path = f"SET LOCAL search_path = {quote(cursor.fetchone()[0])}, pg_temp"
    cursor.execute(path)  # temporary tables come last: a script must not put one before a table of ours
    cursor.execute(function)
    cursor.execute(f"ALTER FUNCTION pg_temp.run_script(text) OWNER TO {quote(role())}")
    text = cursor.cursor.mogrify(statement, dict(values))
    cursor.execute("SELECT pg_temp.run_script(%s)", [text])
    (answer,) = cursor.fetchone()
    cursor.execute(path)
    cursor.execute(_LEFT_BEHIND)
    if cursor.fetchone():
        raise FatalJobError(say("A script may not make temporary tables or functions."))
    cursor.execute("DROP FUNCTION pg_temp.run_script(text)")
    transaction.on_commit(connection.close)  # with whatever the script set for its session
    return answer


def _grant(cursor: CursorWrapper) -> None:
    """Give the role its rights on tables that came since the last script."""
    cursor.execute(_NOT_GRANTED, [role(), role()])
    if cursor.fetchone() is None:
        return
    cursor.execute(_ONE_AT_A_TIME)
    cursor.execute(_NOT_GRANTED, [role(), role()])
    for is_sequence, name in cursor.fetchall():
        rights = "USAGE ON SEQUENCE" if is_sequence else "SELECT, INSERT, UPDATE, DELETE ON"
        cursor.execute(f"GRANT {rights} {quote(name)} TO {quote(role())}")


@contextmanager
def _authorized() -> Iterator[list[str]]:
    """Let this connection touch staging and production tables only; what was refused is in the list."""
    refused: list[str] = []
    stored = {name.lower() for name in connection.introspection.table_names(include_views=True)}

    def may(action: int, first: str | None, column: str | None, *_: str | None) -> int:
        name = (first or "").lower()
        is_ours = name.startswith(PREFIXES) or name in _FUNCTIONS_LIKE_TABLES
        # Named without a column it may be a part of the statement itself: WITH n AS (…) SELECT count(*) FROM n.
        is_part = action == sqlite3.SQLITE_READ and not column and name not in stored and not name.startswith("sqlite")
        if action in _READS or (action in _OF_A_TABLE and (is_ours or is_part)):
            return sqlite3.SQLITE_OK
        refused.append(say("not {first}", first=first) if action in _OF_A_TABLE else say("not this statement"))
        return sqlite3.SQLITE_DENY

    connection.connection.set_authorizer(may)
    try:
        yield refused
    finally:
        connection.connection.set_authorizer(None)
