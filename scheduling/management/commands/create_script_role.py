"""`create_script_role`: make the database role that SQL scripts run as."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError
from django.db import DatabaseError, connection
from django.utils.translation import gettext_noop

from scheduling.management import base
from scheduling.workloads.script_role import create_role, missing_statements, role
from staging.wording import say


class Command(base.Command):
    """Make the role of SQL scripts, or print what a database administrator has to run."""

    help = gettext_noop(
        "Make the database role that SQL scripts run as (PostgreSQL). Running it again changes nothing."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--print", action="store_true", help=say("Only print the SQL, for a database administrator.")
        )

    def answer(self, **options: Any) -> tuple[dict[str, Any], int]:
        """Make the role, unless there is nothing to do."""
        if options["print"]:
            return {"role": role(), "statements": missing_statements(), "ran": False}, 0
        try:
            statements = create_role()
        except DatabaseError as error:
            text = say(
                "This database account may not make the role ({reason}); give the SQL of --print to whoever may.",
                reason=str(error).partition("\n")[0],
            )
            raise CommandError(text, returncode=base.EXIT_FAILED) from None
        return {"role": role(), "statements": statements, "ran": True}, 0

    def text(self, document: dict[str, Any]) -> str:
        """Return the SQL, or that there is nothing to do."""
        if connection.vendor != "postgresql":
            return say("SQLite needs no role: each script is authorized before it runs.")
        if not document["statements"]:
            return say("The role {role} is there.", role=document["role"])
        sql = "\n".join(f"{statement};" for statement in document["statements"])
        return "\n".join([sql, say("The role {role} is made.", role=document["role"])]) if document["ran"] else sql
