"""Users' edits: only their columns, from now on, never a fire."""

from datetime import timedelta

import pytest

from scheduling.errors import InvalidSchedule
from scheduling.jobs.declare import daily, once
from scheduling.jobs.edit import edit_job, edit_schedule
from scheduling.models import BlackoutCalendar, JobSchedule, Run

pytestmark = pytest.mark.django_db

HOUR = timedelta(hours=1)


@pytest.fixture
def schedule(make_job):
    make_job("Report", daily("07:00"))
    return JobSchedule.objects.select_related("job").get()


def test_switching_off_and_on_counts_from_then(schedule, now):
    assert edit_schedule(schedule, {"is_enabled": False}, now=now) == ["is_enabled"]
    assert JobSchedule.objects.get().next_scheduled_run is None
    edit_schedule(schedule, {"is_enabled": True}, now=now + 2 * HOUR)
    found = JobSchedule.objects.get()
    assert (found.next_scheduled_run, found.armed_from) == (now + 25 * HOUR, now + 2 * HOUR)
    assert not Run.objects.exists()


def test_an_edit_that_changes_nothing_writes_nothing(schedule, now):
    before = JobSchedule.objects.values().get()
    assert edit_schedule(schedule, {"is_enabled": True, "jitter_seconds": 0, "calendar": None}, now=now + HOUR) == []
    assert JobSchedule.objects.values().get() == before


def test_jitter_and_calendar_are_kept_and_the_guard_stays(schedule, now):
    JobSchedule.objects.update(is_running=True, run_started_at=now, fire_count=3)
    calendar = BlackoutCalendar.objects.create(name="Holidays")
    edit_schedule(schedule, {"jitter_seconds": 60, "calendar": calendar}, now=now)
    found = JobSchedule.objects.get()
    assert (found.jitter_seconds, found.calendar, found.is_running, found.fire_count) == (60, calendar, True, 3)
    assert now + HOUR <= found.next_scheduled_run <= now + HOUR + timedelta(seconds=60)


def test_stale_fields_of_the_object_in_hand_are_not_written_back(schedule, now):
    JobSchedule.objects.update(run_times="09:00", fire_count=5)
    edit_schedule(schedule, {"jitter_seconds": 1}, now=now)
    found = JobSchedule.objects.get()
    assert (found.run_times, found.fire_count) == ("09:00", 5)


def test_a_single_moment_that_has_passed_is_not_switched_on_again(make_job, now):
    make_job("Report", once("2026-03-02 07:00"))
    found = JobSchedule.objects.get()
    edit_schedule(found, {"is_enabled": False}, now=now)
    with pytest.raises(InvalidSchedule, match="has passed: it would never run"):
        edit_schedule(found, {"is_enabled": True}, now=now + 2 * HOUR)
    assert not JobSchedule.objects.get().is_enabled


@pytest.mark.parametrize("values", [{"attempts": 0}, {"attempts": 101}, {"retry_interval_seconds": -1}])
def test_numbers_out_of_their_limits_are_refused(schedule, values):
    with pytest.raises(InvalidSchedule, match="Write a whole number"):
        edit_job(schedule.job, values)


def test_how_often_it_is_tried(schedule):
    assert edit_job(schedule.job, {"attempts": 4, "retry_interval_seconds": 60}) == ["attempts"]
    schedule.job.refresh_from_db()
    assert schedule.job.attempts == 4
