"""Promise: a backfill foresees the slots that its schedule had, as a cycle would see them, and what becomes of each."""

from datetime import UTC, datetime

import pytest

from scheduling.errors import CannotBackfill, InvalidArguments
from scheduling.models import BlackoutCalendar, Plan, Run
from scheduling.plans.draft import PlanDraft
from scheduling.plans.save import save_plan
from scheduling.runs.fire import slot_key
from scheduling.runs.foresee import Range, foresee
from tests.scheduling.conftest import NOW
from tests.scheduling.plans.conftest import step
from tests.scheduling.runs.conftest import DAY, FIRST, WEEKEND, plan_of

pytestmark = pytest.mark.django_db


def test_the_slots_are_those_of_its_own_zone_across_a_change_of_the_clocks(region):
    now = datetime(2026, 4, 2, tzinfo=UTC)
    plan = plan_of(step(region), now=now)
    found = foresee(plan, Range(datetime(2026, 3, 28, tzinfo=UTC), datetime(2026, 3, 31, tzinfo=UTC)), now)
    # 02:30 does not exist on the 29th: the first valid instant is 03:00 summer time.
    assert [f"{each.slot:%d %H:%M}" for each in found.slots] == ["28 01:30", "29 01:00", "30 00:30"]
    assert [each.previous for each in found.slots[1:]] == [each.slot for each in found.slots[:-1]]
    assert f"{found.slots[0].previous:%d %H:%M}" == "27 01:30"


@pytest.mark.parametrize(
    ("policy", "run", "held"),
    [("skip", ["26 01:30", "01 01:30"], ["27 01:30", "28 01:30"]),
     ("roll", ["26 01:30", "01 00:00", "01 01:30"], ["27 01:30", "28 01:30"])],
)  # fmt: skip
def test_a_blackout_holds_slots_or_moves_them_as_it_does_for_a_cycle(nightly, policy, run, held):
    calendar = BlackoutCalendar.objects.create(name="Dark", policy=policy)
    calendar.periods.create(first_day="2026-02-27", last_day="2026-02-28")
    Plan.objects.update(calendar=calendar)
    found = foresee(Plan.objects.get(), WEEKEND, NOW)
    assert [f"{each.slot:%d %H:%M}" for each in found.to_run] == run
    assert [f"{each.slot:%d %H:%M}" for each in found.slots if each.state == "held"] == held
    assert found.to_run[1].previous == found.to_run[0].slot
    later = foresee(Plan.objects.get(), Range(FIRST + 2 * DAY, FIRST + 4 * DAY), NOW)
    assert [f"{each.slot:%d %H:%M}" for each in later.to_run] == run[1:]
    assert later.to_run[0].previous == FIRST


def test_a_slot_that_is_due_is_left_to_its_schedule(nightly):
    Plan.objects.update(next_scheduled_run=FIRST + 2 * DAY)
    assert [each.state for each in foresee(Plan.objects.get(), WEEKEND, NOW).slots] == ["will_run"] * 2 + ["due"] * 2


def test_no_more_than_the_most_are_taken_and_it_says_where_the_next_one_begins(nightly, settings):
    settings.BACKFILL_SLOTS = 3
    found = foresee(nightly, WEEKEND, NOW)
    assert len(found.slots) == 3 and found.more_from == FIRST + 3 * DAY
    settings.BACKFILL_SLOTS = 4
    assert foresee(nightly, WEEKEND, NOW).more_from is None
    settings.BACKFILL_SLOTS = 10**6
    assert foresee(nightly, WEEKEND, NOW).as_json()["most"] == 10_000, "they have to fit into one statement"


def test_of_a_long_range_only_the_runs_of_its_slots_are_read(nightly, settings, monkeypatch):
    settings.BACKFILL_SLOTS, read = 2, []
    Run.objects.bulk_create(
        Run(kind="plan", fire_key=slot_key(nightly, slot), scheduled_for=slot, status="completed", created_at=slot,
            finished_at=slot)
        for slot in (FIRST + number * DAY / 4 for number in range(16))
    )  # fmt: skip
    original = Run.from_db.__func__
    monkeypatch.setattr(Run, "from_db", classmethod(lambda cls, *row: read.append(row) or original(cls, *row)))
    found = foresee(nightly, WEEKEND, NOW)
    assert [each.state for each in found.slots] == ["ran", "ran"] and len(read) == 2


@pytest.mark.parametrize(
    ("wanted", "faults"),
    [
        (Range(FIRST, FIRST), {"until": "This is not later than the start."}),
        (Range(FIRST, NOW + DAY), {"until": "This is in the future"}),
        (Range(datetime(1, 1, 1, tzinfo=UTC), FIRST), {"from": "Stay between"}),
        (Range(FIRST, NOW, side_by_side=1), {"side_by_side": "Write a number from 2 to 100."}),
    ],
)
def test_a_range_that_is_none_is_told_at_its_place(nightly, wanted, faults):
    with pytest.raises(InvalidArguments) as refused:
        foresee(nightly, wanted, NOW)
    assert refused.value.errors.keys() == faults.keys()
    assert all(refused.value.errors[name][0].startswith(text) for name, text in faults.items())


def test_what_has_no_slots_is_told(region, make_entity):
    with pytest.raises(CannotBackfill, match="takes the rows that wait now"):
        foresee(make_entity("branch"), WEEKEND, NOW)
    manual = save_plan(PlanDraft(Plan(name="Manual"), {}, [step(region)]), now=NOW)
    with pytest.raises(CannotBackfill, match="Plan Manual has no times of its own"):
        foresee(manual, WEEKEND, NOW)
    counting = {"schedule_type": "interval", "interval_minutes": 60, "interval_anchor": "last_completion"}
    last = save_plan(PlanDraft(Plan(name="Last"), counting, [step(region)]), now=NOW)
    with pytest.raises(CannotBackfill, match="count from the end of its last run"):
        foresee(last, WEEKEND, NOW)
    Plan.objects.filter(pk=last.pk).update(is_cancelled=True)
    with pytest.raises(CannotBackfill, match="Plan Last does not run any more"):
        foresee(Plan.objects.get(pk=last.pk), WEEKEND, NOW)
