"""Promises about time zone data: the pinned package is what counts, and a new version moves what it must, once."""

import zoneinfo
from datetime import UTC, date, datetime, timedelta
from importlib import resources
from zoneinfo import ZoneInfo

import pytest
import tzdata

from scheduling.dispatch.cycle import run_cycle
from scheduling.models import BlackoutCalendar, BlackoutPeriod, SchedulerConfiguration, SchedulerLog, SchedulerState
from scheduling.schedules import tzdata as room
from scheduling.schedules.change import apply_schedule
from scheduling.schedules.pause import pause
from scheduling.schedules.tzdata import installed_version, recompute_after_tzdata_change
from tests.scheduling.conftest import NOW

pytestmark = pytest.mark.django_db(transaction=True)

HOUR = timedelta(hours=1)
CASABLANCA = {"timezone": "Africa/Casablanca"}


@pytest.fixture
def daily(make_entity):
    """Return a factory: a schedule at noon, armed at NOW."""

    def make(code: str = "branch", **values) -> SchedulerConfiguration:
        configuration = make_entity(code)
        given = {"processing_mode": "scheduled", "schedule_type": "daily", "run_times": "12:00"}
        apply_schedule(configuration, given | values, now=NOW)
        return configuration

    return make


@pytest.fixture
def old_data():
    """The installation last saw the data of 2025b."""
    SchedulerState.objects.update_or_create(pk=1, defaults={"tzdata_version": "2025b"})


def next_run(configuration) -> datetime | None:
    return SchedulerConfiguration.objects.values_list("next_scheduled_run", flat=True).get(pk=configuration.pk)


def shift(configuration, by: timedelta) -> None:
    """Put the next run where older data would have had it."""
    run = next_run(configuration)
    assert run is not None
    SchedulerConfiguration.objects.filter(pk=configuration.pk).update(next_scheduled_run=run + by)


def moved_events() -> list[str]:
    return list(SchedulerLog.objects.filter(event_type="moved").order_by("id").values_list("message", flat=True))


def test_no_zone_file_of_the_machine_is_ever_used():
    assert zoneinfo.TZPATH == ()


def test_a_zone_is_the_one_of_the_pinned_package():
    with resources.files("tzdata.zoneinfo.Africa").joinpath("Casablanca").open("rb") as file:
        pinned = ZoneInfo.from_file(file, key="Africa/Casablanca")
    moments = [datetime(year, month, 1, tzinfo=UTC) for year in range(2024, 2031) for month in range(1, 13)]
    used = ZoneInfo("Africa/Casablanca")
    assert [at.astimezone(used).utcoffset() for at in moments] == [at.astimezone(pinned).utcoffset() for at in moments]
    # Morocco stays on +00 from September 2026 on; data of 2025 did not know that, and many machines still do not.
    assert tzdata.IANA_VERSION >= "2026f"
    assert datetime(2026, 12, 1, 12, tzinfo=used).utcoffset() == timedelta()


def test_the_installed_version_is_that_of_the_package():
    assert installed_version() == tzdata.IANA_VERSION


def test_a_next_run_that_the_new_data_puts_elsewhere_moves_and_is_told_once(daily, old_data):
    configuration = daily(**CASABLANCA)
    right = next_run(configuration)
    shift(configuration, -HOUR)
    assert recompute_after_tzdata_change(NOW) == 1
    assert next_run(configuration) == right
    version = tzdata.IANA_VERSION
    told, summary = moved_events()
    assert told.startswith(f"Time zone data changed from 2025b to {version}; next run moved from 2026-03-02 1")
    assert summary == f"Time zone data changed from 2025b to {version}; the next run of 1 schedule moved."
    assert recompute_after_tzdata_change(NOW) == 0 and len(moved_events()) == 2


def test_a_schedule_that_is_right_already_is_not_touched(daily, old_data):
    configuration = daily()
    before = SchedulerConfiguration.objects.filter(pk=configuration.pk).values().get()
    assert recompute_after_tzdata_change(NOW) == 0
    assert SchedulerConfiguration.objects.filter(pk=configuration.pk).values().get() == before
    assert moved_events() == [
        f"Time zone data changed from 2025b to {tzdata.IANA_VERSION}; the next run of 0 schedules moved."
    ]


