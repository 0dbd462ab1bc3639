"""The demo's source: deposits a few rows every few seconds, some of them bad, until it is stopped."""

import signal
import sqlite3
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random
from threading import Event
from typing import Any

import psycopg
from django.db import connection
from django.utils.translation import gettext_noop

from scheduling import clock
from scheduling.management.base import PlainCommand, refused
from scheduling.management.demo.presence import demo_is_loaded
from scheduling.management.demo.rows import Source, made_up
from scheduling.workloads.hearing import hearing
from staging.wording import say

_DELIVERIES_BETWEEN_WITHDRAWALS = 100


class Command(PlainCommand):
    """Feed the demo."""

    help = gettext_noop("Deposit made-up rows into the demo's staging tables, by plain SQL, until stopped with Ctrl-C.")

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the options."""
        parser.add_argument("--every", type=float, default=5, metavar="SECONDS", help=say("time between deliveries"))
        parser.add_argument(
            "--count", type=int, default=0, metavar="N", help=say("stop after N deliveries; 0 never stops")
        )
        parser.add_argument("--seed", type=int, help=say("make up the same rows each time"))

    def handle(self, *, every: float, count: int, seed: int | None, **_: Any) -> None:
        """Deliver until told to stop; a database that is away for a moment costs a delivery, not the feeder."""
        if every <= 0 or count < 0:
            raise refused(say("--every must be above 0 and --count 0 or more."))
        if not demo_is_loaded():
            raise refused(say("The demo is not in this database. Load it first: manage.py load_demo"))
        source = Source(connection.settings_dict)
        connection.close()
        random = Random(seed)  # noqa: S311
        delivered = 0
        with _stop_on_signals() as stop:
            while not stop.is_set():
                delivered += 1
                self._deliver(source, random, withdraw=delivered % _DELIVERIES_BETWEEN_WITHDRAWALS == 0)
                if delivered == count:
                    break
                stop.wait(every)

    def _deliver(self, source: Source, random: Random, *, withdraw: bool) -> None:
        """Make one delivery and say so, or say why it could not be made."""
        delivery = made_up(random, clock.now())
        try:
            rows = source.deliver(delivery)
            if withdraw:
                for code in delivery:
                    source.withdraw_old_mistakes(code)
        except (sqlite3.Error, psycopg.Error) as error:
            self.stderr.write(say("This delivery failed, the next one comes: {error}", error=error))
        else:
            self.stdout.write(say("deposited {rows} rows for {entities}", rows=rows, entities=", ".join(delivery)))


@contextmanager
def _stop_on_signals() -> Iterator[Event]:
    """Yield an event that Ctrl-C or a termination signal sets, so that a delivery is never cut in two."""
    stop = Event()
    with hearing((signal.SIGINT, signal.SIGTERM), stop.set):
        yield stop
