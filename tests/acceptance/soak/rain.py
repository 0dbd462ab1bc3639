"""A soak from beginning to end: the fleet at work, faults raining, then all comes to its end and the auditor asks."""

import logging
import random
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import psycopg

from tests.acceptance.auditor import deliveries, questions, watch
from tests.acceptance.auditor.promises import promises
from tests.acceptance.installation import Installation, production
from tests.acceptance.soak.deliveries import Deliveries
from tests.acceptance.soak.faults import Faults
from tests.acceptance.soak.fleet import Fleet
from tests.acceptance.soak.model import CHUNK_ROWS, prepare

logger = logging.getLogger(__name__)

ENVIRONMENT = {
    "DJANGO_SETTINGS_MODULE": "tests.acceptance.soak.settings",
    "HEARTBEAT_SECONDS": "0.4",
    "ZOMBIE_TIMEOUT_MINUTES": "0.035",
    "MERGE_CHUNK_ROWS": str(CHUNK_ROWS),
    "CANCEL_GRACE_SECONDS": "3",
    "STOP_GRACE_SECONDS": "5",
    "MISSED_AFTER_SECONDS": "5",
    "RESEND_AFTER_SECONDS": "1",
}
ROWS_AT_ONCE, CLOCK_OFF = 400, 3600
# With a cycle each second, on a busy machine, and three seconds until a frozen one is passed over.
CYCLE_WITHIN_SECONDS = 15
_PATIENCE = 240
# Of the stubborn rows a look must have failed once codes that they wait for have been there for some time.
_STUBBORN = """
INSERT INTO audit_stubborn (code) SELECT 'stubborn' WHERE NOT EXISTS (SELECT 1 FROM audit_stubborn) AND EXISTS (
    SELECT 1 FROM stg_stubborn s JOIN mdm_parent p ON p.code = s.parent
    JOIN staging_batch came ON came.id = p.created_batch_id JOIN staging_batch b ON b.id = s.batch_id
    WHERE s.import_status = 2 AND b.finished_at < came.finished_at
    AND came.finished_at < clock_timestamp() - interval '20 seconds')
"""
# From then on a soak asks for every kind of stress, and for what a slow machine may not manage in time.
THOROUGH_SECONDS = 300
_IN_TIME = (
    "no cycle while a dispatcher was healthy",
    "more late runs than a catch-up may make",
    "a living worker gave no sign of life",
)
LOST = "SELECT count(*) FROM scheduling_attempt WHERE outcome = 'lost'"
POISON_FELT = "SELECT count(*) FROM scheduling_attempt WHERE message LIKE '%poison%'"
_SIGNED = "SELECT name FROM scheduling_heartbeat WHERE seen_at >= %s"
_SIGN_WITHIN_SECONDS = 40


@dataclass(frozen=True)
class Weather:
    """What is to happen; empty: everything. `ask_for`: end as soon as the auditor says this."""

    faults: tuple[str, ...] = ()
    deliveries: tuple[str, ...] = ()
    wishes: tuple[str, ...] = ()
    ask_for: str = ""
    pause_seconds: float = 1.0


@contextmanager
def soaked(folder: Path) -> Iterator[Installation]:
    """Yield a production installation with the auditor's triggers and the model of a soak."""
    with production(folder, ENVIRONMENT) as made:
        watch.prepare(made)
        prepare(made)
        yield made


