"""Promise: whatever door sets a schedule going, it counts from that moment, and its own state is the same."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scheduling.jobs.declare import cron, daily
from scheduling.jobs.edit import edit_schedule
from scheduling.lifecycle.arming import ARMING, put
from scheduling.model_files.load import load
from scheduling.models import Job, JobSchedule, Plan, Schedule, SchedulerConfiguration
from scheduling.plans.draft import PlanDraft
from scheduling.plans.save import save_plan
from scheduling.schedules.change import apply_schedule, rearm, set_enabled, take_over
from scheduling.schedules.pause import pause, pause_everything, resume, resume_everything, resume_what_is_over
from tests.scheduling.conftest import NOW
from tests.scheduling.jobs.declaring import Shop

pytestmark = pytest.mark.django_db

MINUTE = timedelta(minutes=1)
OTHER = {"catch_up_limit": 3}  # a change that leaves the times alone

Door = Callable[[Any, str], Schedule | None]


def _edited(schedule: Schedule, times: str) -> None:
    apply_schedule(schedule, {"catch_up_limit": schedule.catch_up_limit + 1}, now=NOW)


def _loaded(schedule: SchedulerConfiguration, times: str) -> None:
    cadence = {"processing_mode": "scheduled", "schedule_type": "daily", "run_times": times.split(", ")}
    entity = {"code": "branch", "name": "Branch", "schedule": cadence | OTHER}
    load({"version": 1, "entities": [entity]}, now=NOW)


def _switched_on(schedule: Schedule, times: str) -> None:
    set_enabled(schedule, False, now=NOW - MINUTE)
    set_enabled(schedule, True, now=NOW)


def _resumed(schedule: Schedule, times: str) -> None:
    pause(schedule, by="ann", reason="why", now=NOW - MINUTE)
    resume(schedule, by="ann", now=NOW)


def _resumed_by_itself(schedule: Schedule, times: str) -> None:
    pause(schedule, by="ann", reason="why", until=NOW, now=NOW - MINUTE)
    resume_what_is_over(NOW)


def _all_resumed(schedule: Schedule, times: str) -> None:
    pause_everything(by="ann", reason="why", now=NOW - MINUTE)
    resume_everything(by="ann", now=NOW)


def _previewed(schedule: Schedule, times: str) -> Schedule:
    take_over(schedule, OTHER, {}, NOW)
    return schedule


def _plan_saved(plan: Plan, times: str) -> None:
    save_plan(PlanDraft(plan, OTHER, []), now=NOW)


def _rearmed(schedule: Schedule, times: str) -> None:
    rearm(schedule, now=NOW)


def _edited_job(schedule: JobSchedule, times: str) -> None:
    edit_schedule(schedule, {"is_enabled": False}, now=NOW - MINUTE)
    edit_schedule(schedule, {"is_enabled": True}, now=NOW)


def _declared_again(schedule: JobSchedule, times: str) -> None:
    JobSchedule.objects.update(removed_at=NOW - MINUTE)
    hours = ",".join(str(int(at[:2])) for at in times.split(", "))
    Shop(NOW)("Report", cron(f"0 {hours} * * *", name="Daily"))


def _job_resumed(schedule: JobSchedule, times: str) -> None:
    pause(schedule.job, by="ann", reason="why", now=NOW - MINUTE)
    resume(schedule.job, by="ann", now=NOW)


EVERY = (_edited, _resumed, _resumed_by_itself, _all_resumed, _previewed, _rearmed)
DOORS = {
    SchedulerConfiguration: (*EVERY, _loaded, _switched_on),
    Plan: (*EVERY, _switched_on, _plan_saved),
    JobSchedule: (_resumed, _resumed_by_itself, _all_resumed, _edited_job, _declared_again, _job_resumed),
}
_STATES = st.fixed_dictionaries(
    {
        "armed_from": st.sampled_from([None, NOW - timedelta(days=9)]),
        "caught_up_through": st.sampled_from([None, NOW - timedelta(hours=3)]),
        "late_runs_left": st.sampled_from([None, 0, 4]),
        "consecutive_failures": st.integers(0, 5),
        "backoff_until": st.sampled_from([None, NOW + timedelta(hours=1)]),
        "next_scheduled_run": st.sampled_from([None, NOW - timedelta(hours=2), NOW + timedelta(days=2)]),
    }
)
_TIMES = st.lists(st.integers(0, 23), min_size=1, max_size=3, unique=True).map(sorted)


@pytest.mark.parametrize(
    ("kind", "door"), [(kind, door) for kind, doors in DOORS.items() for door in doors],
    ids=[f"{kind.__name__}-{door.__name__[1:]}" for kind, doors in DOORS.items() for door in doors],
)  # fmt: skip
def test_whatever_sets_it_going_leaves_the_same_columns(make_entity, make_job, kind, door):
    make_entity(processing_mode="scheduled", schedule_type="daily", run_times="06:00")
    Plan.objects.create(name="Nightly", schedule_type="daily", run_times="06:00")
    make_job("Report", daily("06:00", name="Daily"))

    @settings(max_examples=12)
    @given(_STATES, _TIMES)
    def check(state: dict[str, Any], hours: list[int]) -> None:
        times = ", ".join(f"{hour:02}:00" for hour in hours)
        kind.objects.update(run_times=times, catch_up_limit=10, **state)
        schedule = kind.objects.get()
        given_back = door(schedule, times)
        found = given_back if given_back is not None else kind.objects.get()
        days = [NOW.replace(hour=hour, minute=0) + timedelta(days=day) for day in (0, 1) for hour in hours]
        assert {column: getattr(found, column) for column in ARMING} == {
            "armed_from": NOW,
            "caught_up_through": None,
            "late_runs_left": None,
            "consecutive_failures": 0,
            "backoff_until": None,
            "next_scheduled_run": min(at for at in days if at > NOW),
        }

    check()


@pytest.mark.parametrize("rest", ["switched off", "paused", "job paused", "not declared"])
def test_what_rests_has_no_next_run_and_is_not_set_going_by_another_door(make_job, rest):
    make_job("Report", daily("06:00", name="Daily"))
    schedule = JobSchedule.objects.select_related("job").get()
    if rest == "switched off":
        edit_schedule(schedule, {"is_enabled": False}, now=NOW)
    elif rest == "paused":
        pause(schedule, by="ann", reason="why", now=NOW)
    elif rest == "job paused":
        pause(Job.objects.get(), by="ann", reason="why", now=NOW)
    else:
        Shop(NOW).reconcile()
    assert JobSchedule.objects.get().next_scheduled_run is None
    edit_schedule(JobSchedule.objects.select_related("job").get(), {"jitter_seconds": 7}, now=NOW + MINUTE)
    pause_everything(by="ann", reason="why", now=NOW + MINUTE)
    resume_everything(by="ann", now=NOW + 2 * MINUTE)
    assert JobSchedule.objects.get().next_scheduled_run is None


def test_a_preview_of_what_was_not_changed_goes_on_as_it_is(make_entity):
    schedule = make_entity(processing_mode="scheduled", schedule_type="daily", run_times="06:00")
    put(schedule, {"caught_up_through": NOW, "late_runs_left": 2, "backoff_until": NOW + MINUTE})
    assert not take_over(schedule, {"run_times": "06:00"}, {"run_times": "06:00"}, NOW)
    assert (schedule.caught_up_through, schedule.late_runs_left) == (NOW, 2)
