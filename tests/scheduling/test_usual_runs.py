"""Promises of what is usual: wherever it is told, a restart, which most often is of a part, says nothing."""

from datetime import timedelta

import pytest

from scheduling.admin.durations import durations_of
from scheduling.kinds import usual_runs
from scheduling.models import Plan, Run
from scheduling.plans.draft import PlanDraft
from scheduling.plans.save import save_plan
from staging.models import Entity
from tests.scheduling.conftest import NOW
from tests.scheduling.plans.conftest import step

pytestmark = pytest.mark.django_db
TEN_MINUTES = timedelta(minutes=10)


@pytest.fixture
def plan():
    """Return a plan of which two runs took ten minutes, and nine restarts of their last step none."""
    plan = save_plan(PlanDraft(Plan(name="Daily"), {}, [step(Entity.objects.create(code="a", name="A"))]), now=NOW)

    def ran(number, lasts, restart_of=None):
        return Run.objects.create(
            kind="plan", title=plan.run_title, status="completed", fire_key=f"k{number}", created_at=NOW,
            started_at=NOW, finished_at=NOW + lasts, restart_of=restart_of,
        )  # fmt: skip

    first, _ = ran(0, TEN_MINUTES), ran(1, TEN_MINUTES)
    for number in range(2, 11):
        ran(number, timedelta(), first)
    return plan


def test_the_forecast_expects_a_whole_run(plan):
    (usual,) = usual_runs([plan]).values()
    assert usual.lasts == TEN_MINUTES


def test_an_alert_that_a_run_takes_long_measures_it_by_whole_runs(plan):
    assert Run.objects.usual_of_each("title", of_each=20, at_least=2) == {(plan.run_title,): TEN_MINUTES}
    assert not Run.objects.usual_of_each("title", of_each=20, at_least=3)


def test_the_page_of_a_plan_draws_all_and_counts_whole_runs(plan):
    shown = durations_of(Run.objects.all(), NOW)
    assert len(shown.runs) == 11 and shown.usual == TEN_MINUTES.total_seconds() * 1000
