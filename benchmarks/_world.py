"""A large installation for benchmarks of pages, made by few set-based statements: one row, stored by its model, again.

What a model says of its columns is said once: each table is filled with copies of a row that the model stored, which
differ in the columns that are named, as SQL of `n`.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from benchmarks._scratch import vacuum
from benchmarks.cycle import build
from benchmarks.statistics import execute

LOG_DAYS, RUN_DAYS = 30, 90
CHUNK = 500_000
ROWS_OF_ONE, WAITING, REJECTED = 100_000, 20, 3


@dataclass(frozen=True)
class Size:
    """How much of everything the installation has."""

    entities: int
    events: int
    runs: int
    steps: int


def fill(size: Size, now: datetime) -> None:
    """Make the installation, `now` being the end of its history."""
    from scheduling.figures.roll_up import roll_up
    from scheduling.metrics.tallies import settle_tallies

    if _is_postgresql():
        execute("SET statement_timeout = 0")  # an index over all events takes longer than a page may
    build(1, size.entities)
    _set_schedules(size, now)
    _fill_rows(size)
    _fill_runs(size, now)
    _fill_log(size, now)
    _make_a_large_plan(size, now)
    _make_one_of_the_rest(now)
    vacuum()
    roll_up(now)
    settle_tallies(now, at_least=timedelta())
    if _is_postgresql():
        execute("RESET statement_timeout")


def _numbers(first: int, last: int) -> str:
    """Return a table `numbers` with a column `n`, as a WITH clause."""
    from django.db import connection

    if connection.vendor == "postgresql":
        return f"WITH numbers (n) AS (SELECT generate_series({first}, {last}))"
    return f"WITH RECURSIVE numbers (n) AS (SELECT {first} UNION ALL SELECT n + 1 FROM numbers WHERE n < {last})"


def _ago(now: datetime, seconds: str) -> str:
    """Return the instant so many seconds before now, as SQL; it goes back evenly with n."""
    from django.db import connection

    if connection.vendor == "postgresql":
        return f"'{now.isoformat()}'::timestamptz - ({seconds}) * interval '1 second'"
    return f"strftime('%Y-%m-%d %H:%M:%f', '{now:%Y-%m-%d %H:%M:%S}', (-({seconds})) || ' seconds')"


def _again(row: Any, first: int, last: int, **values: str) -> None:
    """Store the row again for each n from first to last, with these columns as SQL of n; `id` may be one of them."""
    columns = [field.column for field in row._meta.concrete_fields if field.column != "id" or "id" in values]
    selected = ", ".join(f"({values[column]})" if column in values else f'o."{column}"' for column in columns)
    named = ", ".join(f'"{column}"' for column in columns)
    table = row._meta.db_table
    for start in range(first, last + 1, CHUNK):
        execute(
            f"INSERT INTO {table} ({named}) {_numbers(start, min(start + CHUNK - 1, last))}"
            f" SELECT {selected} FROM numbers, {table} o WHERE o.id = {row.pk}"
        )


def _entity(size: Size) -> str:
    """Return the id of the n-th entity, as SQL; they were numbered in one go."""
    from staging.models import Entity

    return f"{Entity.objects.order_by('pk')[0].pk} + (n * 7) % {size.entities}"


def _set_schedules(size: Size, now: datetime) -> None:
    """Half run daily, a quarter by triggers, a quarter by hand; one in fifty is overdue, one in forty paused."""
    from django.db.models import F

    from scheduling.models import SchedulerConfiguration

    all_of_them = SchedulerConfiguration.objects.annotate(part=F("pk") % 4)
    all_of_them.filter(part__lt=2).update(
        processing_mode="scheduled", schedule_type="daily", run_times="06:00", timezone="Europe/Amsterdam",
        next_scheduled_run=now + timedelta(hours=6), armed_from=now - timedelta(days=90), last_result="completed",
        last_completed_at=now - timedelta(hours=1),
    )  # fmt: skip
    all_of_them.filter(part=2).update(processing_mode="triggered", trigger_row_threshold=500)
    of = SchedulerConfiguration.objects
    of.annotate(part=F("pk") % 100).filter(part__in=(0, 1)).update(next_scheduled_run=now - timedelta(minutes=20))
    of.annotate(part=F("pk") % 40).filter(part=4).update(paused_at=now, paused_by="ann", pause_reason="Audit")
    of.annotate(part=F("pk") % 30).filter(part=5).update(last_result="failed", consecutive_failures=1)


def _fill_rows(size: Size) -> None:
    """Let some rows wait and some be rejected in every entity, and the first have many, processed and stored."""
    from staging.models import Entity

    codes = list(Entity.objects.order_by("pk").values_list("code", flat=True))
    for code in codes:
        _stage(code, 1, WAITING, "import_status", "0")
        _stage(code, WAITING + 1, WAITING + REJECTED, "import_status, error_code, error_message", "2, 1, 'No code.'")
    one = codes[0]
    _stage(one, 100, ROWS_OF_ONE, "import_status", "1")
    values = "SELECT 'c' || n, 'Member ' || n, n FROM numbers"
    execute(f"INSERT INTO mdm_{one} (code, name, value) {_numbers(1, ROWS_OF_ONE)} {values}")


def _stage(code: str, first: int, last: int, columns: str, values: str) -> None:
    execute(
        f"INSERT INTO stg_{code} (code, name, value, {columns}) {_numbers(first, last)}"
        f" SELECT 'c' || n, 'Name ' || n, n, {values} FROM numbers"
    )


def _fill_runs(size: Size, now: datetime) -> None:
    """Store the runs, each with its task, its attempt and its batch; one in fifty failed."""
    from uuid import UUID

    from django.db.models import F

    from scheduling.models import Attempt, Queue, Run, Task
    from staging.models import Batch, Entity

    first, entity = Entity.objects.order_by("pk")[0], _entity(size)
    queue, _ = Queue.objects.get_or_create(name="default")
    at = _ago(now, f"60 + n * {RUN_DAYS * 86400 / size.runs}")
    ended = {"created_at": now, "started_at": now, "finished_at": now}
    run = Run.objects.create(kind="batch", entity=first, status="completed", fire_key="k", **ended)
    batch = Batch.objects.create(entity=first, status="completed", inserted=5, updated=3, rejected=1, rows_total=9,
                                 duration_ms=900, trigger_source="Schedule", **ended)  # fmt: skip
    task = Task.objects.create(run=run, key="batch", workload="batch", entity=first, target_id=first.pk, queue=queue,
                               status="completed", attempts_made=1, finished_at=now, started_at=now)  # fmt: skip
    attempt = Attempt.objects.create(task=task, number=1, worker="w1", token=UUID(int=0), claimed_at=now,
                                     heartbeat_at=now, finished_at=now, outcome="completed")  # fmt: skip
    status = "CASE WHEN n % 50 = 0 THEN 'failed' ELSE 'completed' END"
    times, of = dict.fromkeys(ended, at), {"entity_id": entity, "status": status}
    last = size.runs + 1
    _again(run, 2, last, id="n", fire_key="'k' || n", **of, **times)
    _again(batch, 2, last, id="n", task_id="n", rejected="n % 3", **of, **times)
    _again(task, 2, last, id="n", run_id="n", target_id=entity, finished_at=at, started_at=at, **of)
    token = "substr('00000000000000000000000000000000' || n, length('' || n) + 1)"
    token = f"({token})::uuid" if _is_postgresql() else token
    _again(attempt, 2, last, id="n", task_id="n", token=token, claimed_at=at, heartbeat_at=at, finished_at=at)
    # Every seventh has a title instead of an entity: a common one, but for one that ran once, long ago.
    titled = Run.objects.annotate(part=F("pk") % 7).filter(part=3)
    titled.update(kind="ordered", entity=None, title="Report")
    titled.filter(pk=titled.latest("pk").pk - 70).update(title="Once a year")
    for model in (Run, Batch, Task, Attempt):
        _number_on(model)


def _fill_log(size: Size, now: datetime) -> None:
    """Store the events, evenly over the days that the log is kept; its indexes are made afterwards: that is quicker."""
    from django.db import connection

    from scheduling.models import SchedulerLog
    from staging.models import Entity

    gates = [{"gate": "due", "passed": True, "value": "06:00", "limit": "06:00", "text": "Due since 06:00."}]
    event = SchedulerLog.objects.create(
        entity=Entity.objects.order_by("pk")[0], event_time=now, event_type="fired", trigger_source="Schedule",
        message="35 inserted, 7 rejected.", details={"gates": gates, "reason": "due"},
    )  # fmt: skip
    with connection.schema_editor() as editor:
        for index in SchedulerLog._meta.indexes:
            editor.remove_index(SchedulerLog, index)
    kind = "CASE WHEN n % 1000 = 0 THEN 'error' WHEN n % 5 = 2 THEN 'skipped' WHEN n % 5 IN (0, 3) THEN 'fired'"
    _again(
        event, 2, size.events, entity_id=_entity(size), event_type=f"{kind} ELSE 'completed' END",
        event_time=_ago(now, f"n * {LOG_DAYS * 86400 / size.events}"),
        reason="CASE WHEN n % 5 = 2 THEN 'overlap' END", run_id=f"2 + n % {size.runs}",
        starter="CASE WHEN n % 5 = 2 THEN NULL WHEN n % 500 = 0 THEN 'person' ELSE 'schedule' END",
    )  # fmt: skip
    with connection.schema_editor() as editor:
        for index in SchedulerLog._meta.indexes:
            editor.add_index(SchedulerLog, index)


def _make_a_large_plan(size: Size, now: datetime) -> None:
    """Store a plan with its steps, one after every ten others, and a run of it that has ended."""
    from scheduling.models import Plan, PlanStep, Queue, Run, SqlScript, Task
    from scheduling.plans.draft import PlanDraft, StepDraft
    from scheduling.plans.save import save_plan

    made = SqlScript.objects.bulk_create(SqlScript(name=f"Script {n}", sql="SELECT 1") for n in range(size.steps))
    steps = [StepDraft(PlanStep(script=each, step_index=1 + n // 10)) for n, each in enumerate(made)]
    plan = save_plan(PlanDraft(Plan(name="Everything"), {}, steps), now=now)
    times = {"created_at": now, "started_at": now, "finished_at": now}
    run = Run.objects.create(kind="plan", title=plan.name, plans=[plan.name], status="completed", fire_key="p", **times)
    Task.objects.bulk_create(
        Task(run=run, key=each.name, workload="script", target_id=each.pk, queue=Queue.objects.get(),
             status="completed", step_index=1 + n // 10, finished_at=now, started_at=now, attempts_made=1)
        for n, each in enumerate(made)
    )  # fmt: skip


def _make_one_of_the_rest(now: datetime) -> None:
    """Store what an installation has few of: one job with its schedule, a calendar, a rule, an alert, a token."""
    from django.contrib.auth.models import User

    from scheduling import models
    from staging import tokens
    from staging.models import AuditEntry, BusinessRule, Entity

    one = Entity.objects.order_by("pk")[0]
    job = models.Job.objects.create(name="Report", path="shop.jobs.report", source="shop/jobs.py:1")
    models.JobSchedule.objects.create(job=job, name="Daily", schedule_type="daily", run_times="07:00", armed_from=now,
                                      next_scheduled_run=now + timedelta(hours=7))  # fmt: skip
    for name in (models.Heartbeat.DISPATCHER, "w1"):
        models.Heartbeat.objects.create(name=name, kind="worker", started_at=now, seen_at=now + timedelta(days=9))
    models.BlackoutCalendar.objects.create(name="Holidays")
    models.AlertChannel.objects.create(name="Night", addresses="a@example.com")
    rule, _ = models.AlertRule.objects.get_or_create(name="A run failed", defaults={"condition": "failed"})
    models.Alert.objects.create(rule=rule, subject="x", entity=one, said={"say": "Wrong."}, opened_at=now)
    models.RetentionPolicy.objects.get_or_create(pk=1)
    BusinessRule.objects.create(entity=one, name="Named", is_cancelled=True)
    AuditEntry.objects.create(kind="exported")
    owner = User.objects.create(username="owner", is_superuser=True)
    tokens.issue(owner, name="loader", scopes=["read"], entities=None, by="someone")


def _is_postgresql() -> bool:
    from django.db import connection

    return bool(connection.vendor == "postgresql")


def _number_on(model: Any) -> None:
    """Let the next row of a table, which was filled with numbers of ours, be numbered after them."""
    if _is_postgresql():
        table = model._meta.db_table
        execute(f"SELECT setval(pg_get_serial_sequence('{table}', 'id'), (SELECT max(id) FROM {table}))")
