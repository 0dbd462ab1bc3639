"""The whole examination: every part of it for itself, so that what is broken hides nothing else."""

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager

from django.db import DatabaseError, Error, connection

from scheduling import clock
from scheduling.doctor import installation, life, sizes, stuck
from scheduling.doctor.finding import DoctorFinding, Level, command, error
from scheduling.doctor.patient import Look, Patient
from scheduling.models import SiteFacts
from scheduling.statements import have_rows
from staging.tables.columns import savepoint
from staging.wording import one_line, say

logger = logging.getLogger(__name__)

Part = Callable[[Patient], Iterator[Look]]

PARTS: tuple[Part, ...] = (
    installation.looks,
    life.looks,
    stuck.looks,
    sizes.looks,
)


def findings(read_facts: Callable[[], SiteFacts] = SiteFacts.read) -> list[DoctorFinding]:
    """Return everything that is wrong, errors first; writes nothing. A page that reads its facts, too, gives them.

    Without a database, or before its tables are as this version needs them, that is the only finding.
    """
    try:
        clock.follow(at_once=True)
        connection.ensure_connection()
        text = installation.not_migrated()
    except Error as away:
        text = say("The database does not answer: {error}", error=one_line(away))
        return [error("database.away", text, say("Start it, or mend DATABASE_URL."))]
    if text:
        return [error("database.migrations", text, command("migrate"))]
    found = examined(Patient(clock.now(), read_facts), PARTS)
    return sorted(found, key=lambda finding: finding.level != Level.ERROR)


def examined(patient: Patient, parts: Sequence[Part]) -> list[DoctorFinding]:
    """Return what these parts find, in their order."""
    found: list[DoctorFinding] = []
    looks: dict[Part, list[Look]] = {}
    for part in parts:
        with _apart(part, found):
            looks[part] = list(part(patient))
    known = _have_rows_together(looks.values())
    for part, its_looks in looks.items():
        with _apart(part, found):
            are_there = _have_rows(its_looks) if known is None else known
            for look in its_looks:
                if look.rows is None or are_there[look] is not look.is_of_none:
                    found += look.tell(look.rows)
    return found


def _have_rows_together(looks: Iterable[list[Look]]) -> dict[Look, bool] | None:
    """Return of the looks of all parts whether there are rows; None where that cannot be asked of all at once."""
    try:
        with savepoint():
            return _have_rows([look for its_looks in looks for look in its_looks])
    except DatabaseError:
        return None


def _have_rows(looks: Iterable[Look]) -> dict[Look, bool]:
    """Return of each look that has any whether there are rows; one statement."""
    asked = {look: look.rows for look in looks if look.rows is not None}
    return dict(zip(asked, have_rows(*asked.values()), strict=True))


@contextmanager
def _apart(part: Part, found: list[DoctorFinding]) -> Iterator[None]:
    """Let it be a finding, too, that a part could not be looked at."""
    try:
        with savepoint():
            yield
    except Exception as failed:
        name = part.__module__.rpartition(".")[2]
        logger.exception("the doctor could not look at %s", name, extra={"event": "doctor_failed"})
        text = say("This could not be looked at ({part}): {error}", part=name, error=one_line(failed))
        found.append(error(f"doctor.{name}", text, say("See the process log for the whole error.")))
