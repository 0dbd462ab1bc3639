"""Promise: each condition holds for what it says, from when it says, and for nothing else."""

from datetime import time, timedelta

import pytest
from django.db import connection

from scheduling import tasks
from scheduling.alerts import of_runs
from scheduling.alerts.conditions import find
from scheduling.alerts.findings import Round
from scheduling.alerts.watch import go_round
from scheduling.jobs.declare import every
from scheduling.lifecycle import events
from scheduling.models import (
    Alert,
    AlertDelivery,
    AlertRule,
    Heartbeat,
    Job,
    JobSchedule,
    Plan,
    Run,
    SchedulerConfiguration,
    SchedulerState,
)
from scheduling.runs.by_hand import start_job_now
from scheduling.runs.enqueue import enqueue
from scheduling.runs.restart import restart_run
from scheduling.states import EventType
from staging.entities.remove import remove_entity
from staging.models import Batch, Version
from staging.versions.units import one_change
from tests.scheduling.admin.conftest import make_configuration
from tests.scheduling.alerts.conftest import NOW, rule_of
from tests.scheduling.conftest import work_off

pytestmark = pytest.mark.django_db
HOUR, MINUTE = timedelta(hours=1), timedelta(minutes=1)


def said(rule, now=NOW) -> list[str]:
    """Return what the rule finds, in words."""
    return sorted(str(each.said()) for each in find(rule, Round(now)).breaches)


def put(configuration, **columns) -> SchedulerConfiguration:
    SchedulerConfiguration.objects.filter(pk=configuration.pk).update(**columns)
    return SchedulerConfiguration.objects.get(pk=configuration.pk)


def batch_of(configuration, ended, **columns) -> Batch:
    return Batch.objects.create(
        entity=configuration.entity, status="completed", created_at=ended, finished_at=ended, **columns
    )


def changed_last(rule) -> set[str]:
    """Return what the last version of a rule says was changed."""
    last = Version.objects.filter(subject_type="scheduling.alertrule", subject_id=rule.pk).order_by("-number").first()
    return {path[0] for path, _, _ in last.change}


def daily(**columns) -> SchedulerConfiguration:
    return make_configuration(
        "customer", processing_mode="scheduled", schedule_type="daily", run_times="06:00", is_enabled=True, **columns
    )


def test_failed_tells_of_entities_plans_and_jobs_and_of_nothing_that_is_gone(customer):
    Plan.objects.create(name="Nightly", last_result="failed", consecutive_failures=2)
    Plan.objects.create(name="Gone", last_result="failed", consecutive_failures=2, is_cancelled=True)
    job = Job.objects.create(name="Sync", path="a.b", source="a.py:1", category="Outside")
    JobSchedule.objects.create(job=job, name="Hourly", last_result="failed", consecutive_failures=1)
    wanted = ["Customer failed.", "Job Sync (Hourly) failed.", "Plan Nightly failed 2 times in a row."]
    assert said(rule_of("failed")) == wanted
    some = rule_of("failed", name="some", categories=["Outside"])
    assert said(some) == wanted[1:2]
    some.entities.add(customer.entity)
    assert said(some) == wanted[:2]


@pytest.mark.parametrize("kind", ["entity", "plan", "job"])
def test_a_rule_that_loses_the_last_thing_it_names_is_switched_off_and_never_about_everything(channel, customer, kind):
    """What is deleted leaves the rule by itself; nobody decided that it is about everything else now."""
    branch = make_configuration("branch", last_result="failed", consecutive_failures=1)
    things = {
        "entity": (customer.entity, "entities"),
        "plan": (Plan.objects.create(name="Nightly"), "plans"),
        "job": (Job.objects.create(name="Sync", path="a.b", source="a.py:1"), "jobs"),
    }
    thing, column = things[kind]
    rule, two = rule_of("failed", channel), rule_of("failed", channel, name="two")
    for each in (rule, two):
        getattr(each, column).set([thing])
    two.entities.add(branch.entity)
    with one_change():
        remove_entity(thing) if kind == "entity" else thing.delete()
    go_round(NOW)
    rule.refresh_from_db()
    two.refresh_from_db()
    assert (rule.is_enabled, two.is_enabled) == (False, True)
    assert [alert.rule for alert in Alert.objects.open()] == [two]
    assert changed_last(rule) == {column, "is_enabled"} and changed_last(two) == {column}


