"""What grows: the log, runs, histories and what waits in staging; judged by retention and by a few round numbers."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from scheduling.doctor.finding import DoctorFinding, command, warning
from scheduling.models import RetentionPolicy, Run, SchedulerConfiguration, SchedulerLog, Task
from scheduling.states import ProcessingMode
from staging.identifiers import history_table
from staging.models import Batch, Entity
from staging.sql.dialect import dialect
from staging.tables.columns import pending_statistics
from staging.wording import say

MANY_ROWS = 10_000_000  # of one table of ours: pages get slow, and so does every backup
MANY_PENDING = 1_000_000
MANY_REJECTED = 100_000
_LATE = timedelta(days=2)  # for retention, which runs each hour
_OLD = timedelta(days=1)
_NAMED = 10


def examine(now: datetime) -> Iterator[DoctorFinding]:
    """Find what retention should have deleted, tables that are large, and rows that nobody takes."""
    yield from _retention(now)
    yield from _tables()
    yield from _staged(now)


def _retention(now: datetime) -> Iterator[DoctorFinding]:
    """Find what is older than the policy allows."""
    policy = RetentionPolicy.current()
    log_before, runs_before = (now - timedelta(days=days) - _LATE for days in (policy.log_days, policy.runs_days))
    if SchedulerLog.objects.filter(event_time__lt=log_before).exists():
        text = say("The log has events older than the {days} days of the retention policy.", days=policy.log_days)
        yield warning("retention.log", text, command("cleanup"))
    if Run.objects.over().filter(finished_at__lt=runs_before).exists():
        text = say("There are ended runs older than the {days} days of the retention policy.", days=policy.runs_days)
        yield warning("retention.runs", text, command("cleanup"))


def _tables() -> Iterator[DoctorFinding]:
    """Find tables with very many rows; the numbers are the database's own guess, which costs nothing."""
    own = [model._meta.db_table for model in (SchedulerLog, Run, Task, Batch)]
    histories = [history_table(code) for code in Entity.objects.values_list("code", flat=True)]
    for table, rows in sorted(dialect().rows_about([*own, *histories]).items()):
        if rows >= MANY_ROWS:
            text = say("The table {table} has about {rows:,} rows.", table=table, rows=rows)
            yield warning("size.table", text, say("Keep fewer days of it: Retention policy in the admin."))


def _staged(now: datetime) -> Iterator[DoctorFinding]:
    """Find staging tables with very many rows, and triggered entities whose rows nothing takes."""
    found = SchedulerConfiguration.objects.filter(entity__is_cancelled=False).select_related("entity")
    configurations = list(found.order_by("entity__code"))
    entities = [each.entity for each in configurations]
    pending = pending_statistics(entities, with_rejected=True)
    for each in configurations:
        code, waiting = each.entity.code, pending[each.entity_id]
        is_old = waiting.oldest_at is not None and now - waiting.oldest_at > _OLD
        if waiting.count >= MANY_PENDING:
            text = say("{rows:,} rows of {entity} wait in staging.", rows=waiting.count, entity=code)
            yield warning("staging.backlog", text, command(f"process_batch {code}"))
        elif is_old and each.processing_mode == ProcessingMode.TRIGGERED:
            text = say(
                "Rows of {entity} wait since {since}, and no trigger takes them.", entity=code, since=waiting.oldest_at
            )
            yield warning("staging.old", text, command(f"test_run {code}"))
        if waiting.rejected >= MANY_REJECTED:
            text = say("{rows:,} rejected rows of {entity} are kept.", rows=waiting.rejected, entity=code)
            yield warning(
                "staging.rejected", text, say("Mend them, or delete what nobody wants, on the page of its rows.")
            )
