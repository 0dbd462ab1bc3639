"""Faults of work: rows that end whoever touches them, plans that change under their run, storms, places of the dead."""

from datetime import timedelta

import pytest
from django.db import connection

from scheduling import conf
from scheduling.dispatch.cycle import run_cycle
from scheduling.models import Attempt, Plan, Queue, Run, SchedulerConfiguration, SchedulerLog, Task
from scheduling.plans.draft import PlanDraft
from scheduling.plans.save import save_plan
from scheduling.queues import claim_next
from scheduling.runs.by_hand import start_plans_now
from staging.models import Batch
from tests.scheduling.conftest import NOW, work_off
from tests.scheduling.plans.conftest import step
from tests.scheduling.runs.pieces import FAILING, RAN, item, start

pytestmark = pytest.mark.django_db(transaction=True)

MINUTE = timedelta(minutes=1)
ENDS_ITS_SESSION = """
CREATE FUNCTION fault_end() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
IF NEW.code = 'poison' THEN PERFORM pg_terminate_backend(pg_backend_pid()); END IF; RETURN NEW; END $$;
CREATE TRIGGER fault_end BEFORE INSERT ON mdm_branch FOR EACH ROW EXECUTE FUNCTION fault_end()
"""


@pytest.mark.postgresql
def test_a_row_that_ends_whoever_merges_it_is_tried_ever_more_seldom_and_hinders_no_other(two, deposit, monkeypatch):
    """Every attempt is counted before its work, so one that ends with its work has been made all the same."""
    from scheduling.runs import execute

    monkeypatch.setattr(execute.clock, "sleep", lambda seconds: None)
    deposit(rows=1, prefix="poison")
    with connection.cursor() as cursor:
        cursor.execute("UPDATE stg_branch SET code = 'poison' WHERE code LIKE 'poison%'")
        cursor.execute(ENDS_ITS_SESSION)
    for minute in range(0, 60, 5):
        now = NOW + minute * MINUTE
        run_cycle(now)
        work_off(now)
    assert Batch.objects.filter(entity__code="other", status="completed").count() == 1
    branch = SchedulerConfiguration.objects.get(entity__code="branch")
    made = Attempt.objects.filter(task__entity__code="branch").count()
    assert 2 <= made <= 12 and branch.consecutive_failures >= 2 and branch.backoff_until > NOW + 60 * MINUTE, made
    assert SchedulerLog.objects.filter(event_type="error", entity=branch.entity).count() >= 2


def test_a_plan_that_is_changed_while_it_runs_runs_as_it_was(make_entity, deposit):
    first, second, third = (make_entity(code, processing_mode="manual").entity for code in ("a", "b", "c"))
    plan = save_plan(PlanDraft(Plan(name="P", order="hierarchy"), {}, [step(first), step(second)]), now=NOW)
    run = start_plans_now(["P"], started_by="ann", now=NOW)
    before = set(run.tasks.values_list("key", flat=True))
    save_plan(PlanDraft(Plan.objects.get(pk=plan.pk), {}, [step(third)]), now=NOW)
    work_off(NOW)
    run.refresh_from_db()
    assert run.status == "completed" and set(run.tasks.values_list("key", flat=True)) == before
    assert set(Batch.objects.values_list("entity__code", flat=True)) == {"a", "b"}


def test_what_fails_together_is_not_tried_again_together_and_ever_more_seldom():
    """The target of fifteen jobs is away for ten minutes."""
    keys = [f"job{number}" for number in range(15)]
    FAILING.update(keys)
    for key in keys:
        start(item(key, attempts=8, retry_interval_seconds=60, retry_backoff=True), now=NOW, key=key)
    Queue.objects.update(max_running=100)
    at_once = []
    for minute in range(11):
        before = len(RAN)
        run_cycle(NOW + minute * MINUTE)
        work_off(NOW + minute * MINUTE)
        at_once.append(len(RAN) - before)
    assert len(RAN) <= 15 * 5, "a minute each would be 165"
    assert sum(at_once[6:]) < 20, at_once
    assert len(set(Task.objects.values_list("next_attempt_at", flat=True))) > 8, "all of them come back at one moment"
    FAILING.clear()
    for minute in (20, 40):
        run_cycle(NOW + minute * MINUTE)
        work_off(NOW + minute * MINUTE)
    assert set(Run.objects.values_list("status", flat=True)) == {"completed"}


def test_the_places_of_workers_that_died_are_free_again_each_time():
    Queue.objects.update(max_running=3)
    for number in range(3):
        start(item("a", attempts=30), now=NOW, key=f"{number}")
    now = NOW
    for _ in range(4):
        claimed = [claim_next(worker="doomed", now=now) for _ in range(4)]
        assert [attempt is not None for attempt in claimed] == [True] * 3 + [False]
        now += conf.zombie_timeout() + MINUTE
        assert run_cycle(now).zombies == 3
        Task.objects.filter(status="queued").update(next_attempt_at=None)
    assert Attempt.objects.filter(outcome="lost").count() == 12
