"""Promise: what fires, runs and ends pays nothing for the history, neither a version nor a look for one."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from scheduling.dispatch.cycle import run_cycle
from scheduling.models import Plan, Queue
from scheduling.plans.draft import PlanDraft
from scheduling.plans.save import save_plan
from staging.models import Batch, Version
from tests.scheduling.conftest import work_off
from tests.scheduling.plans.conftest import step

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_cycle_and_a_batch_ask_nothing_of_the_history(make_entity, deposit, now):
    configuration = make_entity(processing_mode="triggered", trigger_row_threshold=1)
    save_plan(PlanDraft(Plan(name="Nightly"), {}, [step(configuration.entity)]), now=now)
    Queue.objects.get_or_create(name="default")  # made once, by the first task
    deposit(rows=3)
    count = Version.objects.count()
    with CaptureQueriesContext(connection) as taken:
        report = run_cycle(now)
        done = work_off(now)
    assert report.fired and done == 1 and Batch.objects.get().inserted == 3
    told = [each["sql"] for each in taken if "staging_version" in each["sql"]]
    assert told == [] and Version.objects.count() == count > 0
