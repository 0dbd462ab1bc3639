"""Promise: a key that the chosen type or mode does not use is a mistake at its path; an earlier mode's is cleared."""

import pytest

from scheduling.model_files.load import load
from scheduling.models import Plan, SchedulerConfiguration
from scheduling.plans.draft import PlanDraft
from scheduling.plans.save import save_plan
from scheduling.schedules.settings import CLEARED, used_by
from scheduling.states import ProcessingMode, ScheduleType
from staging.errors import InvalidDefinition
from tests.scheduling.conftest import NOW

pytestmark = pytest.mark.django_db

# A value of each setting, and what makes each kind of schedule complete.
VALUES = {
    "interval_minutes": 15, "interval_anchor": "epoch", "interval_start": "2026-06-15 09:00", "window_start": "08:00",
    "window_end": "18:00", "run_times": ["06:00"], "run_days": ["mon"], "run_days_of_month": [31],
    "run_weeks_of_month": 1, "run_months": [2], "run_once_at": "2027-06-15 09:00", "every_n_weeks": 2,
    "every_n_months": 3, "anchor_date": "2026-01-05", "cron_expression": "0 6 * * *", "starts_on": "2026-01-01",
    "ends_on": "2030-01-01", "dst_gap": "skip", "dst_overlap": "both", "catch_up": "last", "catch_up_limit": 5,
    "catch_up_window_minutes": 60, "trigger_on_new_rows": True, "trigger_row_threshold": 5, "trigger_idle_minutes": 5,
    "trigger_debounce_seconds": 5, "trigger_settle_seconds": 5,
}  # fmt: skip
COMPLETE = {
    "manual": {}, "triggered": {"trigger_row_threshold": 5}, "interval": {"interval_minutes": 15},
    "daily": {"run_times": ["06:00"]}, "weekly": {"run_times": ["06:00"], "run_days": ["mon"]},
    "monthly": {"run_times": ["06:00"], "run_days_of_month": [31]}, "cron": {"cron_expression": "0 6 * * *"},
    "monthly_nth_weekday": {"run_times": ["06:00"], "run_days": ["mon"], "run_weeks_of_month": 1},
    "yearly": {"run_times": ["06:00"], "run_months": [2], "run_days_of_month": [1]},
    "once": {"run_once_at": "2027-06-15 09:00"},
}  # fmt: skip


def section_of(kind):
    if kind in ProcessingMode.values:
        return {"processing_mode": kind, **COMPLETE[kind]}
    return {"processing_mode": "scheduled", "schedule_type": kind, **COMPLETE[kind]}


def loaded(schedule, **more):
    entity = {"code": "branch", "name": "Branch", "attributes": [], "schedule": schedule}
    return load({"version": 1, "entities": [entity], **more}, now=NOW)


def mistakes(schedule, **more):
    with pytest.raises(InvalidDefinition) as refused:
        loaded(schedule, **more)
    return refused.value.errors


def test_every_kind_of_schedule_is_tried():
    assert set(COMPLETE) - set(ProcessingMode.values) == set(ScheduleType.values)


@pytest.mark.parametrize("kind", COMPLETE)
def test_each_setting_that_a_kind_of_schedule_does_not_use_is_a_mistake_at_its_path(kind):
    section = section_of(kind)
    used = used_by(section["processing_mode"], section.get("schedule_type", "")) - {"interval_start"}
    found = mistakes({**VALUES, **section})
    told = {path.rpartition(".")[2] for path, texts in found.items() if "has no use for" in texts[0]}
    assert told == VALUES.keys() - used
    assert set(VALUES) | {"processing_mode", "is_enabled", "timezone", "schedule_type", "calendar"} == set(CLEARED)


def test_what_an_earlier_mode_left_is_cleared_without_a_word():
    loaded(section_of("triggered"))
    loaded(section_of("daily"))
    configuration = SchedulerConfiguration.objects.get()
    assert (configuration.trigger_row_threshold, configuration.run_times) == (None, "06:00")


def test_a_plan_s_schedule_and_a_calendar_s_periods_are_read_the_same_way():
    save_plan(PlanDraft(Plan(name="Nightly")), now=NOW)
    monthly = {"schedule_type": "monthly", "run_days_of_month": [31], "run_months": [2], "run_times": ["06:00"]}
    found = mistakes(section_of("manual"), plans=[{"name": "Nightly", "schedule": monthly}])
    assert list(found) == ["plans[0].schedule.run_months"]
    found = mistakes(section_of("manual"), plans=[{"name": "Nightly", "schedule": {"run_times": ["06:00"]}}])
    assert list(found) == ["plans[0].schedule.run_times"]
    period = {"kind": "weekly", "run_days": ["sun"], "first_day": "2026-01-01"}
    found = mistakes(section_of("manual"), calendars=[{"name": "Dark", "periods": [period]}])
    assert list(found) == ["calendars[0].periods[0].first_day"]
