"""Loads the demo into an empty database: its model, its first rows and its accounts."""

from argparse import ArgumentParser
from io import StringIO
from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.db import connection, transaction
from django.utils.translation import gettext_noop

from scheduling import clock
from scheduling.jobs.reconcile import sync_jobs
from scheduling.management.base import PlainCommand, refused
from scheduling.management.demo import jobs
from scheduling.management.demo.accounts import ACCOUNTS, make_accounts
from scheduling.management.demo.deposit import deposit, seed_rows
from scheduling.management.demo.presence import DEMO_ENTITIES, database_is_empty
from scheduling.model_files.load import load
from scheduling.models import RetentionPolicy
from staging.model_files.read import read_file
from staging.wording import say

MODEL_FILE = Path(__file__).parent.parent / "demo" / "model.yaml"

# Processed here, in this order, because the rows of the others refer to them; the scheduler does the rest.
_FIRST = ("currency", "region", "branch", "product")


class Command(PlainCommand):
    """Load the demo."""

    help = gettext_noop(
        "Load the demo (six entities, rows, four accounts) into an empty database and print its accounts."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the options."""
        parser.add_argument("--if-empty", action="store_true", help=say("do nothing when there are entities already"))

    def handle(self, *, if_empty: bool, **_: Any) -> None:
        """Load all of it or nothing, then process what the other rows refer to."""
        if not database_is_empty():
            if if_empty:
                return
            raise refused(say("This database holds entities; the demo is for an empty one."))
        with transaction.atomic():
            password = _load()
        for code in _FIRST:
            call_command("process_batch", code, inline=True, stdout=StringIO())
        accounts = ", ".join(ACCOUNTS)
        self.stdout.write(
            say(
                "Loaded the demo. Accounts: {accounts}; the password of each is {password}",
                accounts=accounts,
                password=password,
            )
        )


def _load() -> str:
    """Load the model, the retention, the accounts and the first rows; return the accounts' password."""
    load(read_file(MODEL_FILE), now=clock.now())
    RetentionPolicy.objects.get_or_create(pk=1, defaults={"log_days": 7, "processed_rows_days": 1, "runs_days": 7})
    with connection.cursor() as cursor:
        for code in DEMO_ENTITIES:
            deposit(cursor, code, list(seed_rows(code)), placeholder="%s")
    sync_jobs(clock.now(), also=[jobs.MODULE])
    return make_accounts()
