"""Promises of the verb: slots and log are read together, in few statements, for any period."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from scheduling.dispatch.cycle import run_cycle
from scheduling.errors import InvalidSchedule
from scheduling.explanations.explanation import SlotState
from scheduling.explanations.why_not import MOST_SLOTS, why_not
from scheduling.lifecycle import events
from scheduling.models import BlackoutCalendar, BlackoutPeriod, Run, SchedulerLog
from scheduling.schedules.change import apply_schedule
from scheduling.schedules.pause import pause, resume
from tests.scheduling.conftest import NOW, work_off

pytestmark = pytest.mark.django_db(transaction=True)

SLOT = timedelta(minutes=15)
MINUTE = timedelta(minutes=1)
DAY = timedelta(days=1)


@pytest.fixture
def steady(make_entity):
    """An entity that runs every quarter of an hour, armed just before NOW."""
    configuration = make_entity()
    values = {"processing_mode": "scheduled", "schedule_type": "interval", "interval_minutes": 15}
    apply_schedule(configuration, values, now=NOW - MINUTE)
    return configuration


def states(configuration, since, until, now) -> list[str]:
    configuration.refresh_from_db()
    return [str(slot.state) for slot in why_not(configuration, since=since, until=until, now=now).slots]


def test_a_day_with_everything_in_it_is_explained_slot_by_slot(steady, deposit):
    run_cycle(NOW)  # the first fires and stays unworked, so the second meets the overlap guard
    run_cycle(NOW + SLOT)
    work_off(NOW + SLOT)
    run_cycle(NOW + 2 * SLOT)  # the third fires
    work_off(NOW + 2 * SLOT)
    steady.refresh_from_db()
    pause(steady, by="ann", reason="audit", now=NOW + 2 * SLOT + MINUTE)  # the fourth is paused
    resume(steady, by="ann", now=NOW + 3 * SLOT + MINUTE)
    run_cycle(NOW + 6 * SLOT)  # down for two; the seventh fires
    work_off(NOW + 6 * SLOT)
    now = NOW + 8 * SLOT + 10 * MINUTE  # down again: two more are missed and nobody logged it
    assert states(steady, NOW - SLOT, NOW + 9 * SLOT, now) == [
        "not due", "fired", "skipped", "fired", "not due", "missed", "missed", "fired", "missed", "missed", "not due",
    ]  # fmt: skip


def test_what_the_log_says_is_linked(steady):
    run_cycle(NOW)
    run_cycle(NOW + SLOT)
    steady.refresh_from_db()
    fired, skipped = why_not(steady, since=NOW, until=NOW + SLOT, now=NOW + SLOT).slots
    event = SchedulerLog.objects.get(event_type="skipped")
    assert fired.run_id and skipped.event_id == event.pk
    assert "overlap guard" in skipped.reason and event.details["gate"] == "overlap"


def test_a_blackout_holds_and_says_until_when(steady):
    calendar = BlackoutCalendar.objects.create(name="Holidays")
    BlackoutPeriod.objects.create(calendar=calendar, kind="days", first_day=NOW.date())
    steady.refresh_from_db()
    steady.calendar = calendar
    steady.save()
    run_cycle(NOW)
    steady.refresh_from_db()
    (slot,) = why_not(steady, since=NOW, until=NOW, now=NOW).slots
    assert slot.state == SlotState.HELD and slot.event_id and "Holidays until 2026-03-03" in slot.reason


def test_the_statements_do_not_grow_with_the_slots(steady):
    for hours in range(4):
        run_cycle(NOW + hours * SLOT)
        work_off(NOW + hours * SLOT)
    steady.refresh_from_db()

    def statements(until) -> int:
        with CaptureQueriesContext(connection) as queries:
            why_not(steady, since=NOW, until=until, now=NOW + 4 * SLOT)
        return len([query for query in queries if "SAVEPOINT" not in query["sql"]])

    assert steady.entity.code == "branch", "the entity is read before the statements are counted"
    assert statements(NOW) == statements(NOW + 1000 * SLOT) <= 10


def test_a_schedule_by_the_minute_is_capped_and_says_so(steady):
    apply_schedule(steady, {"interval_minutes": 1}, now=NOW)
    found = why_not(steady, since=NOW - 7 * DAY, until=NOW, now=NOW)
    assert len(found.slots) == MOST_SLOTS and found.slots[-1].at == NOW
    assert any(note.startswith("Only the last 2,000 slots are listed, from 2026-02-28") for note in found.notes)


def test_runs_of_an_older_schedule_do_not_make_the_list_endless(steady):
    Run.objects.bulk_create(
        Run(
            kind="batch", entity=steady.entity, status="completed", fire_key=f"configuration:{steady.pk}:slot:{number}",
            scheduled_for=NOW - number * MINUTE, created_at=NOW, finished_at=NOW,
        )
        for number in range(MOST_SLOTS + 100)
    )  # fmt: skip
    found = why_not(steady, since=NOW - 7 * DAY, until=NOW, now=NOW)
    assert len(found.slots) == MOST_SLOTS and "Only the last 2,000 slots" in found.notes[0]


def test_a_triggered_entity_shows_fires_and_what_held_it_back(make_entity, deposit):
    configuration = make_entity(processing_mode="triggered", trigger_row_threshold=1)
    deposit()
    run_cycle(NOW)
    run_cycle(NOW + MINUTE)
    configuration.refresh_from_db()
    found = why_not(configuration, since=NOW, until=NOW + SLOT, now=NOW + 2 * MINUTE)
    assert [slot.state for slot in found.slots] == [SlotState.FIRED, SlotState.SKIPPED]
    assert found.slots[0].reason == "Fired. Trigger: 1 row (threshold 1); it waits for a worker."
    assert found.decision is not None and found.decision.gate("overlap") is not None
    assert not found.decision.would_fire and "already running" in found.decision.reason


def test_a_manual_entity_says_that_people_start_it(make_entity):
    found = why_not(make_entity(), now=NOW)
    assert found.slots == () and "Manual: people start it; the scheduler never does." in found.notes


def test_other_entities_and_their_log_do_not_matter(steady, make_entity):
    other = make_entity("other")
    run_cycle(NOW)
    events.record("error", now=NOW + SLOT, entity_id=other.entity_id, message="other")
    pause(other, by="ann", reason="other", now=NOW)
    assert states(steady, NOW, NOW + SLOT, NOW + SLOT + 10 * MINUTE) == ["fired", "missed"]


def test_without_a_worker_each_slot_is_skipped_and_says_so_for_hours(steady):
    for number in range(4):
        run_cycle(NOW + number * 4 * SLOT)
    steady.refresh_from_db()
    found = why_not(steady, since=NOW + 4 * SLOT, until=NOW + 12 * SLOT, now=NOW + 12 * SLOT).slots
    on_time = [slot for slot in found if slot.at.minute == 0]
    assert [slot.state for slot in on_time] == [SlotState.SKIPPED] * 3
    assert all("waits for a worker" in slot.reason and slot.event_id for slot in on_time)


def test_a_broken_staging_table_is_an_error_of_its_slot(steady):
    with connection.cursor() as cursor:
        cursor.execute("DROP TABLE stg_branch")
    run_cycle(NOW)
    steady.refresh_from_db()
    (slot,) = why_not(steady, since=NOW, until=NOW, now=NOW + MINUTE).slots
    assert slot.state == SlotState.ERROR and "stg_branch is missing" in slot.reason and slot.event_id


def test_a_period_that_ends_before_it_starts_is_refused(steady):
    with pytest.raises(InvalidSchedule, match="before it starts"):
        why_not(steady, since=NOW, until=NOW - DAY, now=NOW)


@pytest.mark.parametrize("year", [1, 9999])
def test_a_period_at_the_ends_of_the_calendar_is_refused(steady, year):
    with pytest.raises(InvalidSchedule, match="between the years"):
        why_not(steady, until=NOW.replace(year=year), now=NOW)


def test_a_period_to_come_lists_what_is_not_due_yet(steady):
    found = why_not(steady, since=NOW + DAY, now=NOW)
    assert {slot.state for slot in found.slots} == {SlotState.NOT_DUE} and found.until == NOW + 8 * DAY


def test_a_period_older_than_the_log_says_what_cannot_be_known(steady):
    found = why_not(steady, since=NOW - 40 * DAY, until=NOW - 39 * DAY, now=NOW)
    assert any("log is kept for 30 days" in note for note in found.notes)
