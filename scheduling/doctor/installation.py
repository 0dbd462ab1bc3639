"""Settings, database, broker and clock of this host: what the start-up checks say, and what a database tells beside."""

from collections.abc import Iterator
from datetime import timedelta
from functools import cache

from django.core import checks
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.recorder import MigrationRecorder
from django.db.models import QuerySet

from scheduling import clock, conf
from scheduling.doctor.finding import DoctorFinding, Level, command, error, warning
from scheduling.doctor.patient import Look, Patient
from scheduling.models import SchedulerState, SqlScript
from scheduling.schedules.tzdata import installed_version
from scheduling.statements import made_of
from scheduling.workloads.script_role import without_role
from staging.sql.dialect import Server
from staging.tables.columns import savepoint
from staging.wording import counted, say

_OLDEST_POSTGRESQL = 15
TO_START = "start"  # the tag of checks whose errors keep processes from starting
DATABASE_AWAY = "scheduling.E007"  # a process may start without the database, and waits for it
_BROKER_AWAY = "scheduling.W002"  # a process may start without the broker; an installation does not work without
_OPEN_TOO_LONG = timedelta(hours=1)
_DRIFT = timedelta(seconds=2)


def looks(patient: Patient) -> Iterator[Look]:
    """Look at what the checks of `check --database default` tell (of production: `--deploy`), and at what is beside."""
    yield Look(lambda _: _checked())
    yield Look(lambda _: _server(patient.database.server))
    yield Look(_scripts, without_role())
    yield Look(_time_zones, SchedulerState.objects.exclude(tzdata_version__in=["", installed_version()]))
    yield Look(lambda _: _clock())


def _checked() -> Iterator[DoctorFinding]:
    for message in _told_by_checks():
        if message.is_silenced():
            continue
        name = str(message.id or "check")
        is_error = message.level >= checks.ERROR or name == _BROKER_AWAY
        mend = message.hint or say("See docs/operations.md, Settings.")
        yield DoctorFinding(name, Level.ERROR if is_error else Level.WARNING, message.msg, mend)


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
    waits = counted(len(unapplied), "migration is not applied", "migrations are not applied")
    return say("{waits}, the first is {first}.", waits=waits, first=unapplied[0])


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


def _server(server: Server | None) -> Iterator[DoctorFinding]:
    """Find what is wrong with a PostgreSQL server, and with the account we are there."""
    if server is None:
        return
    if server.version < _OLDEST_POSTGRESQL:
        text = say("PostgreSQL {version} is too old.", version=server.version)
        yield error("database.version", text, say("Move to PostgreSQL {oldest} or newer.", oldest=_OLDEST_POSTGRESQL))
    if server.encoding != "UTF8":
        text = say("The database keeps text as {encoding}.", encoding=server.encoding)
        yield error(
            "database.encoding", text, say("Make a database with the encoding UTF8 and restore a dump into it.")
        )
    if server.is_superuser:
        text = say("The database account is a superuser: whoever gets into the program may do anything there.")
        yield warning("database.superuser", text, say("Use an account that owns its database and is no superuser."))
    process, open_for = server.oldest or (0, timedelta())
    if open_for >= _OPEN_TOO_LONG:  # nothing that was deleted or changed since can be cleaned up
        text = say("A transaction has been open for {time}: rows that are gone cannot be cleaned up.", time=open_for)
        mend = say("End it, or in psql: SELECT pg_terminate_backend({process})", process=process)
        yield warning("database.transaction", text, mend)


def _scripts(_: QuerySet[SqlScript]) -> Iterator[DoctorFinding]:
    """Find that scripts have no role to run as."""
    text = say("SQL scripts cannot run: the database role they run as is not there.")
    yield error("scripts.role", text, command("create_script_role --print"))


def _clock() -> Iterator[DoctorFinding]:
    """Find a clock that differs, and not yet so much that nothing runs."""
    ahead = clock.ahead()
    if _DRIFT <= abs(ahead) <= conf.clock_tolerance():
        text = say("The clock of this host differs from the database's by {seconds}.", seconds=abs(ahead))
        yield warning("clock.drift", text, say("Keep all hosts on NTP."))


def _time_zones(of_others: QuerySet[SchedulerState]) -> Iterator[DoctorFinding]:
    """Find time zone data of this host that is not what next runs were computed from."""
    for state in of_others:
        text = say(
            "Time zone data here is {installed}, next runs were computed from {stored}.",
            installed=installed_version(),
            stored=state.tzdata_version,
        )
        yield warning("time_zones.version", text, command("cleanup"))
