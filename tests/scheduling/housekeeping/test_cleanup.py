"""Promises of retention: old things go, what still matters stays, one broken table costs nobody else."""

from datetime import timedelta

import pytest
from django.contrib.sessions.models import Session
from django.db import connection

from scheduling.housekeeping.cleanup import cleanup
from scheduling.lifecycle import events
from scheduling.models import RetentionPolicy, Run, SchedulerLog
from scheduling.runs.by_hand import start_batch_now
from staging.models import Batch, Entity, KeptAnswer
from staging.tables.alter import sync_tables
from tests.scheduling.conftest import NOW, work_off

pytestmark = pytest.mark.django_db(transaction=True)

DAY = timedelta(days=1)


def test_old_log_events_go_and_young_ones_stay(db):
    events.record("fired", now=NOW - 31 * DAY)
    events.record("fired", now=NOW - 29 * DAY)
    assert cleanup(NOW)["log"] == 1
    assert SchedulerLog.objects.get().event_time == NOW - 29 * DAY


def test_the_policy_of_the_admin_counts(db):
    RetentionPolicy(pk=1, log_days=3).save()
    events.record("fired", now=NOW - 4 * DAY)
    assert cleanup(NOW)["log"] == 1


def test_processed_rows_go_after_a_week_and_others_never(make_entity, deposit, staged):
    configuration = make_entity()
    deposit(rows=3, at=NOW - 8 * DAY)
    deposit(rows=1, at=NOW - 8 * DAY, staff="bad", prefix="bad")
    start_batch_now(configuration, started_by="ann", now=NOW - 8 * DAY)
    work_off(NOW - 8 * DAY)
    deposit(rows=1, at=NOW - 300 * DAY, prefix="waiting")
    assert staged() == {0: 1, 1: 3, 2: 1}
    assert cleanup(NOW)["rows"] == 3
    assert staged() == {0: 1, 2: 1}


def test_ended_runs_and_their_batches_go_and_living_ones_stay(make_entity):
    old = NOW - 91 * DAY
    start_batch_now(make_entity("done"), started_by="ann", now=old)
    work_off(old)
    alive = start_batch_now(make_entity("alive"), started_by="ann", now=old)
    assert cleanup(NOW)["runs"] == 1
    assert Run.objects.get() == alive.run
    assert Batch.objects.get() == alive.batch


def test_a_broken_staging_table_costs_the_others_nothing(make_entity, deposit, staged):
    make_entity("apple")
    configuration = make_entity("cheese")
    deposit("cheese", at=NOW - 8 * DAY)
    start_batch_now(configuration, started_by="ann", now=NOW - 8 * DAY)
    work_off(NOW - 8 * DAY)
    with connection.cursor() as cursor:
        cursor.execute("DROP TABLE stg_apple")
    assert cleanup(NOW)["rows"] == 1


def test_history_goes_after_a_year_or_when_the_policy_says_and_else_never(make_entity, deposit):
    configuration = make_entity()
    Entity.objects.update(keep_history=True)
    sync_tables(Entity.objects.get())
    for days in (400, 300):
        deposit(rows=1, at=NOW - days * DAY, prefix=f"d{days}")
        start_batch_now(configuration, started_by="ann", now=NOW - days * DAY)
        work_off(NOW - days * DAY)
    RetentionPolicy(pk=1, history_days=None).save()
    assert cleanup(NOW)["history"] == 0
    RetentionPolicy(pk=1).save()
    assert cleanup(NOW)["history"] == 1
    RetentionPolicy(pk=1, history_days=299).save()
    assert cleanup(NOW)["history"] == 1
    assert cleanup(NOW)["history"] == 0


def test_answers_to_keys_go_after_a_day(db):
    for key, age in (("old", timedelta(hours=25)), ("young", timedelta(hours=23))):
        kept = KeptAnswer.objects.create(caller="token:1", address="x", key=key)
        KeptAnswer.objects.filter(pk=kept.pk).update(started_at=NOW - age)
    cleanup(NOW)
    assert [kept.key for kept in KeptAnswer.objects.all()] == ["young"]


def test_sessions_that_have_ended_go_and_others_stay(db):
    for key, end in (("ended", NOW - timedelta(seconds=1)), ("open", NOW + timedelta(seconds=1))):
        Session.objects.create(session_key=key, session_data="", expire_date=end)
    cleanup(NOW)
    assert Session.objects.get().session_key == "open"
