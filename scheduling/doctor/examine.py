"""The whole examination: every part of it for itself, so that what is broken hides nothing else."""

import logging
from collections.abc import Callable, Iterator

from django.db import Error, connection, transaction

from scheduling import clock
from scheduling.doctor import installation, life, sizes, stuck
from scheduling.doctor.finding import DoctorFinding, Level, command, error
from scheduling.doctor.patient import Patient
from scheduling.models import SiteFacts
from staging.wording import one_line, say

logger = logging.getLogger(__name__)

Part = Callable[[Patient], Iterator[DoctorFinding]]

PARTS: tuple[Part, ...] = (
    installation.examine,
    life.examine,
    stuck.examine,
    sizes.examine,
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
    patient = Patient(clock.now(), read_facts)
    found = [finding for part in PARTS for finding in _part(part, patient)]
    return sorted(found, key=lambda finding: finding.level != Level.ERROR)


def _part(part: Part, patient: Patient) -> list[DoctorFinding]:
    """Return what one part finds; that it could not be looked at is a finding, too."""
    name = part.__module__.rpartition(".")[2]
    try:
        if connection.in_atomic_block:
            with transaction.atomic():
                return list(part(patient))
        return list(part(patient))
    except Exception as failed:
        logger.exception("the doctor could not look at %s", name, extra={"event": "doctor_failed"})
        text = say("This could not be looked at ({part}): {error}", part=name, error=one_line(failed))
        return [error(f"doctor.{name}", text, say("See the process log for the whole error."))]
