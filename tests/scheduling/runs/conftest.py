"""What tests of backfills share: a plan of every night, of which nothing has run, four nights of it, and its runs."""

from datetime import UTC, datetime, timedelta

import pytest

from scheduling.dispatch.firing import start_late_runs
from scheduling.lifecycle.tasks import end_run
from scheduling.models import Plan, Run
from scheduling.plans.draft import PlanDraft
from scheduling.plans.save import save_plan
from scheduling.runs.backfill import start_backfill
from scheduling.runs.foresee import Range
from scheduling.states import RunStatus, TaskStatus
from staging.models import Entity
from tests.scheduling.conftest import NOW
from tests.scheduling.plans.conftest import step

DAY = timedelta(days=1)
NIGHTLY = {"schedule_type": "daily", "run_times": "02:30", "timezone": "Europe/Amsterdam"}
FIRST = datetime(2026, 2, 26, 1, 30, tzinfo=UTC)  # of the four nights before NOW in WEEKEND
WEEKEND = Range(FIRST, FIRST + 4 * DAY)


def plan_of(*steps, now=NOW, schedule=None, name="Nightly", **fields):
    return save_plan(PlanDraft(Plan(name=name, **fields), schedule or NIGHTLY, list(steps)), now=now)


def at(minutes):
    return NOW + timedelta(minutes=minutes)


def begin(schedule, wanted=WEEKEND, now=NOW, **fields):
    return start_backfill(schedule, wanted, started_by="anna", now=now, **fields)


def end(run, status=RunStatus.COMPLETED, now=NOW):
    """End a run as its last worker does, which then looks what may start."""
    final = TaskStatus.COMPLETED if status == RunStatus.COMPLETED else TaskStatus.FAILED
    run.tasks.exclude(status__in=TaskStatus.final()).update(status=final, finished_at=now)
    end_run(run.pk, status, now=now)
    start_late_runs(now)


def live():
    return list(Run.objects.exclude(status__in=RunStatus.final()).order_by("pk"))


def slots(runs=None):
    return list((Run.objects if runs is None else runs).order_by("pk").values_list("scheduled_for", flat=True))


def state(backfill):
    backfill.refresh_from_db()
    return backfill.status


@pytest.fixture
def region(db):
    return Entity.objects.create(code="region", name="Region")


@pytest.fixture
def nightly(region):
    """A plan of every night, of which nothing has run."""
    return plan_of(step(region))
