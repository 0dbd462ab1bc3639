"""Promise: going back gives equal settings for each key of a model file; a new key needs its values here."""

from typing import Any

import pytest

from scheduling import clock
from scheduling.jobs.reconcile import sync_jobs
from scheduling.model_files.load import load
from scheduling.model_files.sections import (
    CALENDAR_KINDS,
    PERIOD_KINDS,
    PLAN_KINDS,
    QUEUE_KINDS,
    SCHEDULE_KINDS,
    SCRIPT_KINDS,
    STEP_KINDS,
)
from scheduling.models import BlackoutCalendar, Job, Plan, Queue, SchedulerConfiguration, SqlScript
from staging.model_files.keys import ATTRIBUTE_KEYS, ENTITY_KEYS
from staging.models import Entity, Version
from staging.versions.releases import forgotten
from staging.versions.subjects import subject_of
from tests.scheduling.conftest import NOW
from tests.scheduling.subjects.test_going_back import clean, is_again

pytestmark = pytest.mark.django_db
EVERY: dict[str, Any] = {"timezone": "Europe/Amsterdam", "is_enabled": False, "calendar": "Feasts", "catch_up": "all",
                         "catch_up_limit": 3, "catch_up_window_minutes": 90}  # fmt: skip
DATES = {"starts_on": "2026-01-05", "ends_on": "2027-12-31"}
CLOCK = {"run_times": ["02:30", "18:00"], "dst_gap": "skip", "dst_overlap": "both", **DATES}
SCHEDULES: list[dict[str, Any]] = [
    {"processing_mode": "scheduled", **each}
    for each in (
        {"schedule_type": "interval", "interval_minutes": 15, "interval_anchor": "start",
         "interval_start": "2026-01-05T06:00:00+00:00", **EVERY, **DATES},
        {"schedule_type": "interval", "interval_minutes": 20, "window_start": "08:00", "window_end": "18:00",
         "run_days": ["mon", "fri"]},
        {"schedule_type": "weekly", "run_days": ["tue"], "every_n_weeks": 2, "anchor_date": "2026-01-05", **CLOCK},
        {"schedule_type": "monthly", "run_days_of_month": ["1", "last"], "every_n_months": 3,
         "anchor_date": "2026-01-05", **CLOCK},
        {"schedule_type": "monthly_nth_weekday", "run_weeks_of_month": "1", "run_days": ["sun"],
         "run_months": ["jan"], **CLOCK},
        {"schedule_type": "once", "run_once_at": "2027-05-01 06:00"},
        {"schedule_type": "cron", "cron_expression": "0 6 * * mon"},
    )
] + [{"processing_mode": "triggered", "trigger_on_new_rows": True, "trigger_row_threshold": 7, "calendar": "Feasts",
      "trigger_idle_minutes": 5, "trigger_debounce_seconds": 30, "trigger_settle_seconds": 4}]  # fmt: skip
STEPS: list[dict[str, Any]] = [
    {"entity": "area", "step_index": 1, "priority": 3, "attempts": 2, "retry_interval_seconds": 5,
     "retry_backoff": True, "retry_on": ["TimeoutError"], "timeout_seconds": 60, "expected_minutes": 4,
     "due_by": "06:00", "continue_on_failure": True},
    {"job": "Report", "step_index": 1, "queue": "slow", "for_each": ["a", "b"], "side_by_side": 2,
     "due_after_minutes": 30, "arguments": {"where": "{{item}}"}},
    {"script": "Tidy", "step_index": 2, "run_if": "always", "arguments": {"region": "{{item.code}}"},
     "for_each_query": "Regions"},
    {"script": "Tidy", "step_index": 2, "arguments": {"region": "north"}, "only_when": ["area: inserted > 3"]},
    {"job": "Report", "step_index": 2, "arguments": {"where": "{{item.name}}"},
     "for_each_result": "job Lister: shops"},
    {"job": "Lister", "step_index": 1},
    {"plan": "Sub", "step_index": 3, "depends_on": ["area"]},
    {"wait_until": "14:00", "wait_days": 1, "wait_name": "of the bank", "step_index": 3},
    {"wait_minutes": 30, "step_index": 3},
    {"entity": "shop", "wait_rows": 9, "step_index": 3},
    {"script": "Ready", "wait_query": True, "step_index": 3},
    {"job": "HTTP request", "step_index": 4, "arguments": {"url": "https://api.example.com/v1", "method": "POST",
     "json": {"day": 1.5}, "secret_headers": {"Authorization": "HTTP_SECRET_SHOP"}, "expected": [200]}},
    {"job": "Command", "step_index": 4, "arguments": {"name": "export", "arguments": ["--safe"], "warning_codes": [4]}},
    {"entity": "shop", "step_index": 5, "is_cancelled": True},
]  # fmt: skip
# What tells a step from the others stays; all else of it is gone in the other version.
_STAYS = ("entity", "job", "script", "plan", "arguments", "wait_until", "wait_days", "wait_minutes", "wait_rows",
          "wait_query", "wait_name", "step_index")  # fmt: skip