def test_of_several_that_are_deleted_at_once_the_rule_is_switched_off_with_the_last(channel):
    plans = [Plan.objects.create(name=name) for name in ("Nightly", "Weekly")]
    rule = rule_of("failed", channel)
    rule.plans.set(plans)
    Plan.objects.filter(name="Nightly").delete()
    rule.refresh_from_db()
    assert rule.is_enabled
    Plan.objects.create(name="Other", last_result="failed", consecutive_failures=1)
    rule.plans.add(late := Plan.objects.create(name="Late"))
    Plan.objects.filter(pk__in=[late.pk, plans[1].pk]).delete()
    rule.refresh_from_db()
    assert not rule.is_enabled


def test_a_failed_job_is_told_also_where_no_schedule_tells_of_it(make_job, channel):
    """What code enqueues runs beside its schedules; a job without any is run by people."""
    outcomes = dict.fromkeys(("Letter", "Report"), ValueError("no paper"))

    def body(context):
        """Fail, or not, as it is told."""
        if outcomes[context.job]:
            raise outcomes[context.job]

    letter = make_job("Letter", every(1, "hours"), body=body, category="Post")
    report = make_job("Report", body=body)
    rule = rule_of("failed", channel)
    some, none = rule_of("failed", name="some", categories=["Post"]), rule_of("failed", name="none", number=3)
    run = enqueue(make_job.function("Letter"), {}, now=NOW)
    by_hand = start_job_now(report, started_by="ann", now=NOW)
    work_off(NOW)
    assert said(rule) == ["Job Letter failed.", "Job Report failed."] and said(some) == ["Job Letter failed."]
    assert {one.leads_to for one in find(rule, Round(NOW)).breaches} == {f"run:{run.pk}", f"run:{by_hand.pk}"}
    enqueue(make_job.function("Letter"), {}, now=NOW)
    work_off(NOW)
    assert said(rule)[0] == "Job Letter failed 2 times in a row." and said(none) == []
    go_round(NOW)
    assert sorted(alert.subject for alert in Alert.objects.filter(rule=rule)) == sorted(
        [f"unscheduled:{letter.pk}", f"unscheduled:{report.pk}"]
    )
    go_round(NOW + 30 * HOUR)  # nothing was done about it
    assert Alert.objects.open().filter(rule=rule).count() == 2
    outcomes["Letter"] = outcomes["Report"] = None
    enqueue(make_job.function("Letter"), {}, now=NOW + 30 * HOUR)
    restart_run(by_hand, only_failed=True, started_by="ann", now=NOW + 30 * HOUR)
    work_off(NOW + 30 * HOUR)
    assert said(rule, NOW + 30 * HOUR) == []


def test_the_failure_of_a_schedule_leads_to_its_run_and_not_to_what_code_enqueued_beside_it(make_job):
    def body(context):
        """Fail."""
        raise ValueError("no paper")

    job = make_job("Letter", every(1, "hours"), body=body)
    run = start_job_now(job, started_by="ann", now=NOW)
    work_off(NOW)
    other = enqueue(make_job.function("Letter"), {}, now=NOW)
    work_off(NOW)
    rule = rule_of("failed")
    leads = {one.subject.partition(":")[0]: one.leads_to for one in find(rule, Round(NOW)).breaches}
    assert leads == {"job": f"run:{run.pk}", "unscheduled": f"run:{other.pk}"}


def test_missed_holds_until_the_next_run_completes(customer):
    told = {"first": (NOW - 4 * HOUR).isoformat(), "last": (NOW - 3 * HOUR).isoformat(), "count": 2}
    events.record(EventType.MISSED, now=NOW - HOUR, entity_id=customer.entity_id, details=told)
    assert said(rule := rule_of("missed")) == ["Customer missed its run of 2026-11-20 09:00:00 UTC."]
    put(customer, last_completed_at=NOW - 2 * HOUR)
    assert len(said(rule)) == 1
    put(customer, last_completed_at=NOW)
    assert said(rule) == [] == said(rule, NOW + 25 * HOUR)


