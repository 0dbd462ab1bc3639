"""Promise: after each round exactly that is open which a look without any memory finds, whatever happened when."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from scheduling import statements
from scheduling.alerts import of_rows, of_runs
from scheduling.alerts.conditions import find
from scheduling.alerts.findings import Round
from scheduling.alerts.watch import go_round
from scheduling.lifecycle import events
from scheduling.models import (
    Alert,
    AlertRule,
    BlackoutCalendar,
    BlackoutPeriod,
    Job,
    JobSchedule,
    Plan,
    Run,
    SchedulerConfiguration,
    SchedulerLog,
    SchedulerState,
)
from scheduling.models.schedule import ScheduleQuerySet
from scheduling.states import EventType
from staging.models import Batch, Entity
from staging.tables.landed import known_instant
from tests.depth import examples
from tests.scheduling.admin.conftest import make_configuration
from tests.scheduling.alerts.conftest import NOW, rule_of

pytestmark = pytest.mark.django_db
MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)
FIRED = {"schedule_type": "interval", "interval_minutes": 60, "is_enabled": True, "processing_mode": "scheduled"}
CODES = ("customer", "branch")
RULES: dict[str, dict[str, Any]] = {
    "failed": {},
    "warned": {},
    "missed": {},
    "late": {"minutes": 20},
    "nothing_completed": {"minutes": 30},
    "not_delivered": {"at": (NOW + 10 * MINUTE).time()},
    "held": {"minutes": 10},
    "long": {},
    "past_deadline": {},
    "waiting": {"minutes": 15},
}
DEEDS = ("fail", "warn", "complete", "miss", "begin", "begin", "usual", "end", "hold", "decide", "land",
         "land long ago", "take", "empty", "pause all", "go on", "move", "fail for good", "try again", "cancel",
         "use again", "pause", "resume", "switch off", "switch on", "other zone", "pass over", "forget")  # fmt: skip


@pytest.fixture
def things(own_rules: None) -> None:
    """Two entities, a job with a schedule, a plan; and rules about all, of which some name one of them, too."""
    for code in CODES:
        make_configuration(code, **FIRED)
    of_all = {key: value for key, value in FIRED.items() if key != "processing_mode"}
    Plan.objects.create(name="Nightly", armed_from=NOW, **of_all)
    job = Job.objects.create(name="Sync", path="a.b", source="a.py:1")
    JobSchedule.objects.create(job=job, name="One", armed_from=NOW, **of_all)


@given(
    deeds=st.lists(
        st.tuples(st.integers(0, 12), st.sampled_from(CODES), st.sampled_from(DEEDS)), min_size=5, max_size=14
    ),
    narrowed=st.booleans(),
)
@settings(max_examples=examples(6), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_is_open_is_what_a_look_without_memory_finds(
    things: None, deeds: list[tuple[int, str, str]], narrowed: bool
) -> None:
    begin_anew(narrowed)
    now = NOW
    for number, (wait, code, deed) in enumerate(deeds):
        do(code, deed, now, number)
        for _ in range(1 + wait // 7):
            now += (1 + wait % 7) * MINUTE
            go_round(now)
            compare(now)
    event(f"{Alert.objects.values('rule').distinct().count()} kinds of rules found something")


def begin_anew(narrowed: bool) -> None:
    for model in (Alert, AlertRule, Run, Batch, SchedulerLog, SchedulerState):
        model._default_manager.all().delete()
    for table in SchedulerConfiguration, Plan, JobSchedule:
        table.objects.update(
            last_result="", consecutive_failures=0, last_warnings=0, last_completed_at=None,
            next_scheduled_run=NOW + HOUR / 4, is_running=False, armed_from=NOW, is_enabled=True, paused_at=None,
            timezone="UTC", calendar=None,
        )  # fmt: skip
    Entity.objects.update(is_cancelled=False)
    Plan.objects.update(is_cancelled=False)
    with connection.cursor() as cursor:
        for code in CODES:
            cursor.execute(f"DELETE FROM stg_{code}")
    for condition, limits in RULES.items():
        rule = rule_of(condition, **limits)
        if narrowed:
            rule.entities.set([SchedulerConfiguration.objects.get(entity__code="customer").entity])


def do(code: str, deed: str, now: datetime, number: int) -> None:
    """Let one thing happen, as it would stand in the database."""
    rows = SchedulerConfiguration.objects.filter(entity__code=code)
    one = rows.get()
    plans = Plan.objects.all() if code == "branch" else Plan.objects.none()
    for each in (rows, plans):
        if deed == "fail":
            each.update(last_result="failed", consecutive_failures=number + 1)
        elif deed in ("warn", "complete"):
            warnings = number if deed == "warn" else 0
            each.update(last_result="completed", consecutive_failures=0, last_warnings=warnings, last_completed_at=now)
        elif deed == "move":
            each.update(next_scheduled_run=now + number * MINUTE)
    if deed == "miss":
        events.record(EventType.MISSED, now=now, entity_id=one.entity_id)
    of_entity = {"kind": "batch", "entity": one.entity, "created_at": now, "started_at": now}
    if deed == "begin":
        deadline = now + number * MINUTE if number % 2 else None
        Run.objects.create(fire_key=f"r{number}", status="running", deadline_at=deadline, **of_entity)
    elif deed == "usual":
        for each in range(5):
            Run.objects.create(
                fire_key=f"u{number}:{each}", status="completed", finished_at=now + 2 * MINUTE, **of_entity
            )
    elif deed == "end":
        Run.objects.filter(entity=one.entity, status="running").update(status="completed", finished_at=now)
    elif deed == "pause all":
        SchedulerState.objects.update_or_create(pk=1, defaults={"paused_at": now})
    elif deed == "go on":
        SchedulerState.objects.update(paused_at=None)
    of_batches_and_runs(one.entity, deed, now, number)
    by_people(rows, plans, deed, now)
    in_staging(code, deed, now)


def of_batches_and_runs(entity: Entity, deed: str, now: datetime, number: int) -> None:
    runs, last = Run.objects.filter(entity=entity), Run.objects.filter(entity=entity).order_by("-pk")[:1]
    if deed == "fail for good":
        runs.filter(status="running").update(status="failed", finished_at=now)
    elif deed == "try again":  # it waits for its next attempt, and may be late meanwhile
        waits = {"next_attempt_at": now + HOUR, "deadline_at": now + number * MINUTE}
        runs.filter(pk__in=list(last.values_list("pk", flat=True)), status="failed").update(**waits)
    elif deed == "hold":
        Batch.objects.create(entity=entity, status="held", created_at=now, duration_ms=number * 60_000)
    elif deed == "decide":
        Batch.objects.filter(entity=entity, status="held").update(status="completed", finished_at=now)
    elif deed == "forget":
        SchedulerLog.objects.filter(entity=entity).delete()
        runs.filter(finished_at__isnull=False).delete()


def by_people(rows: ScheduleQuerySet, plans: ScheduleQuerySet, deed: str, now: datetime) -> None:
    """Let somebody change what is watched, and not how it goes."""
    if deed in ("cancel", "use again"):
        plans.update(is_cancelled=deed == "cancel")
        Entity.objects.filter(configuration__in=rows).update(is_cancelled=deed == "cancel")
    for each in (rows, plans):
        if deed in ("pause", "resume"):
            each.update(paused_at=now if deed == "pause" else None)
        elif deed in ("switch off", "switch on"):
            each.update(is_enabled=deed == "switch on", armed_from=now)
    if deed == "other zone":
        rows.update(timezone="Pacific/Auckland")
    elif deed == "pass over":
        holidays, _ = BlackoutCalendar.objects.get_or_create(name="Holidays")
        BlackoutPeriod.objects.get_or_create(calendar=holidays, kind="days", first_day=now.date())
        rows.update(calendar=holidays)


def in_staging(code: str, deed: str, now: datetime) -> None:
    with connection.cursor() as cursor:
        if deed.startswith("land"):
            at = now - HOUR if "ago" in deed else now
            cursor.execute(f"INSERT INTO stg_{code} (code, created_at) VALUES ('a', %s)", [at])
        elif deed == "take":
            cursor.execute(f"UPDATE stg_{code} SET import_status = 1")
        elif deed == "empty":
            cursor.execute(f"DELETE FROM stg_{code}")


def compare(now: datetime) -> None:
    """Look again with nothing in mind, and find the same; then remember what was in mind."""
    memories: tuple[dict[Any, Any], ...] = (statements._written, statements._made, of_runs._judged, of_rows._looks)
    kept = [dict(each) for each in memories]
    known_instant.cache_clear()
    for each in memories:
        each.clear()
    for rule in AlertRule.objects.all():
        wanted = {breach.subject for breach in find(rule, Round(now)).breaches}
        assert set(Alert.objects.open().filter(rule=rule).values_list("subject", flat=True)) == wanted, (rule, now)
    for each, before in zip(memories, kept, strict=True):
        each.clear()
        each.update(before)