def test_a_new_installation_notes_its_version_quietly(daily):
    daily()
    assert recompute_after_tzdata_change(NOW) == 0
    assert SchedulerState.current().tzdata_version == tzdata.IANA_VERSION and moved_events() == []


def test_a_slot_that_is_due_already_still_runs(daily, old_data):
    configuration = daily()
    SchedulerConfiguration.objects.filter(pk=configuration.pk).update(next_scheduled_run=NOW)
    assert recompute_after_tzdata_change(NOW) == 0
    assert next_run(configuration) == NOW and run_cycle(NOW).fired == ["branch"]


def test_paused_disabled_triggered_and_manual_ones_are_left_alone(daily, make_entity, old_data):
    paused = daily("paused")
    pause(paused, by="ann", reason="audit", now=NOW)
    off = daily("off")
    SchedulerConfiguration.objects.filter(pk=off.pk).update(is_enabled=False)
    shift(off, HOUR)
    make_entity("triggered", processing_mode="triggered", trigger_row_threshold=1)
    make_entity("manual")
    assert recompute_after_tzdata_change(NOW) == 0
    assert next_run(paused) is None


def test_whoever_is_faster_wins(daily, old_data, monkeypatch):
    configuration = daily()
    shift(configuration, HOUR)
    compute = room._next_run

    def edited_meanwhile(seen, now):
        apply_schedule(SchedulerConfiguration.objects.get(pk=seen.pk), {"run_times": "17:00"}, now=NOW)
        return compute(seen, now)

    monkeypatch.setattr(room, "_next_run", edited_meanwhile)
    assert recompute_after_tzdata_change(NOW) == 0
    run = next_run(configuration)
    assert run is not None and run.hour == 17


def test_a_broken_schedule_stays_alone(daily, old_data):
    broken, other = daily("broken"), daily("other")
    SchedulerConfiguration.objects.filter(pk=broken.pk).update(run_times="noon")
    shift(other, HOUR)
    assert recompute_after_tzdata_change(NOW) == 1


def test_a_slot_that_rolled_to_the_end_of_a_blackout_is_not_lost(daily, old_data):
    calendar = BlackoutCalendar.objects.create(name="Holidays", policy="roll")
    BlackoutPeriod.objects.create(calendar=calendar, kind="days", first_day=date(2026, 3, 2))
    configuration = daily(schedule_type="weekly", run_days="mon")
    SchedulerConfiguration.objects.filter(pk=configuration.pk).update(calendar=calendar)
    noon, midnight = NOW + 6 * HOUR, NOW + 18 * HOUR
    run_cycle(noon)
    assert next_run(configuration) == midnight
    assert recompute_after_tzdata_change(noon + HOUR) == 0
    assert next_run(configuration) == midnight


def test_an_interval_after_a_run_that_has_not_ended_keeps_its_next_run(daily, old_data):
    values = {"schedule_type": "interval", "interval_minutes": 60, "interval_anchor": "last_completion"}
    configuration = daily(**values)
    run = next_run(configuration)
    assert recompute_after_tzdata_change(NOW + HOUR / 2) == 0
    assert next_run(configuration) == run


def test_every_start_the_job_and_the_command_look_at_the_data(daily, old_data, monkeypatch, capsys):
    from django.core.management import call_command

    from scheduling import clock
    from scheduling.housekeeping.start import at_start

    monkeypatch.setattr(clock, "now", lambda: NOW)
    configuration = daily()
    right = next_run(configuration)
    by_job = lambda: call_command("run_job", "Time zone check", inline=True)  # noqa: E731
    for house_keep in (lambda: at_start(NOW), by_job, lambda: call_command("cleanup")):
        SchedulerState.objects.update(tzdata_version="2025b")
        shift(configuration, HOUR)
        house_keep()
        assert next_run(configuration) == right
