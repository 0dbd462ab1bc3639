"""Promise: a rule looks at what it names, at free days as calendars say, and at plans and jobs as at entities."""

from datetime import date, time

import pytest

from scheduling.models import BlackoutCalendar, BlackoutPeriod, Job, JobSchedule, Plan, Run
from staging.models import Entity
from tests.scheduling.admin.conftest import make_configuration
from tests.scheduling.alerts.conftest import NOW, rule_of
from tests.scheduling.alerts.test_conditions import HOUR, MINUTE, batch_of, daily, said

pytestmark = pytest.mark.django_db
DUE = {"schedule_type": "interval", "interval_minutes": 60, "is_enabled": True,
       "next_scheduled_run": NOW - 16 * MINUTE}  # fmt: skip


@pytest.fixture
def running(own_rules) -> None:
    """An entity, a plan and two jobs of different categories at work for an hour."""
    make_configuration("customer")
    make_configuration("branch")
    Plan.objects.create(name="Nightly")
    Job.objects.create(name="Sync", path="a.b", source="a.py:1", category="Outside")
    Job.objects.create(name="Count", path="a.c", source="a.py:2", category="Inside")
    plan = Plan.objects.get()
    at_work = {"status": "running", "created_at": NOW, "started_at": NOW - HOUR}
    for code in ("customer", "branch"):
        Run.objects.create(kind="batch", entity=Entity.objects.get(code=code), fire_key=code, **at_work)
    for kind, title in (("plan", plan.run_title), ("job", "Sync"), ("job", "Count")):
        Run.objects.create(kind=kind, title=title, fire_key=title, **at_work)


@pytest.mark.parametrize(
    ("named", "wanted"),
    [
        ({}, ["Branch", "Count", "Customer", "Plan Nightly", "Sync"]),
        ({"entities": ["customer"]}, ["Customer"]),
        ({"plans": ["Nightly"]}, ["Plan Nightly"]),
        ({"jobs": ["Sync"]}, ["Sync"]),
        ({"categories": ["Inside"]}, ["Count"]),
        ({"entities": ["branch"], "jobs": ["Sync"], "categories": ["Inside"]}, ["Branch", "Count", "Sync"]),
    ],
)
def test_long_looks_at_the_runs_of_what_it_names(running, named, wanted):
    rule = rule_of("long", minutes=30, categories=named.get("categories", []))
    for column, model, by in (("entities", Entity, "code"), ("plans", Plan, "name"), ("jobs", Job, "name")):
        getattr(rule, column).set(model.objects.filter(**{f"{by}__in": named.get(column, [])}))
    assert [one.partition(" runs since")[0] for one in said(rule)] == wanted


def test_late_tells_of_plans_and_of_schedules_of_jobs_and_of_none_that_is_paused():
    plan = Plan.objects.create(name="Nightly", **DUE)
    job = Job.objects.create(name="Sync", path="a.b", source="a.py:1")
    schedule = JobSchedule.objects.create(job=job, name="Hourly", **DUE)
    rule, at = rule_of("late", minutes=15), "should have started at 2026-11-20 11:44:00 UTC."
    assert said(rule) == [f"Job Sync (Hourly) {at}", f"Plan Nightly {at}"]
    Plan.objects.filter(pk=plan.pk).update(paused_at=NOW, paused_by="ann", pause_reason="x")
    assert said(rule) == [f"Job Sync (Hourly) {at}"]
    Job.objects.filter(pk=job.pk).update(paused_at=NOW, paused_by="ann", pause_reason="x")  # and its schedules with it
    assert said(rule) == []
    Job.objects.update(paused_at=None, paused_by="", pause_reason="")
    JobSchedule.objects.filter(pk=schedule.pk).update(is_running=True, run_started_at=NOW)
    assert said(rule) == []


def test_late_narrowed_to_a_job_looks_at_no_other():
    for name in ("Sync", "Count"):
        job = Job.objects.create(name=name, path=f"a.{name}", source="a.py:1")
        JobSchedule.objects.create(job=job, name="Hourly", **DUE)
    rule = rule_of("late", minutes=15)
    rule.jobs.set(Job.objects.filter(name="Count"))
    assert [one.partition(" should")[0] for one in said(rule)] == ["Job Count (Hourly)"]


@pytest.mark.parametrize(
    ("begin", "holds"),
    [(date(2026, 11, 19), True), (date(2026, 11, 20), False), (date(2026, 11, 21), True)],
)
def test_on_a_day_that_its_calendar_keeps_free_no_rows_are_expected(begin, holds):
    """The day is that of the schedule: 23:30 in UTC on the 19th is the 20th in Tokyo."""
    calendar = BlackoutCalendar.objects.create(name="Feasts", timezone="Asia/Tokyo")
    BlackoutPeriod.objects.create(calendar=calendar, first_day=begin)
    daily(timezone="Asia/Tokyo", calendar=calendar)
    rule = rule_of("not_delivered", at=time(8, 15))
    assert bool(said(rule, NOW.replace(day=19, hour=23, minute=30))) is holds


def test_rows_that_are_expected_at_a_free_hour_are_not_missed_before_nor_after_it():
    """Of a day that is free in part, the time by which they are expected decides."""
    calendar = BlackoutCalendar.objects.create(name="Nights", timezone="UTC")
    daily(calendar=calendar)
    free = BlackoutPeriod.objects.create(
        calendar=calendar, kind="weekly", run_days="fri", window_start=time(6), window_end=time(9)
    )
    assert said(rule_of("not_delivered", at=time(8))) == []
    assert len(said(rule_of("not_delivered", name="later", at=time(10)))) == 1
    free.delete()
    assert len(said(rule_of("not_delivered", name="then", at=time(8)))) == 1


def test_rejected_looks_at_what_it_names():
    customer, branch = make_configuration("customer"), make_configuration("branch")
    for each in (customer, branch):
        batch_of(each, NOW - MINUTE, rows_total=100, rejected=7)
    rule = rule_of("rejected")
    assert len(said(rule)) == 2
    rule.entities.set([branch.entity])
    assert [one.partition(" rejected")[0] for one in said(rule)] == ["Branch"]