def test_missed_is_told_of_the_schedule_of_a_job_that_missed_it():
    job = Job.objects.create(name="Sync", path="a.b", source="a.py:1")
    for name in ("Hourly", "Daily"):
        JobSchedule.objects.create(job=job, name=name)
    events.record(EventType.MISSED, now=NOW - HOUR, job_id=job.pk, details={"schedule": "Daily"})
    assert said(rule_of("missed")) == ["Job Sync (Daily) missed its run of 2026-11-20 11:00:00 UTC."]


def test_late_counts_from_the_plan_and_not_while_everything_is_paused():
    configuration = daily(next_scheduled_run=NOW - 16 * MINUTE)
    rule = rule_of("late", minutes=15)
    assert said(rule) == ["Customer should have started at 2026-11-20 11:44:00 UTC."]
    assert said(rule, NOW - 2 * MINUTE) == []
    put(configuration, is_running=True, run_started_at=NOW)
    assert said(rule) == []
    put(configuration, is_running=False, run_started_at=None)
    SchedulerState.objects.create(pk=1, paused_at=NOW)
    assert said(rule) == []


def test_nothing_completed_asks_only_what_is_switched_on_that_long():
    configuration = daily(last_completed_at=NOW - 3 * HOUR, armed_from=NOW - 5 * HOUR)
    rule = rule_of("nothing_completed", minutes=120)
    assert said(rule) == ["Customer completed nothing since 2026-11-20 09:00:00 UTC."]
    put(configuration, last_completed_at=None)
    assert said(rule) == ["Customer completed nothing yet."]
    put(configuration, armed_from=NOW - HOUR)
    assert said(rule) == []
    put(configuration, armed_from=NOW - 5 * HOUR, is_enabled=False)
    assert said(rule) == []


def test_not_delivered_asks_by_the_clocks_of_the_schedule_and_a_delivery_ends_it():
    configuration = daily(timezone="Europe/Amsterdam")  # 13:00 there
    rule = rule_of("not_delivered", at=time(12, 30))
    assert said(rule) == ["No rows came for Customer today; they are expected by 2026-11-20 11:30:00 UTC."]
    assert said(rule, NOW - HOUR) == []
    batch_of(configuration, NOW - 14 * HOUR, rows_total=5)  # yesterday there
    batch_of(configuration, NOW - HOUR, rows_total=0)
    assert len(said(rule)) == 1
    with connection.cursor() as cursor:  # of the evening before, and merged this morning
        cursor.execute("INSERT INTO stg_customer (code, import_status, created_at) VALUES ('b', 1, %s)",
                       [NOW - 15 * HOUR])  # fmt: skip
    batch_of(configuration, NOW - 2 * HOUR, rows_total=1)
    assert len(said(rule)) == 1
    with connection.cursor() as cursor:
        cursor.execute("INSERT INTO stg_customer (code, created_at) VALUES ('a', %s)", [NOW - HOUR])
    assert said(rule) == []
    assert len(said(rule, NOW + 24 * HOUR)) == 1


@pytest.mark.parametrize(
    ("limits", "rejected", "holds"),
    [({}, 0, False), ({}, 1, True), ({"number": 5}, 5, False), ({"number": 5}, 6, True),
     ({"percent": 10}, 10, False), ({"percent": 10}, 11, True), ({"number": 50, "percent": 10}, 11, True)],
)  # fmt: skip
def test_rejected_judges_the_last_batch(customer, limits, rejected, holds):
    batch_of(customer, NOW - MINUTE, rows_total=100, rejected=rejected)
    assert bool(said(rule_of("rejected", **limits))) is holds


def test_a_rule_of_batches_judges_only_who_had_one_since_it_looked(customer):
    batch_of(customer, NOW - MINUTE, rows_total=100, rejected=7)
    rule = rule_of("rejected", looked_at=NOW - 2 * MINUTE)
    findings = find(rule, Round(NOW))
    assert findings.judged == {f"entity:{customer.entity_id}"} and len(findings.breaches) == 1
    rule.looked_at = NOW
    assert find(rule, Round(NOW + MINUTE)).judged == findings.judged  # it may have been stored after the look
    assert find(rule, Round(NOW + MINUTE)).breaches
    rule.looked_at = NOW + 10 * MINUTE
    assert find(rule, Round(NOW + 11 * MINUTE)).judged == frozenset()


