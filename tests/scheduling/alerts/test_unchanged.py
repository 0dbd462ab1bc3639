"""Promise: a look sees every change, writes nothing when there is none, and has room for thousands of things."""

import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scheduling.alerts import findings
from scheduling.alerts.conditions import find
from scheduling.alerts.findings import Round
from scheduling.alerts.watch import go_round
from scheduling.lifecycle import events
from scheduling.models import AlertRule, Heartbeat, Job, JobSchedule, Plan, Run, SchedulerConfiguration
from scheduling.states import AlertCondition, EventType
from staging.models import Batch, Entity
from staging.sql import kept_plans
from tests.depth import examples
from tests.scheduling.admin.conftest import make_configuration
from tests.scheduling.alerts.conftest import NOW, rule_of

pytestmark = pytest.mark.django_db
MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
LIMITS = {"nothing_completed": {"minutes": 5}, "waiting": {"minutes": 5}, "not_delivered": {"at": NOW.time()}}
OF_SCHEDULES = ("failed", "warned", "late", "nothing_completed")
FIRED = {"schedule_type": "interval", "interval_minutes": 60, "is_enabled": True}
changes = st.fixed_dictionaries(
    {
        "last_result": st.sampled_from(["failed", "completed", ""]),
        "consecutive_failures": st.integers(0, 2),
        "last_warnings": st.integers(0, 2),
        "last_completed_at": st.none() | st.sampled_from([NOW - HOUR, NOW - 2 * HOUR, NOW]),
        "next_scheduled_run": st.none() | st.sampled_from([NOW - HOUR, NOW - 2 * HOUR, NOW]),
    }
)


@pytest.fixture
def schedules(own_rules) -> list:
    """Two entities, two plans and two schedules of a job."""
    job = Job.objects.create(name="Sync", path="a.b", source="a.py:1")
    return [
        *(make_configuration(code, processing_mode="scheduled", **FIRED) for code in ("customer", "branch")),
        *(Plan.objects.create(name=name, armed_from=NOW - HOUR, **FIRED) for name in ("Nightly", "Weekly")),
        *(JobSchedule.objects.create(job=job, name=name, armed_from=NOW - HOUR, **FIRED) for name in ("One", "Two")),
    ]


@pytest.fixture
def rules(own_rules) -> list[AlertRule]:
    """A rule of each kind that is about what has a schedule."""
    return [rule_of(condition, **LIMITS.get(condition, {})) for condition in OF_SCHEDULES]


