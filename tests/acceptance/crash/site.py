"""A database for one test of the matrix, and the minutes that pass in it, struck or not."""

import json
import select
import signal
import sqlite3
import struct
import subprocess
import sys
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from tests.acceptance.auditor import questions
from tests.acceptance.installation import ROOT, Installation

START = datetime(2026, 3, 2, 6, 0, tzinfo=UTC)
_FROZEN_LOCK = timedelta(minutes=4)  # so long a frozen cycle keeps the others from theirs
_ANSWERS_WITHIN = 120  # seconds; a healthy minute takes a fraction of one


class Nursery:
    """The process that forks a child for each minute."""

    def __init__(self, installation: Installation):
        log = (installation.folder / "nursery.log").open("wb")
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.acceptance.crash.nursery"],
            cwd=ROOT,
            env=installation.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            start_new_session=True,
        )
        log.close()
        self._answer()

    def ask(self, **order: Any) -> dict[str, Any]:
        """Give an order and return the answer."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(order).encode() + b"\n")
        self._process.stdin.flush()
        return self._answer()

    def close(self) -> None:
        """End it."""
        self._process.kill()
        self._process.communicate()

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        ready, _, _ = select.select([self._process.stdout], [], [], _ANSWERS_WITHIN)
        line = self._process.stdout.readline() if ready else b""
        assert line, f"the nursery did not answer within {_ANSWERS_WITHIN} s"
        answer: dict[str, Any] = json.loads(line)
        return answer


class Site:
    """One prepared database; `strike` lets a fault happen in it, `pass_time` what follows."""

    def __init__(self, installation: Installation, nursery: Nursery, folder: Path):
        self.installation, self.sql, self.number = installation, installation.sql, installation.number
        self._nursery, self._clock, self._log = nursery, folder / "clock", folder / "minutes.log"
        self._frozen: int | None = None
        self._frozen_at = START

    def minute(self, minute: float, wish: str = "", *, patience: float = 0) -> None:
        """Let a healthy process live the minute that begins so many minutes after START."""
        at = START + timedelta(minutes=minute)
        answer = self._live(at, wish, patience=patience)
        assert answer["code"] == 0, self.log()
        if not patience and not (self._frozen and at < self._frozen_at + _FROZEN_LOCK):
            until = at + timedelta(minutes=1)
            stamps = (self._stamp(at), self._stamp(until))
            self.sql("INSERT INTO audit_minute (since, until) VALUES ('{}', '{}')".format(*stamps))

    def strike(
        self, point: str, fault: str, minute: float, wish: str = "", *, nth: int = 1, unfenced: bool = False
    ) -> None:
        """Let the fault befall a process in this minute, when it comes to this point for the n-th time.

        `unfenced`: the process does not ask whether its attempts still own their tasks.
        """
        self._frozen_at = START + timedelta(minutes=minute)
        answer = self._live(self._frozen_at, wish, point=point, fault=fault, nth=nth, unfenced=unfenced)
        ends: dict[str, Any] = {"kill": -signal.SIGKILL, "freeze": "stopped"}
        self._frozen = answer["pid"] if answer["code"] == "stopped" else None
        assert answer["code"] == ends.get(fault, 0), f"{answer}\n{self.log()}"

    def pass_time(self, minute: float, wish: str = "", *, mend: str = "") -> None:
        """Let time pass after the strike of this minute until all has come to its end.

        Others go on at once, as a supervisor would have it, and after the time-out of what died. What was frozen wakes
        up after that. `wish` is what people wish in each of these minutes, `mend` a statement that is run before them.
        """
        blocked = self._frozen is not None and self._blocked_by_frozen()
        if mend and not blocked:
            self.sql(mend)
        for later in (1, 40):
            self.minute(minute + later, wish, patience=0.05 if blocked else 0)
        if self._frozen is not None:
            self._thaw()
        if mend and blocked:
            self.sql(mend)
        for later in (41, 42, 80, 82):
            self.minute(minute + later, wish)
            if not questions.stuck(self.installation):
                return

    def audit(self, *, besides: str = "") -> list[str]:
        """Return what is stuck and every promise that does not hold, but for the one told to be of no matter here."""
        found = questions.violations(self.installation)
        return [*questions.stuck(self.installation), *(what for what in found if not besides or besides not in what)]

    def log(self) -> str:
        """Return what the minutes printed, for the message of a failing test."""
        return self._log.read_text()[-6000:] if self._log.exists() else ""

    def thaw_for_good(self) -> None:
        """Leave no frozen process behind."""
        if self._frozen:
            self._nursery.ask(kill=self._frozen)

    def _thaw(self) -> None:
        """Let the frozen process go on to its end."""
        answer = self._nursery.ask(go_on=self._frozen)
        self._frozen = None
        assert answer["code"] == 0, f"{answer}\n{self.log()}"

    def _blocked_by_frozen(self) -> bool:
        """Return whether nobody can write as long as the frozen process sleeps.

        PostgreSQL ends a session that is idle in a transaction for DB_IDLE_TIMEOUT_MS; here at once. An SQLite file
        has nobody to do so: all wait until the process goes on or dies.
        """
        if self.installation.vendor == "postgresql":
            self.sql(
                "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity "
                "WHERE datname = current_database() AND state LIKE 'idle in transaction%'"
            )
            return False
        with closing(sqlite3.connect(name_of(self.installation), timeout=0)) as connection:
            try:
                connection.execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError:
                return True
        return False

    def _stamp(self, at: datetime) -> str:
        """Return an instant as the database compares it: SQLite as text, as Django stores it."""
        return f"{at:%Y-%m-%d %H:%M:%S}" if self.installation.vendor == "sqlite" else at.isoformat()

    def _live(self, at: datetime, wish: str, **order: Any) -> dict[str, Any]:
        offset = (at - datetime.now(UTC)).total_seconds()
        self._clock.write_bytes(struct.pack("d", offset))
        usual = {"point": "", "fault": "", "nth": 1, "patience": 0, "unfenced": False}
        where = {"database": name_of(self.installation), "clock": str(self._clock), "log": str(self._log)}
        return self._nursery.ask(wish=wish, **{**usual, **where, **order})


def name_of(installation: Installation) -> str:
    """Return the name of the database: a path, or its name on the server."""
    url = installation.environment["DATABASE_URL"]
    return url.removeprefix("sqlite:///") if installation.vendor == "sqlite" else url.rsplit("/", 1)[1]
