"""Loads the demo into an empty database: its model, its first rows and its accounts."""

from argparse import ArgumentParser
from io import StringIO
from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection, transaction

from scheduling import clock
from scheduling.jobs.reconcile import sync_jobs
from scheduling.management.base import PlainCommand
from scheduling.management.demo import jobs
from scheduling.management.demo.accounts import ACCOUNTS, make_accounts
from scheduling.management.demo.deposit import deposit, seed_rows
from scheduling.management.demo.presence import DEMO_ENTITIES, database_is_empty
from scheduling.model_files.load import load
from scheduling.models import RetentionPolicy
from staging.model_files.read import read_file

MODEL_FILE = Path(__file__).parent.parent / "demo" / "model.yaml"

# Processed here, in this order, because the rows of the others refer to them; the scheduler does the rest.
_FIRST = ("currency", "region", "branch", "product")


class Command(PlainCommand):
    """Load the demo."""

    help = "Load the demo (six entities, rows, four accounts) into an empty database and print its accounts."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the options."""
        parser.add_argument("--if-empty", action="store_true", help="do nothing when there are entities already")

    def handle(self, *, if_empty: bool, **_: Any) -> None:
        """Load all of it or nothing, then process what the other rows refer to."""
        if not database_is_empty():
            if if_empty:
                return
            raise CommandError("This database holds entities; the demo is for an empty one.", returncode=2)
        with transaction.atomic():
            password = _load()
        for code in _FIRST:
            call_command("process_batch", code, inline=True, stdout=StringIO())
        self.stdout.write(f"Loaded the demo. Accounts: {', '.join(ACCOUNTS)}; the password of each is {password}")


def _load() -> str:
    """Load the model, the retention, the accounts and the first rows; return the accounts' password."""
    load(read_file(MODEL_FILE), now=clock.now())
    RetentionPolicy.objects.get_or_create(pk=1, defaults={"log_days": 7, "processed_rows_days": 1, "runs_days": 7})
    with connection.cursor() as cursor:
        for code in DEMO_ENTITIES:
            deposit(cursor, code, list(seed_rows(code)), placeholder="%s")
    sync_jobs(clock.now(), also=[jobs.MODULE])
    return make_accounts()