PLAN: dict[str, Any] = {
    "name": "Nightly", "description": "All of it", "categories": ["Post"], "order": "steps", "overlap": "queue_one",
    "parameters": {"day": {"type": "text", "default": "x"}, "shops": {"type": "list", "default": ["a"]}},
    "owner": "ann", "run_timeout_seconds": 900, "run_attempts": 3, "run_retry_interval_seconds": 30,
    "run_retry_backoff": True, "expected_minutes": 9,
    "due_by": "07:00", "default_queue": "slow", "default_attempts": 2, "default_retry_interval_seconds": 4,
    "default_timeout_seconds": 50, "after_plans": ["Sub2"], "after_entities": ["yard"], "steps": STEPS,
}  # fmt: skip
_NOT_LATER = ("due_by", "owner", "after_plans", "after_entities")
LATER = {key: value for key, value in PLAN.items() if key not in _NOT_LATER} | {
    "owner_group": "Steward", "due_after_minutes": 40, "is_cancelled": True,
    "schedule": {"schedule_type": "daily", **CLOCK, **EVERY}}  # fmt: skip
ATTRIBUTES: list[dict[str, Any]] = [
    {"name": "staff", "type": "integer", "required": True, "unique": True, "min": 1, "max": 9,
     "on_error": "skip_field"},
    {"name": "place", "type": "text", "min_length": 1, "max_length": 9, "pattern": "[a-z]+", "choices": ["a", "b"],
     "merge_mode": "keep_existing"},
    {"name": "area", "type": "reference", "reference": "area", "is_cancelled": True},
]  # fmt: skip
ENTITY: dict[str, Any] = {
    "code": "shop", "name": "Shop", "description": "All of them", "default_import_action": 1,
    "default_merge_mode": "fill_when_empty", "duplicates": "reject_all", "language": "nl", "max_error_rate": 0.25,
    "max_change_rate": 0.5, "max_removal_rate": 0.1, "review": "hold", "two_person_rule": True, "sentinel_text": "~",
    "sentinel_number": -9, "sentinel_datetime": "1900-01-01T00:00:00", "processed_retention_days": 3,
    "keep_history": False, "is_cancelled": False, "attributes": ATTRIBUTES, "owner": "ann",
}  # fmt: skip
PERIODS = [
    {"kind": "days", "first_day": "2027-01-10", "last_day": "2027-01-12", "note": "Feast"},
    {"kind": "weekly", "run_days": ["sat"], "window_start": "08:00", "window_end": "09:00"},
]
CALENDAR = {
    "name": "Feasts",
    "description": "Ours",
    "timezone": "Europe/Amsterdam",
    "policy": "roll",
    "periods": PERIODS,
}
QUEUE = {"name": "slow", "max_running": 3, "celery_queue": "slow", "is_cancelled": False}
SCRIPT = {"name": "Tidy", "description": "Tidies", "sql": "select %(region)s", "parameters": {"region": "text"},
          "timeout_seconds": 30, "is_cancelled": False}  # fmt: skip
REGIONS = {"name": "Regions", "sql": "select 'north' as code"}
READY = {"name": "Ready", "sql": "select 1"}


def document(**other: Any) -> dict[str, Any]:
    """Return a model in which every key of a file has a value, but for what is otherwise."""
    base = {"calendars": [CALENDAR], "queues": [QUEUE], "scripts": [SCRIPT, REGIONS, READY], "plans": [
        {"name": "Sub", "order": "steps", "steps": [{"entity": "shed"}]},
        {"name": "Sub2", "order": "steps", "steps": [{"entity": "yard"}]}, PLAN],
        "entities": [*({"code": code, "name": code.title()} for code in ("area", "shed", "yard")), ENTITY]}  # fmt: skip
    return clean({"version": 1, **base, **other})  # type: ignore[no-any-return]


