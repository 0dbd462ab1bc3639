"""`create_script_role`: make the database role that SQL scripts run as."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError
from django.db import DatabaseError, connection

from scheduling.management import base
from scheduling.workloads.script_role import create_role, missing_statements, role


class Command(base.Command):
    """Make the role of SQL scripts, or print what a database administrator has to run."""

    help = "Make the database role that SQL scripts run as (PostgreSQL). Running it again changes nothing."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--print", action="store_true", help="Only print the SQL, for a database administrator.")

    def answer(self, **options: Any) -> tuple[dict[str, Any], int]:
        """Make the role, unless there is nothing to do."""
        if options["print"]:
            return {"role": role(), "statements": missing_statements(), "ran": False}, 0
        try:
            statements = create_role()
        except DatabaseError as error:
            reason = str(error).partition("\n")[0]
            text = f"This database account may not make the role ({reason}); give the SQL of --print to whoever may."
            raise CommandError(text, returncode=base.EXIT_FAILED) from None
        return {"role": role(), "statements": statements, "ran": True}, 0

    def text(self, document: dict[str, Any]) -> str:
        """Return the SQL, or that there is nothing to do."""
        if connection.vendor != "postgresql":
            return "SQLite needs no role: each script is authorized before it runs."
        if not document["statements"]:
            return f"The role {document['role']} is there."
        sql = "\n".join(f"{statement};" for statement in document["statements"])
        return f"{sql}\nThe role {document['role']} is made." if document["ran"] else sql
