"""Promise: whatever the overlap policy and however long runs take, each slot fires once, waits, or is told once."""

import random
from collections import Counter
from datetime import datetime, timedelta

import pytest

from scheduling.dispatch.cycle import run_cycle
from scheduling.lifecycle.tasks import end_run
from scheduling.models import Plan, Run, SchedulerLog
from scheduling.plans.draft import PlanDraft
from scheduling.plans.save import save_plan
from scheduling.runs.cancel import cancel_run
from scheduling.states import Overlap, RunStatus
from staging.models import Entity
from tests.depth import examples
from tests.scheduling.conftest import NOW
from tests.scheduling.plans.conftest import step

pytestmark = pytest.mark.django_db
MINUTE = timedelta(minutes=1)
EVERY, MINUTES = 3, 30


def live_run(plan):
    return Run.objects.exclude(status__in=RunStatus.final()).first()


@pytest.mark.parametrize("seed", range(examples(1)))
@pytest.mark.parametrize("catch_up", ["none", "all"])
@pytest.mark.parametrize("overlap", Overlap.values)
def test_no_slot_is_lost_doubled_or_passed_over_in_silence(overlap, catch_up, seed):
    chance = random.Random(seed)
    region = Entity.objects.create(code="region", name="Region")
    schedule = {"schedule_type": "interval", "interval_minutes": EVERY, "catch_up": catch_up}
    plan = save_plan(PlanDraft(Plan(name="P", overlap=overlap), schedule, [step(region)]), now=NOW - MINUTE)
    ends: dict[int, datetime] = {}
    for minute in range(MINUTES + 1):
        now = NOW + minute * MINUTE
        run_cycle(now)
        run = live_run(plan)
        if run is None:
            continue
        ends.setdefault(run.pk, now + chance.choice([0, 1, 2, 4, 8, 13]) * MINUTE)
        if ends[run.pk] <= now:
            end_run(run.pk, RunStatus.COMPLETED, now=now)
        elif run.tasks.filter(status="cancelled").exists():
            cancel_run(run, by="test", now=now)
        assert Run.objects.exclude(status__in=RunStatus.final()).count() <= 1
    plan.refresh_from_db()
    fired = Counter(Run.objects.values_list("scheduled_for", flat=True))
    told = Counter(
        datetime.fromisoformat(event.details["slot"])
        for event in SchedulerLog.objects.filter(plan=plan, event_type="skipped")
    )
    assert max(fired.values()) == 1 and max(told.values(), default=1) == 1
    assert not fired.keys() & told.keys()
    slots = [NOW + minute * MINUTE for minute in range(0, MINUTES + 1, EVERY)]
    waiting = {slot for slot in slots if slot >= plan.next_scheduled_run}
    assert set(slots) == {*fired, *told} | waiting
    assert waiting.isdisjoint(fired)
    if overlap == Overlap.SKIP:
        assert not waiting
