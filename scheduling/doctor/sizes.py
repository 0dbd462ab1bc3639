"""What grows: the log, runs, histories and what waits in staging; judged by retention and by a few round numbers."""

from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any

from scheduling.doctor.finding import DoctorFinding, command, warning
from scheduling.doctor.patient import Look, Patient
from scheduling.models import Run, SchedulerLog
from scheduling.states import ProcessingMode
from staging.tables.landed import pending_in_all
from staging.wording import say

MANY_ROWS = 10_000_000  # of one table of ours: pages get slow, and so does every backup
MANY_PENDING = 1_000_000
MANY_REJECTED = 100_000
_LATE = timedelta(days=2)  # for retention, which runs each hour
_OLD = timedelta(days=1)
_NAMED = 10


def looks(patient: Patient) -> Iterator[Look]:
    """Look at what retention should have deleted, at tables that are large, and at rows that nobody takes."""
    policy = patient.facts
    log_before, runs_before = (patient.now - timedelta(days) - _LATE for days in (policy.log_days, policy.runs_days))

    def log(_: Any) -> Iterator[DoctorFinding]:
        text = say("The log has events older than the {days} days of the retention policy.", days=policy.log_days)
        yield warning("retention.log", text, command("cleanup"))

    def runs(_: Any) -> Iterator[DoctorFinding]:
        text = say("There are ended runs older than the {days} days of the retention policy.", days=policy.runs_days)
        yield warning("retention.runs", text, command("cleanup"))

    yield Look(log, SchedulerLog.objects.filter(event_time__lt=log_before))
    yield Look(runs, Run.objects.over().filter(finished_at__lt=runs_before))
    yield Look(lambda _: _tables(patient.database.rows_about))
    yield Look(lambda _: _staged(patient))


def _tables(rows_about: Mapping[str, int]) -> Iterator[DoctorFinding]:
    """Find tables with very many rows; the numbers are the database's own guess, which costs nothing."""
    for table, rows in sorted(rows_about.items()):
        if rows >= MANY_ROWS:
            text = say("The table {table} has about {rows:,} rows.", table=table, rows=rows)
            yield warning("size.table", text, say("Keep fewer days of it: Retention policy in the admin."))


def _staged(patient: Patient) -> Iterator[DoctorFinding]:
    """Find staging tables with very many rows, and triggered entities whose rows nothing takes."""
    configured = [(each.tabled, each.mode) for each in patient.live_entities if each.mode is not None]
    rows = pending_in_all(entity for entity, _ in configured)
    for entity, mode in configured:
        code, pending = entity.code, rows[entity.pk]
        is_old = pending.oldest_at is not None and patient.now - pending.oldest_at > _OLD
        if pending.count >= MANY_PENDING:
            text = say("{rows:,} rows of {entity} wait in staging.", rows=pending.count, entity=code)
            yield warning("staging.backlog", text, command(f"process_batch {code}"))
        elif is_old and mode == ProcessingMode.TRIGGERED:
            text = say(
                "Rows of {entity} wait since {since}, and no trigger takes them.", entity=code, since=pending.oldest_at
            )
            yield warning("staging.old", text, command(f"test_run {code}"))
        if pending.rejected >= MANY_REJECTED:
            text = say("{rows:,} rejected rows of {entity} are kept.", rows=pending.rejected, entity=code)
            yield warning(
                "staging.rejected", text, say("Mend them, or delete what nobody wants, on the page of its rows.")
            )