class Soak:
    """Lets it rain on an installation for some seconds; the faults follow from the seed."""

    def __init__(self, installation: Installation, seed: str, weather: Weather):
        self.installation, self.seed, self.weather = installation, seed, weather
        off = random.Random(seed).choice([CLOCK_OFF, -CLOCK_OFF])
        self.fleet = Fleet(installation, clock_off=off)
        installation.sql("INSERT INTO stg_region (code, name) VALUES ('north', 'North')")
        merged = lambda: installation.number("SELECT count(*) FROM mdm_region") == 1  # noqa: E731
        installation.wait_until(merged, "the fleet is at work", _PATIENCE)
        self.faults = Faults(installation, self.fleet, seed, weather.faults)
        self.deliveries = Deliveries(installation, seed, weather.deliveries)
        self._rows = 0
        self._is_thorough = True
        self._asked_at = time.monotonic()

    def rain(self, seconds: float) -> list[str]:
        """Return what the auditor found when all has come to its end, or as soon as it found what is asked for.

        A short one ends when an attempt was lost of it, however slow the machine, and asks for nothing that takes time.
        """
        self._is_thorough = bool(self.weather.ask_for) or seconds >= THOROUGH_SECONDS
        work = self._people(seconds)
        self.installation.sql("INSERT INTO stg_poison (code, name) VALUES ('x', 'X')")
        since, until = time.time(), time.monotonic() + seconds
        while time.monotonic() < until or self._waits_for_a_loss(until):
            self._one_moment()
            if found := self._what_was_asked_for(since):
                return found
        self.fleet.thaw(everything=True)
        self.fleet.mend()
        told = "seed %s: %d faults, %d rows: %s"
        logger.info(told, self.seed, len(self.faults.done), self._rows, ", ".join(self.faults.done))
        if self._is_thorough and not self.weather.ask_for:
            self.installation.wait_until(self._is_poison_felt, "the poisoned row fails an attempt", _PATIENCE)
        self.installation.sql("DELETE FROM stg_poison")
        return self._come_to_the_end(work, since)

    def _waits_for_a_loss(self, until: float) -> bool:
        """Return whether a short soak goes on because no attempt was lost yet."""
        lacks = not self._is_thorough and not self.installation.number(LOST)
        return lacks and time.monotonic() < until + _PATIENCE

    def _is_poison_felt(self) -> bool:
        self.fleet.mend()
        return self.installation.number(POISON_FELT) > 0

    def _people(self, seconds: float) -> subprocess.Popen[bytes]:
        """Start the process that asks for work."""
        only = ",".join(self.weather.wishes)
        return self.installation.start("-m", "tests.acceptance.soak.work", self.seed, str(seconds), only)

    def _one_moment(self) -> None:
        number = len(self.faults.done)
        if number % 3 == 0 and not self.weather.ask_for:
            self.installation.deposit_branches(ROWS_AT_ONCE, first=self._rows)
            self._rows += ROWS_AT_ONCE
        if number % 3 == 1 or self.weather.ask_for:
            self.deliveries.one()
        self.faults.one()
        self.fleet.mend()
        time.sleep(self.weather.pause_seconds)
        self.fleet.thaw()

    def _what_was_asked_for(self, since: float) -> list[str]:
        """Return what was found when that is what is asked for."""
        if not self.weather.ask_for or time.monotonic() - self._asked_at < 3:
            return []
        self._asked_at = time.monotonic()
        self._witness(since)
        try:
            found = self.found(at_end=False)
        except psycopg.OperationalError as error:  # a server at its limits answers the next time
            logger.warning("could not ask: %s", error)
            return []
        return found if any(self.weather.ask_for in what for what in found) else []

    def _come_to_the_end(self, work: subprocess.Popen[bytes], since: float) -> list[str]:
        """Restart the database, let all come to its end, and ask."""
        self.faults.drop_all_connections()
        dropped = self.faults.dropped[-1]
        drained = lambda: self._is_drained(work) and self._all_signed(dropped)  # noqa: E731
        try:
            self.installation.wait_until(drained, "all comes to its end", _PATIENCE)
        except AssertionError:
            self._witness(since)
            return ["stuck", *self._stuck(), *self.found()]
        assert work.returncode == 0, self.installation.logs()
        self._witness(since)
        return self.found()

    def _is_drained(self, work: subprocess.Popen[bytes]) -> bool:
        self.fleet.mend()
        return self.deliveries.follow_up() and work.poll() is not None and not self._stuck()

    def _stuck(self) -> list[str]:
        """Return what has not come to its end."""
        found = questions.stuck(self.installation)
        with closing(self.installation.connect()) as connection:
            found += deliveries.pending(connection)
            found += [f"a late reference has not come home: {row}" for row in deliveries.late(connection)[:5]]
        return found

    def _all_signed(self, since: float) -> bool:
        """Return whether every worker that lived through this moment gave a sign of life since, or had its time to."""
        at = datetime.fromtimestamp(since, UTC)
        signed = {name.rpartition(":")[2] for (name,) in self.installation.sql(_SIGNED, [at])}
        return signed >= set(self.fleet.living_since(since)) or time.time() > since + _SIGN_WITHIN_SECONDS

    def _witness(self, since: float) -> None:
        """Let the auditor know what only the driver of a soak does."""
        self._note_living()
        self._note_health(since)
        self.installation.sql(_STUBBORN)

    def _note_living(self) -> None:
        """Let the auditor ask those workers for signs of life that are at work since before all connections ended."""
        long_ago = [at for at in self.faults.dropped if at < time.time() - _SIGN_WITHIN_SECONDS]
        for since in long_ago[-1:]:
            for worker in self.fleet.living_since(since):
                at = datetime.fromtimestamp(since, UTC)
                self.installation.sql("INSERT INTO audit_alive (worker, since) VALUES (%s, %s)", [worker, at])

    def _note_health(self, since: float) -> None:
        """Let the auditor know the times in all of which a dispatcher was healthy."""
        self.installation.sql("DELETE FROM audit_minute")
        for healthy in self.fleet.health.windows(since, time.time(), CYCLE_WITHIN_SECONDS):
            self.installation.sql("INSERT INTO audit_minute (since, until) VALUES (%s, %s)", healthy)

    def found(self, *, at_end: bool = True) -> list[str]:
        """Return what the auditor finds; before the end, what is wrong whatever else follows."""
        with closing(self.installation.connect()) as connection:
            besides = questions.asked(connection, promises(self.installation.vendor))
        told = questions.violations(self.installation, much_work=self._is_thorough) if at_end else self._seen()
        found = [*told, *besides, *deliveries.findings(self.installation, at_end=at_end)]
        return [what for what in found if self._is_thorough or not what.startswith(_IN_TIME)]

    def _seen(self) -> list[str]:
        with closing(self.installation.connect()) as connection:
            return questions.asked(connection, {"seen as it happened": "SELECT what FROM audit_violation"})
