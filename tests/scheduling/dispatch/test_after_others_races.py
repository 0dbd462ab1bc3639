"""Promise: the end of a run that is being written while a plan after it starts is not lost, and counts once."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Event

import pytest
from django.db import connection, transaction

from scheduling.dispatch.cycle import run_cycle
from scheduling.lifecycle.tasks import end_run
from scheduling.models import Plan, Run
from scheduling.plans.draft import PlanDraft
from scheduling.plans.save import save_plan
from scheduling.runs.by_hand import start_plans_now
from scheduling.states import RunStatus
from tests.scheduling.conftest import NOW, work_off
from tests.scheduling.plans.conftest import step

# On SQLite nobody writes while somebody else does: the cycle would wait for the end.
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgresql]

MINUTE = timedelta(minutes=1)


def end_slowly(run, now, written, go_on):
    """Write the end of a run, and commit it only when told to."""
    try:
        with transaction.atomic():
            run.tasks.update(status="completed", finished_at=now)
            assert end_run(run.pk, RunStatus.COMPLETED, now=now)
            written.set()
            assert go_on.wait(30)
    finally:
        connection.close()


def test_an_end_that_commits_after_the_look_starts_it_once_more(make_entity):
    morning = save_plan(PlanDraft(Plan(name="Morning"), {}, [step(make_entity("region").entity)]), now=NOW)
    save_plan(PlanDraft(Plan(name="Report"), {}, [step(make_entity("till").entity)], after=[morning]), now=NOW)
    start_plans_now(["Morning"], started_by="anna", now=NOW + MINUTE)
    work_off(NOW + MINUTE)
    late = start_plans_now(["Morning"], started_by="anna", now=NOW + 2 * MINUTE)
    written, go_on = Event(), Event()
    with ThreadPoolExecutor(1) as pool:
        end = pool.submit(end_slowly, late, NOW + 3 * MINUTE, written, go_on)
        assert written.wait(30)
        assert run_cycle(NOW + 4 * MINUTE).fired == ["plan Report"], "for the one that was committed before"
        go_on.set()
        end.result()
    work_off(NOW + 5 * MINUTE)
    assert run_cycle(NOW + 6 * MINUTE).fired == ["plan Report"], "for the one dated before that start"
    work_off(NOW + 7 * MINUTE)
    assert run_cycle(NOW + 8 * MINUTE).fired == []
    assert Run.objects.filter(title="Plan Report", status="completed").count() == 2