def test_what_a_rule_of_batches_watches_no_longer_is_over(channel, customer):
    batch_of(customer, NOW - MINUTE, rows_total=100, rejected=7)
    rule = rule_of("rejected", channel)
    go_round(NOW)
    assert Alert.objects.open().count() == 1
    go_round(NOW + HOUR)
    assert Alert.objects.open().count() == 1
    rule.entities.add(make_configuration("branch").entity)
    go_round(NOW + 2 * HOUR)
    assert not Alert.objects.open().exists()


def test_held_counts_from_the_batch(customer):
    Batch.objects.create(entity=customer.entity, status="held", created_at=NOW - HOUR)
    assert len(said(rule_of("held", minutes=60))) == 1 == len(said(rule_of("held", name="at once")))
    assert said(rule_of("held", name="later", minutes=61)) == []
    Batch.objects.update(started_at=NOW - HOUR, duration_ms=20 * 60 * 1000)  # its own work is no waiting
    assert said(rule_of("held", name="now", minutes=41)) == []
    assert said(rule_of("held", name="then", minutes=40)) == [
        f"Batch {Batch.objects.get().pk} of Customer waits for approval since 2026-11-20 11:20:00 UTC."
    ]


def test_long_is_three_times_the_usual_or_what_the_rule_says(customer):
    run = Run.objects.create(kind="batch", entity=customer.entity, fire_key="r", status="running",
                             created_at=NOW, started_at=NOW - 16 * MINUTE)  # fmt: skip
    usual, fixed = rule_of("long"), rule_of("long", name="fixed", minutes=15)
    assert said(usual) == [] and len(said(fixed)) == 1  # nothing is usual yet
    Run.objects.filter(pk=run.pk).update(started_at=NOW - 3 * MINUTE)
    assert len(said(rule_of("long", name="short", minutes=2))) == 1
    Run.objects.filter(pk=run.pk).update(started_at=NOW - 16 * MINUTE)
    for number in range(5):
        Run.objects.create(kind="batch", entity=customer.entity, fire_key=f"o{number}", status="completed",
                           created_at=NOW, started_at=NOW - HOUR, finished_at=NOW - 55 * MINUTE)  # fmt: skip
    assert said(usual) == ["Customer runs since 2026-11-20 11:44:00 UTC; it usually takes 5 min."]
    Run.objects.filter(pk=run.pk).update(started_at=NOW - 15 * MINUTE)
    assert said(usual) == []


def test_what_is_usual_stays_so_while_another_thread_forgets_it(customer, monkeypatch):
    class Forgotten(dict):
        def __contains__(self, key):
            return super().__contains__(key) and self.pop(key) is not None

        def get(self, key):
            return self.pop(key, None)

    one = of_runs.Live(7, NOW - HOUR, "job", None, "Sync")
    monkeypatch.setattr(of_runs, "_known", Forgotten({one: MINUTE}))
    assert [each.usual for each in of_runs._with_usual([one])] == [MINUTE]


def test_a_rule_that_asks_something_else_says_it_of_the_same_runs(channel):
    Run.objects.create(kind="job", title="Sync", fire_key="r", status="running", created_at=NOW,
                       started_at=NOW - HOUR, deadline_at=NOW - MINUTE)  # fmt: skip
    rule = rule_of("long", minutes=30)
    go_round(NOW)
    AlertRule.objects.filter(pk=rule.pk).update(condition="past_deadline")
    go_round(NOW + MINUTE)
    assert Alert.objects.open().get().said["say"].endswith("is late.")


def test_what_is_late_is_told_once_however_often_its_plan_is_tried(channel):
    rule = rule_of("past_deadline", channel)
    late = {"kind": "plan", "title": "Plan P", "created_at": NOW - HOUR, "deadline_at": NOW - MINUTE}
    waits = {"status": "failed", "finished_at": NOW, "next_attempt_at": NOW + HOUR}
    first = Run.objects.create(**late, **waits, fire_key="1")
    for number in (2, 3):
        go_round(NOW + number * MINUTE)
        Run.objects.update(next_attempt_at=None)
        before = Run.objects.latest("pk")
        late["created_at"] += MINUTE
        Run.objects.create(**late, **waits, fire_key=str(number), attempt_number=number, restart_of=before)
    go_round(NOW + 4 * MINUTE)
    told = Alert.objects.open().get(rule=rule, subject=f"run:{first.pk}")
    assert told.leads_to == f"run:{Run.objects.latest('pk').pk}" and AlertDelivery.objects.count() == 1


