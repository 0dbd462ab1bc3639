"""What the database says of a script before it is saved: it is prepared and planned, never run.

PostgreSQL parses the text through the protocol's own call, which takes one statement only, and plans it as the role of
scripts, so that a missing right is told; all of that is rolled back. SQLite compiles it under the authorizer of
scripts.
"""

from __future__ import annotations

import re
import sqlite3
from typing import Any

import psycopg
from django.db import DatabaseError, connection, transaction
from django.db.backends.utils import CursorWrapper

from scheduling.errors import FatalJobError
from scheduling.models import SqlScript
from scheduling.workloads.script_role import missing_statements, run_confined
from staging.wording import say

# A value of each type whose form can fail nowhere; no statement sees one, for none is run.
_SAMPLES: dict[str, Any] = {"text": None, "integer": 1, "number": 1, "boolean": True}
_MOST = 500
# What a server parses and runs, but has no plan for.
_BLOCK = re.compile(r"(?:\s|--[^\n]*\n|/\*.*?\*/)*(?:do|call)\b", re.IGNORECASE | re.DOTALL)
_DATA_EXCEPTION = "22"  # of a sample that was folded into the plan: says nothing of the values of a step


def database_faults(script: SqlScript) -> list[str]:
    """Return what the database has against a script whose other rules hold; nothing is run and nothing stays.

    Only a new or changed text is asked about, and only in force: a script whose table is gone can still be cancelled.
    """
    if script.is_cancelled or _is_stored(script):
        return []
    values = {name: _SAMPLES[kind] for name, kind in script.parameters.items()}
    try:
        with transaction.atomic():
            with connection.cursor() as cursor:
                (_on_server if connection.vendor == "postgresql" else _in_file)(cursor, script.sql, values)
            transaction.set_rollback(True)
    except FatalJobError as error:
        return [str(error)]
    except (psycopg.Error, DatabaseError, sqlite3.Warning) as error:
        return [_told(error)]
    return []


def _is_stored(script: SqlScript) -> bool:
    """Return whether this very text with these parameters is in force already."""
    stored = SqlScript.objects.filter(pk=script.pk, is_cancelled=False).first() if script.pk else None
    return stored is not None and (stored.sql, stored.parameters) == (script.sql, script.parameters)


def _in_file(cursor: CursorWrapper, sql: str, values: dict[str, Any]) -> None:
    """Let SQLite compile the statement; EXPLAIN lists the steps it would take and takes none of them."""
    run_confined(cursor, f"EXPLAIN {sql}", values)
    if [column[0] for column in cursor.description or ()][1:2] != ["opcode"]:
        raise FatalJobError(_no_rows())  # the text goes on with EXPLAIN: it was QUERY PLAN …


def _on_server(cursor: CursorWrapper, sql: str, values: dict[str, Any]) -> None:
    """Let the server parse the statement, then plan it with the rights that it will run with, where there are any."""
    text = cursor.cursor.mogrify(sql, values)
    result = cursor.connection.pgconn.prepare(b"", text.encode())
    if result.status != psycopg.pq.ExecStatus.COMMAND_OK:
        raise psycopg.errors.error_from_result(result)
    if _BLOCK.match(sql) or missing_statements():
        return
    try:
        run_confined(cursor, f"EXPLAIN (ANALYZE false) {sql}", values)
    except DatabaseError as error:
        state = getattr(error.__cause__, "sqlstate", "") or ""
        if state == "42601":  # the server parsed it before: it is no statement that has a plan
            raise FatalJobError(_no_rows()) from error
        if not state.startswith(_DATA_EXCEPTION):
            raise


def _no_rows() -> str:
    return say("A script reads or writes rows: SELECT, INSERT, UPDATE or DELETE. It makes and alters no tables.")


def _told(error: Exception) -> str:
    """Return what the database said, in its words; that there are several statements in ours."""
    cause = error.__cause__ or error
    message, place = str(cause), None
    if isinstance(cause, psycopg.Error):
        message, place = cause.diag.message_primary or message, cause.diag.statement_position
        if cause.sqlstate == "42601" and place is None:
            return _several()
    elif "one statement at a time" in message:
        return _several()
    return say("The database does not take it: {message}", message=message.strip()[:_MOST])


def _several() -> str:
    return say("A script is one statement; this text has several.")
