"""What tests of backfills share: a plan of every night, of which nothing has run, and four nights of it."""

from datetime import UTC, datetime, timedelta

import pytest

from scheduling.models import Plan
from scheduling.plans.draft import PlanDraft
from scheduling.plans.save import save_plan
from scheduling.runs.foresee import Range
from staging.models import Entity
from tests.scheduling.conftest import NOW
from tests.scheduling.plans.conftest import step

DAY = timedelta(days=1)
NIGHTLY = {"schedule_type": "daily", "run_times": "02:30", "timezone": "Europe/Amsterdam"}
FIRST = datetime(2026, 2, 26, 1, 30, tzinfo=UTC)  # of the four nights before NOW in WEEKEND
WEEKEND = Range(FIRST, FIRST + 4 * DAY)


def plan_of(*steps, now=NOW, schedule=None, name="Nightly", **fields):
    return save_plan(PlanDraft(Plan(name=name, **fields), schedule or NIGHTLY, list(steps)), now=now)


@pytest.fixture
def region(db):
    return Entity.objects.create(code="region", name="Region")


@pytest.fixture
def nightly(region):
    """A plan of every night, of which nothing has run."""
    return plan_of(step(region))
