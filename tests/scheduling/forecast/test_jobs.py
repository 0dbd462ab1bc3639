"""Schedules of jobs in the forecast, in the explanations and paused: judged as entities are."""

import json
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command

from scheduling.dispatch.cycle import run_cycle
from scheduling.explanations.why_not import why_not
from scheduling.forecast.forecast import forecast
from scheduling.jobs.declare import daily, every, once
from scheduling.models import JobSchedule, Queue, Run, SchedulerState
from scheduling.schedules.pause import pause, pause_everything, resume_everything
from scheduling.schedules.tzdata import recompute_after_tzdata_change
from tests.scheduling.conftest import NOW, work_off

pytestmark = pytest.mark.django_db(transaction=True)

HOUR, DAY = timedelta(hours=1), timedelta(days=1)


def schedule():
    return JobSchedule.objects.select_related("job").get()


def ahead(hours):
    return [(fire.what, fire.at) for fire in forecast(NOW, NOW + hours * HOUR, now=NOW).fires]


def test_every_schedule_of_a_job_is_in_the_forecast_with_its_usual_duration(make_job):
    make_job("Report", every(1, "hour"), once("2026-03-02 07:30"))
    Run.objects.create(
        kind="job", title="Report", fire_key="x", status="completed", created_at=NOW, started_at=NOW - HOUR / 6,
        finished_at=NOW,
    )  # fmt: skip
    fires = forecast(NOW, NOW + 3 * HOUR, now=NOW).fires
    assert [(fire.what, fire.at) for fire in fires] == [
        ("job Report", NOW + HOUR), ("job Report", NOW + 1.5 * HOUR), ("job Report", NOW + 2 * HOUR)
    ]  # fmt: skip
    assert {fire.expected_ms for fire in fires} == {600_000}
    assert fires[0].sentence == "Every hour, UTC"


def test_what_is_off_or_no_longer_declared_is_not_in_the_forecast(make_job):
    make_job("Off", every(1, "hour", enabled=False))
    make_job("Gone", every(1, "hour"))
    make_job.drafts.pop("gone")
    make_job.reconcile()
    assert ahead(3) == []


def test_jitter_filters_and_dates_are_in_the_forecast_as_they_fire(make_job):
    make_job("Report", daily("07:00", jitter_seconds=600, days="mon", months="mar"))
    at = ahead(200)[0][1]
    assert at == schedule().next_scheduled_run and len(ahead(200)) == 2
    assert run_cycle(at).fired == ["job Report"]


def test_why_not_tells_the_slots_of_a_job(make_job, capsys):
    make_job("Report", every(1, "hour", name="Hourly"))
    run_cycle(NOW + HOUR)
    run_cycle(NOW + 2 * HOUR)
    told = why_not(schedule(), since=NOW + HOUR, until=NOW + 2 * HOUR, now=NOW + 2 * HOUR)
    assert [slot.state.value for slot in told.slots] == ["fired", "skipped"]
    for name in ("job Report", "job Report: Hourly"):
        call_command("why_not", name, "--from", NOW.isoformat(), "--until", (NOW + 2 * HOUR).isoformat(), "--json")
        assert json.loads(capsys.readouterr().out)["counts"]["fired"] == 1


def test_why_not_asks_which_schedule_is_meant(make_job):
    make_job("Report", daily("07:00"), daily("08:00"))
    with pytest.raises(CommandError, match="several schedules; name one of 'job Report: Daily_07_00', "):
        call_command("why_not", "job Report")
    with pytest.raises(CommandError, match="Job 'Nothing' has no schedule"):
        call_command("why_not", "job Nothing")


def test_a_paused_schedule_starts_from_the_end_of_its_pause(make_job):
    make_job("Report", every(1, "hour"))
    assert pause(schedule(), by="ann", reason="closed", until=NOW + 2.5 * HOUR, now=NOW)
    assert run_cycle(NOW + HOUR).fired == run_cycle(NOW + 2 * HOUR).fired == []
    assert run_cycle(NOW + 2.5 * HOUR).fired == []
    assert run_cycle(NOW + 3 * HOUR).fired == ["job Report"]


def test_reconciling_leaves_a_pause_alone(make_job):
    make_job("Report", every(1, "hour"))
    pause(schedule(), by="ann", reason="closed", now=NOW)
    make_job("Report", every(2, "hours", name="Every_1h"))
    assert schedule().paused_by == "ann" and schedule().next_scheduled_run is None


def test_jobs_rest_while_everything_is_paused(make_job):
    make_job("Report", every(1, "hour"))
    pause_everything(by="ann", reason="move", now=NOW)
    assert run_cycle(NOW + HOUR).fired == []
    resume_everything(by="ann", now=NOW + 1.5 * HOUR)
    assert schedule().next_scheduled_run == NOW + 2 * HOUR


def test_new_time_zone_data_moves_the_next_run_of_a_job(make_job):
    make_job("Report", daily("07:00", timezone="Europe/Amsterdam"))
    right = schedule().next_scheduled_run
    JobSchedule.objects.update(next_scheduled_run=right + HOUR)
    SchedulerState.objects.update_or_create(pk=1, defaults={"tzdata_version": "2025b"})
    assert recompute_after_tzdata_change(NOW) == 1
    assert schedule().next_scheduled_run == right


def test_a_blackout_calendar_holds_a_job_back(make_job):
    from scheduling.models import BlackoutCalendar, BlackoutPeriod

    make_job("Report", every(1, "hour"))
    calendar = BlackoutCalendar.objects.create(name="Holidays")
    BlackoutPeriod.objects.create(calendar=calendar, kind="days", first_day=NOW.date())
    JobSchedule.objects.update(calendar=calendar)
    assert run_cycle(NOW + HOUR).fired == [] and work_off(NOW + HOUR) == 0


def test_a_job_is_a_load_of_its_queue_and_one_run_of_several_schedules_counts_once(make_job):
    Queue.objects.create(name="reports", max_running=1)
    make_job("Report", every(1, "hour"), daily("09:30"), queue="reports")
    loads = {load.queue: load.peak for load in forecast(NOW, NOW + 2 * HOUR, now=NOW).load}
    assert loads == {"reports": 1}
    run_cycle(NOW + HOUR)
    at = NOW + HOUR
    found = forecast(at, at + HOUR / 2, now=at)
    assert len(found.running) == 2 and {load.queue: load.peak for load in found.load}["reports"] == 1


def test_a_job_whose_queue_is_not_there_is_noted_and_is_no_load(make_job):
    make_job("Report", every(1, "hour"), queue="nowhere")
    found = forecast(NOW, NOW + 2 * HOUR, now=NOW)
    assert found.notes == ("job Report cannot run as it stands: There is no queue named 'nowhere'.",)
    assert found.load == ()
