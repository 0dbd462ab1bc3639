"""`copy_database`: an installation moves from SQLite to PostgreSQL."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.utils.translation import gettext_noop
from environ import Env

from scheduling.housekeeping.copy_database import copy_database
from scheduling.management import base
from staging.phrases import listed
from staging.wording import counted, said_together, say


class Command(base.Command):
    """Copy everything, or nothing."""

    help = gettext_noop(
        "Copy everything from a file of SQLite into the empty, migrated PostgreSQL database in use. Exit code 2 "
        "when it cannot be done; nothing was changed then."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--from-url",
            required=True,
            metavar="URL",
            help=say("Where everything is now: sqlite:////path/to/scheduler.sqlite3"),
        )

    def answer(self, **options: Any) -> tuple[dict[str, Any], int]:
        """Copy, and tell the rows by table."""
        from_url = options["from_url"]
        kind, _, rest = from_url.partition("://")
        if kind != "sqlite" or not rest:
            raise base.refused(say("{url} names no file of SQLite: write sqlite:////path/to/file.", url=from_url))
        copied = copy_database(Path(str(Env.db_url_config(from_url)["NAME"])))
        return {"rows": copied.rows, "left_out": copied.left_out}, 0

    def text(self, document: dict[str, Any]) -> str:
        """Say how much it was, and what was left out."""
        counts = document["rows"].values()
        told = say(
            "Copied {rows} of {tables}.",
            rows=counted(sum(counts), "row", "rows"),
            tables=counted(len(counts), "table", "tables"),
        )
        if document["left_out"]:
            left = say("These tables are none of ours and were left out: {names}.", names=listed(document["left_out"]))
            told = said_together(told, left)
        return told