def bare() -> dict[str, Any]:
    """Return the same things with nothing that can be left out."""
    steps = [{key: value for key, value in step.items() if key in _STAYS} for step in STEPS]
    for step in steps:  # the same step, with other items
        if "item" in str(step.get("arguments")):
            step["for_each"] = [{"code": "z", "name": "Z"}] if "item." in str(step["arguments"]) else ["z"]
    attributes = [{"name": each["name"], "type": each["type"]} | ({"reference": "area"} if "reference" in each else {})
                  for each in ATTRIBUTES]  # fmt: skip
    return document(
        calendars=[{"name": "Feasts"}],
        queues=[{"name": "slow", "max_running": 1, "celery_queue": "slow"}],
        scripts=[{"name": "Tidy", "sql": "select %(region)s, 2", "parameters": {"region": "text"}}, REGIONS, READY],
        entities=[{"code": "area", "name": "Area"}, {"code": "shed", "name": "Shed"}, {"code": "yard", "name": "Yard"},
                  {"code": "shop", "name": "Shop", "attributes": attributes}],
        plans=[{"name": "Nightly", "order": "steps", "steps": steps}],
    )  # fmt: skip


def goes_back(thing: Any) -> None:
    """Go back to each version of a thing, the newest first; what it is then is what it was."""
    subject = subject_of(type(thing))
    assert subject is not None
    mine = Version.objects.filter(subject_type=subject.key, subject_id=thing.pk).order_by("number")
    known = list(mine)
    assert len(known) > 1
    for version in (*reversed(known), known[-1]):
        assert forgotten(version.content, subject.words) == [], "nothing of it is left out"
        subject.restore(type(thing)._base_manager.get(pk=thing.pk), version.content)
        newest = mine.last()
        assert newest is not None and is_again(newest.content, version.content), (thing, version.number)


@pytest.fixture
def jobs(make_job: Any, settings: Any, django_user_model: Any) -> None:
    """Declare the jobs that the steps name."""
    settings.HTTP_STEPS, settings.COMMAND_STEPS = ["https://api.example.com/v1"], {"export": ["/bin/echo"]}
    sync_jobs(clock.now())
    make_job("Lister", body=lambda context: None)

    def body(context: Any, where: str) -> None:
        """Report of somewhere."""

    make_job("Report", body=body)
    Job.objects.update(removed_at=None)
    django_user_model.objects.create(username="ann")


def test_a_plan_goes_back_with_each_key_of_it_and_of_its_steps(jobs: None) -> None:
    load(document(), now=NOW)
    load(bare(), now=NOW)
    load(document(plans=[LATER]), now=NOW)
    goes_back(Plan.objects.get(name="Nightly"))


def test_what_else_a_file_has_goes_back_with_each_key(jobs: None) -> None:
    load(document(), now=NOW)
    load(bare(), now=NOW)
    for kind, name in ((Queue, "slow"), (SqlScript, "Tidy"), (BlackoutCalendar, "Feasts"), (Entity, "Shop")):
        goes_back(kind.objects.get(name=name))


def test_a_configuration_goes_back_with_each_key_of_its_schedule(jobs: None) -> None:
    for schedule in SCHEDULES:
        load(document(plans=[], entities=[{"code": "shop", "name": "Shop", "schedule": schedule}]), now=NOW)
    goes_back(SchedulerConfiguration.objects.get())


@pytest.mark.parametrize(
    ("keys", "values"),
    [
        (STEP_KINDS, STEPS), (PLAN_KINDS, [PLAN, LATER]), (SCHEDULE_KINDS, SCHEDULES), (QUEUE_KINDS, [QUEUE]),
        (SCRIPT_KINDS, [SCRIPT]), (CALENDAR_KINDS, [CALENDAR]), (PERIOD_KINDS, PERIODS),
        ([key.name for key in ENTITY_KEYS], [ENTITY]), ([key.name for key in ATTRIBUTE_KEYS], ATTRIBUTES),
    ],
    ids=["step", "plan", "schedule", "queue", "script", "calendar", "period", "entity", "attribute"],
)  # fmt: skip
def test_each_key_has_a_value_here(keys: Any, values: list[dict[str, Any]]) -> None:
    assert {*keys} - {key for each in values for key in each} == set()