def test_waiting_asks_the_oldest_row(customer):
    with connection.cursor() as cursor:
        cursor.execute("INSERT INTO stg_customer (code, created_at) VALUES ('a', %s)", [NOW - HOUR])
    assert len(said(rule_of("waiting", minutes=59))) == 1
    assert said(rule_of("waiting", name="later", minutes=61)) == []


@pytest.mark.parametrize(("rows", "holds"), [(100, False), (299, False), (301, True), (34, False), (33, True)])
def test_volume_is_far_from_the_median_of_those_before(customer, rows, holds):
    rule = rule_of("volume")
    batch_of(customer, NOW - MINUTE, rows_total=rows)
    assert said(rule) == []  # nothing is usual yet
    Batch.objects.all().delete()
    for hour in range(6, 1, -1):
        batch_of(customer, NOW - hour * HOUR, rows_total=100)
    batch_of(customer, NOW - MINUTE, rows_total=rows)
    assert bool(said(rule)) is holds


@pytest.mark.parametrize("condition", ["rejected", "volume"])
def test_a_batch_without_rows_says_nothing_about_deliveries(channel, customer, condition):
    """A schedule fires each hour, the rows come once a day: neither an alarm, nor the end of one."""
    rule = rule_of(condition, channel)
    for hour in range(200, 2, -1):
        batch_of(customer, NOW - hour * HOUR, rows_total=0 if hour % 24 else 100)
    assert said(rule) == []
    batch_of(customer, NOW - HOUR, rows_total=1000, rejected=7)
    batch_of(customer, NOW - MINUTE, rows_total=0)
    go_round(NOW)
    assert Alert.objects.open().count() == 1
    batch_of(customer, NOW + HOUR, rows_total=0)
    go_round(NOW + HOUR)
    assert Alert.objects.open().count() == 1
    batch_of(customer, NOW + 2 * HOUR, rows_total=100)
    go_round(NOW + 2 * HOUR)
    assert not Alert.objects.open().exists()


def test_rejected_passes_over_the_undo_of_a_batch_and_judges_one_that_was_undone(customer):
    """An undo is no delivery; what it took back was one, and had what it had."""
    rule = rule_of("rejected")
    first = batch_of(customer, NOW - 2 * MINUTE, rows_total=100, rejected=7)
    batch_of(customer, NOW - MINUTE, rows_total=93, rejected=0, undoes=first)
    assert said(rule) == [f"Customer rejected 7 of 100 rows in batch {first.pk}."]


def test_silent_tells_of_what_once_lived():
    rule = rule_of("silent")
    assert said(rule) == []
    Heartbeat.note(Heartbeat.DISPATCHER, Heartbeat.DISPATCHER, NOW)
    Heartbeat.note("celery@one", Heartbeat.WORKER, NOW)
    assert said(rule, NOW + MINUTE / 2) == []
    assert said(rule, NOW + HOUR) == [
        "All workers are silent since 2026-11-20 12:00:00 UTC: what is queued waits.",
        "The scheduler is silent since 2026-11-20 12:00:00 UTC: nothing starts by itself.",
    ]


def test_a_worker_that_only_runs_cycles_and_a_host_that_runs_none_stand_for_nobody(monkeypatch):
    """The first does no work, the second starts none: that they live is no reason to tell nothing."""
    rule = rule_of("silent")
    Heartbeat.note(Heartbeat.DISPATCHER, Heartbeat.DISPATCHER, NOW)
    Heartbeat.note("celery@work", Heartbeat.WORKER, NOW)
    monkeypatch.setattr(tasks, "_taken", {"dispatch"})
    tasks._note_sign_of_life(NOW + HOUR)
    Heartbeat.note(f"{Heartbeat.DISPATCHER}@host", Heartbeat.DISPATCHER, NOW + HOUR, "Its clock is wrong.")
    assert [line.partition(" silent")[0] for line in said(rule, NOW + HOUR)] == ["All workers are", "The scheduler is"]
    monkeypatch.setattr(tasks, "_taken", {"dispatch", "work"})
    tasks._note_sign_of_life(NOW + HOUR)
    assert [line.partition(" silent")[0] for line in said(rule, NOW + HOUR)] == ["The scheduler is"]
