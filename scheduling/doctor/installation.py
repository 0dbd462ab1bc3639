"""Settings, database, broker and clock of this host: what the start-up checks say, and what a database tells beside."""

from collections.abc import Iterator
from datetime import timedelta
from functools import cache
from typing import Any

from django.core import checks
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.recorder import MigrationRecorder
from django.db.models import QuerySet

from scheduling import clock, conf
from scheduling.doctor.finding import DoctorFinding, Level, command, error, warning
from scheduling.doctor.patient import Patient, told
from scheduling.models import SchedulerState, SqlScript
from scheduling.schedules.tzdata import installed_version
from scheduling.statements import made_of
from scheduling.workloads.script_role import missing_statements
from staging.sql.dialect import dialect
from staging.tables.columns import savepoint
from staging.wording import say

_OLDEST_POSTGRESQL = 15
TO_START = "start"  # the tag of checks whose errors keep processes from starting
DATABASE_AWAY = "scheduling.E007"  # a process may start without the database, and waits for it
_BROKER_AWAY = "scheduling.W002"  # a process may start without the broker; an installation does not work without
_OPEN_TOO_LONG = timedelta(hours=1)
_DRIFT = timedelta(seconds=2)


def examine(patient: Patient) -> Iterator[DoctorFinding]:
    """Find what the checks of `check --database default` tell (of production: `--deploy`), and what is wrong beside."""
    for message in _told_by_checks():
        if message.is_silenced():
            continue
        name = str(message.id or "check")
        is_error = message.level >= checks.ERROR or name == _BROKER_AWAY
        mend = message.hint or say("See docs/operations.md, Settings.")
        yield DoctorFinding(name, Level.ERROR if is_error else Level.WARNING, message.msg, mend)
    if (server := dialect().server()) is not None:
        yield from _server(*server)
    of_others = SchedulerState.objects.exclude(tzdata_version__in=["", installed_version()])
    yield from _transactions()
    yield from told((SqlScript.objects.all(), _scripts), (of_others, _time_zones))
    ahead = clock.ahead()
    if _DRIFT <= abs(ahead) <= conf.clock_tolerance():
        text = say("The clock of this host differs from the database's by {seconds}.", seconds=abs(ahead))
        yield warning("clock.drift", text, say("Keep all hosts on NTP."))


def _told_by_checks() -> Iterator[checks.CheckMessage]:
    """Yield what all checks tell."""
    yield from _told_of_models()
    for check in checks.registry.registry.get_checks(include_deployment_checks=not conf.is_embedded()):
        if checks.Tags.models not in check.tags:
            yield from check(app_configs=None, databases=["default"])


@cache
def _told_of_models() -> list[checks.CheckMessage]:
    """Return what they tell of the models: of the code of this process, which stays as it is."""
    return checks.run_checks(tags=[checks.Tags.models], databases=["default"])


def unfit() -> str:
    """Return why no process may start: settings or services that cannot keep the promises; empty when they can."""
    found = checks.run_checks(tags=[TO_START], databases=["default"])
    wrong = [each for each in found if each.is_serious() and not each.is_silenced() and each.id != DATABASE_AWAY]
    return "\n".join(" ".join(filter(None, (each.msg, each.hint, f"({each.id})"))) for each in wrong)


def not_migrated() -> str:
    """Return in a sentence that the database is not as this version needs it; empty when it is. Raises its errors."""
    if not (unapplied := unapplied_migrations()):
        return ""
    return say("{count} migrations are not applied, the first is {first}.", count=len(unapplied), first=unapplied[0])


def unapplied_migrations() -> list[str]:
    """Return the names of the migrations that this version needs and the database does not have. Raises its errors."""
    try:
        with savepoint():
            applied = list(MigrationRecorder.Migration.objects.values_list("app", "name"))
    except DatabaseError:  # nothing was ever applied here
        if not connection.is_usable():
            raise
        applied = []

    def unapplied(_: object) -> list[str]:
        executor = MigrationExecutor(connection)
        plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
        return [f"{migration.app_label}.{migration.name}" for migration, _ in plan]

    return made_of("migrations", applied, unapplied)


def _server(version: int, encoding: str, is_superuser: bool) -> Iterator[DoctorFinding]:
    """Find what is wrong with a PostgreSQL server, and with the account we are there."""
    if version < _OLDEST_POSTGRESQL:
        text = say("PostgreSQL {version} is too old.", version=version)
        yield error("database.version", text, say("Move to PostgreSQL {oldest} or newer.", oldest=_OLDEST_POSTGRESQL))
    if encoding != "UTF8":
        text = say("The database keeps text as {encoding}.", encoding=encoding)
        yield error(
            "database.encoding", text, say("Make a database with the encoding UTF8 and restore a dump into it.")
        )
    if is_superuser:
        text = say("The database account is a superuser: whoever gets into the program may do anything there.")
        yield warning("database.superuser", text, say("Use an account that owns its database and is no superuser."))


def _scripts(_: Any) -> Iterator[DoctorFinding]:
    """Find that scripts have no role to run as; asked of PostgreSQL only."""
    if missing_statements():
        text = say("SQL scripts cannot run: the database role they run as is not there.")
        yield error("scripts.role", text, command("create_script_role --print"))


def _transactions() -> Iterator[DoctorFinding]:
    """Find a transaction that somebody left open: nothing that was deleted or changed since can be cleaned up."""
    process, open_for = dialect().oldest_transaction() or (0, timedelta())
    if open_for >= _OPEN_TOO_LONG:
        text = say("A transaction has been open for {time}: rows that are gone cannot be cleaned up.", time=open_for)
        mend = say("End it, or in psql: SELECT pg_terminate_backend({process})", process=process)
        yield warning("database.transaction", text, mend)


def _time_zones(of_others: QuerySet[SchedulerState]) -> Iterator[DoctorFinding]:
    """Find time zone data of this host that is not what next runs were computed from."""
    for state in of_others:
        text = say(
            "Time zone data here is {installed}, next runs were computed from {stored}.",
            installed=installed_version(),
            stored=state.tzdata_version,
        )
        yield warning("time_zones.version", text, command("cleanup"))