@given(steps=st.lists(st.tuples(st.integers(0, 5), changes), min_size=2, max_size=6))
@settings(max_examples=examples(10), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_is_found_has_another_fingerprint_whenever_it_is_another(schedules, rules, steps):
    seen: dict[str, dict[str, frozenset]] = {rule.condition: {} for rule in rules}
    for which, columns in steps:
        one = schedules[which]
        type(one).objects.filter(pk=one.pk).update(**columns)
        for rule in rules:
            found = find(rule, Round(NOW))
            told = frozenset((each.subject, str(each.said())) for each in found.breaches)
            assert seen[rule.condition].setdefault(found.fingerprint, told) == told
    for rule in rules:
        told = list(seen[rule.condition].values())
        assert len(told) == len(set(told)), (rule, seen[rule.condition])


def _set(schedule, result, failures=0):
    type(schedule).objects.filter(pk=schedule.pk).update(last_result=result, consecutive_failures=failures)


def _after(monkeypatch, owner, name, *acts):
    """Let something happen after each of the next calls of a function."""
    ask, left = getattr(owner, name), list(acts)

    def asked(*args, **kwargs):
        answer = ask(*args, **kwargs)
        if left:
            left.pop(0)()
        return answer

    monkeypatch.setattr(owner, name, asked)


def test_what_fails_and_completes_after_the_database_said_what_has_changed_is_over_at_the_next_look(
    schedules, monkeypatch
):
    customer, branch, *_ = schedules
    rule = rule_of("failed")
    go_round(NOW)
    _set(branch, "failed", 1)
    _after(monkeypatch, findings, "digests_of", lambda: _set(customer, "failed", 1))
    go_round(NOW + MINUTE)
    assert rule.alerts.open().count() == 2
    _set(customer, "completed")
    go_round(NOW + 2 * MINUTE)
    assert [alert.subject for alert in rule.alerts.open()] == [f"configuration:{branch.pk}"]


def test_what_completes_while_it_is_told_and_fails_again_is_told(schedules, monkeypatch):
    customer, *_ = schedules
    rule = rule_of("failed")
    go_round(NOW)
    _set(customer, "failed", 1)
    _after(monkeypatch, Round, "seen", lambda: _set(customer, "completed"))
    go_round(NOW + MINUTE)
    _set(customer, "failed", 1)
    go_round(NOW + 2 * MINUTE)
    assert [alert.subject for alert in rule.alerts.open()] == [f"configuration:{customer.pk}"]


def test_a_rule_that_a_page_stores_as_it_read_it_before_a_round_ends_what_that_found(schedules):
    customer, *_ = schedules
    rule_of("failed")
    go_round(NOW)
    read = AlertRule.objects.get()
    _set(customer, "failed", 1)
    go_round(NOW + MINUTE)
    assert read.alerts.open().exists()
    read.save()
    _set(customer, "completed")
    go_round(NOW + 2 * MINUTE)
    assert not read.alerts.open().exists()


def test_a_round_in_which_nothing_has_changed_writes_one_statement(schedules):
    customer = schedules[0]
    for model in (SchedulerConfiguration, Plan, JobSchedule):
        model.objects.update(last_result="failed", consecutive_failures=2, next_scheduled_run=NOW - HOUR)
    events.record(EventType.MISSED, now=NOW - HOUR, entity_id=customer.entity_id)
    done = {"entity": customer.entity, "created_at": NOW - HOUR}
    Batch.objects.create(status="completed", rows_total=10, rejected=5, finished_at=NOW - HOUR, **done)
    Batch.objects.create(status="held", **done)
    Heartbeat.note(Heartbeat.DISPATCHER, Heartbeat.DISPATCHER, NOW - HOUR)
    for condition in AlertCondition:
        rule_of(condition, remind_every_minutes=600, **LIMITS.get(condition, {}))
    for minute in (0, 1):
        go_round(NOW + minute * MINUTE)
    with CaptureQueriesContext(connection) as captured:
        go_round(NOW + 2 * MINUTE)
    statements = [query["sql"] for query in captured if "SAVEPOINT" not in query["sql"]]
    written = [sql for sql in statements if not sql.startswith(("SELECT", "VALUES", "EXECUTE"))]
    assert [re.findall(r"^UPDATE (\w+)", sql) for sql in written] == [["scheduling_alertrule"]]
    assert len(statements) < 36


def test_a_round_looks_up_what_goes_on_however_much_has_ended():
    """Runs and batches are never read from the first on, nor by what nearly all of them have in common."""
    entity = make_configuration("customer").entity
    ended = {"status": "completed", "created_at": NOW - 9 * DAY, "finished_at": NOW - 8 * DAY}
    Run.objects.bulk_create(Run(kind="batch", entity=entity, fire_key=str(each), **ended) for each in range(3000))
    Batch.objects.bulk_create(Batch(entity=entity, rows_total=10, **ended) for _ in range(3000))
    for condition in AlertCondition:
        rule_of(condition, **LIMITS.get(condition, {}))
    asked = []
    _forget_plans()

    def note(execute, sql, params, *rest):
        asked.append((sql, params))
        return execute(sql, params, *rest)

    with connection.execute_wrapper(note):
        go_round(NOW)
        go_round(NOW + MINUTE)
    plans = [_plan_of(*each) for each in asked if '"scheduling_run"' in each[0] or '"staging_batch"' in each[0]]
    assert len(plans) >= 5
    read_whole = re.compile(r"(SCAN|Seq Scan on) (scheduling_run|staging_batch)\b|undoes_id=")
    for plan in plans:
        assert not read_whole.search(plan), plan


def _forget_plans():
    """Let all statements be seen as they are, and not only called by the names of plans that the connection keeps."""
    kept_plans._asked.clear()
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("DEALLOCATE ALL")


def _plan_of(sql, params):
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("ANALYZE scheduling_run, staging_batch")
        asked = sql if sql.startswith("SELECT") else sql[sql.rindex("EXECUTE") :]
        cursor.execute(f"EXPLAIN {'QUERY PLAN ' if connection.vendor == 'sqlite' else ''}{asked}", params)
        return f"{sql}\n" + "\n".join(str(row[-1]).partition("  (cost")[0] for row in cursor.fetchall())


def test_more_deliveries_than_one_statement_can_name_are_judged():
    """Each entity has one within the ten minutes that a rule looks back."""
    number = 1001
    entities = Entity.objects.bulk_create(Entity(code=f"e{each}", name=f"E {each}") for each in range(number))
    done = {"status": "completed", "created_at": NOW, "finished_at": NOW}
    Batch.objects.bulk_create(
        Batch(entity=entity, rows_total=1000 if before else 10, rejected=0 if before else 1, **done)
        for before in range(5, -1, -1) for entity in entities
    )  # fmt: skip
    for condition in ("volume", "rejected"):
        rule_of(condition, looked_at=NOW)
    go_round(NOW + MINUTE)
    assert [rule.alerts.count() for rule in AlertRule.objects.all()] == [number, number]
