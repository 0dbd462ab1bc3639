"""Queues, dependencies, scripts and plans in a model file: the contract's example, round trips, every fault by path."""

from datetime import UTC, datetime
from typing import Any

import pytest

from scheduling.model_files.dump import dump
from scheduling.model_files.load import Loaded, load
from scheduling.models import EntityDependency, Plan, PlanStep, Queue, SqlScript
from scheduling.plans.check import check_plans
from staging.errors import InvalidDefinition
from staging.model_files.read import parse_yaml
from staging.model_files.write import write_yaml

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
CONTRACT = """
version: 1
release: "2026.11"            # free text, recorded
entities:
  - code: region
    name: Region
    attributes:
      - {name: manager, type: text, max_length: 80}
  - code: branch
    name: Branch
    default_import_action: 0
    default_merge_mode: keep_when_blank
    duplicates: reject_all
    max_error_rate: 0.2        # more rejected than this: the batch is refused and its rows go back to pending, held
    review: auto               # or hold: merge waits for a person
    attributes:
      - {name: region, type: reference, reference: region, required: true}
      - {name: opened_on, type: date}
      - {name: staff, type: integer, min: 0, max: 5000, merge_mode: overwrite, on_error: skip_field}
      - {name: email, type: text, pattern: '^[^@ ]+@[^@ ]+$', unique: true}
    schedule:
      processing_mode: triggered
      trigger_row_threshold: 500
      trigger_idle_minutes: 15
      timezone: Europe/Amsterdam
    depends_on: [region]
queues:
  - {name: default, max_running: 4}
plans:
  - name: Nightly
    schedule: {schedule_type: daily, run_times: ["02:30"], timezone: Europe/Amsterdam, is_enabled: true}
    order: hierarchy           # or steps
    steps:
      - {entity: region, queue: default, priority: 5}
      - {entity: branch, continue_on_failure: false}
"""
ENTITIES = """
version: 1
entities:
  - {code: region, name: Region}
  - {code: branch, name: Branch}
"""
RICH = (
    ENTITIES
    + """
queues:
  - {name: slow, max_running: 1, celery_queue: big}
scripts:
  - {name: Refresh, sql: "SELECT %(year)s", parameters: {year: integer}, timeout_seconds: 20}
plans:
  - name: Outer
    overlap: queue_one
    parameters: {day: text, year: {type: integer, default: 2026}}
    description: Everything
    default_queue: slow
    default_attempts: 2
    default_retry_interval_seconds: 0
    default_timeout_seconds: 90
    steps:
      - {plan: Inner}
      - {script: Refresh, arguments: {year: 2026}, depends_on: [plan Inner], queue: slow}
      - entity: branch
        step_index: 2
        run_if: any_failed
        attempts: 3
        retry_backoff: true
        retry_on: [TimeoutError, OSError]
        timeout_seconds: 60
  - name: Inner
    order: both
    is_cancelled: true
    steps: [{entity: region, priority: -3, attempts: 1, retry_interval_seconds: 60, queue: default}]
"""
)


def _load(text: str, **options: Any) -> Loaded:
    return load(parse_yaml(text), now=NOW, **options)


def _faults(text: str) -> dict[str, list[str]]:
    with pytest.raises(InvalidDefinition) as refused:
        _load(text)
    assert not Plan.objects.exists() and not EntityDependency.objects.exists()
    return refused.value.errors


def _again_changes_nothing() -> None:
    document = parse_yaml(write_yaml(dump()))
    loaded = load(document, now=NOW)
    assert loaded.created == [] and loaded.changes == {}
    assert parse_yaml(write_yaml(dump())) == document


def test_the_example_of_the_contract_loads_as_it_stands():
    loaded = _load(CONTRACT)
    assert {"queue default", "plan Nightly"} <= set(loaded.created) and "branch depends_on" in loaded.changed
    plan = Plan.objects.get()
    assert (plan.order, plan.run_times, plan.timezone, plan.is_enabled) == (
        "hierarchy",
        "02:30",
        "Europe/Amsterdam",
        True,
    )
    assert plan.armed_from == NOW and plan.next_scheduled_run > NOW
    assert [(step.key, step.priority) for step in plan.steps.all()] == [("region", 5), ("branch", 0)]
    assert check_plans(["Nightly"]).hierarchy == ("region", "region >>> branch")
    _again_changes_nothing()


def test_everything_a_plan_can_say_survives_a_round_trip():
    _load(RICH)
    steps = {step.key: step for step in PlanStep.objects.all()}
    assert set(steps) == {"plan Inner", "script Refresh (year=2026)", "branch", "region"}
    assert [prior.key for prior in steps["script Refresh (year=2026)"].depends_on.all()] == ["plan Inner"]
    assert steps["branch"].retry_on_classes == ["TimeoutError", "OSError"] and steps["branch"].step_index == 2
    assert steps["branch"].run_if == "any_failed"
    assert (steps["plan Inner"].step_index, steps["script Refresh (year=2026)"].step_index) == (1, 2)
    assert Queue.objects.get(name="slow").celery_queue == "big"
    outer = Plan.objects.get(name="Outer")
    assert (outer.default_queue.name, outer.default_attempts, outer.default_retry_interval_seconds) == ("slow", 2, 0)
    assert outer.default_timeout_seconds == 90
    region = steps["region"]
    assert (region.own("attempts"), region.own("retry_interval_seconds"), region.own_queue) == (1, 60, "default")
    assert (steps["plan Inner"].own("attempts"), steps["plan Inner"].own_queue) == (None, "")
    _again_changes_nothing()


def test_a_dry_run_tells_the_same_and_stores_nothing():
    told = _load(RICH, dry_run=True)
    assert not Plan.objects.exists() and not Queue.objects.exists() and not SqlScript.objects.exists()
    assert told.created == _load(RICH).created


def test_what_the_file_does_not_list_stays_and_what_it_changes_is_told():
    _load(RICH)
    text = ENTITIES + "plans: [{name: Outer, steps: [{entity: branch, is_cancelled: true}]}]"
    loaded = _load(text)
    assert loaded.changed == ["plan Outer"] and set(loaded.changes["plan Outer"]) == {
        "description", "overlap", "parameters", "steps", "default_queue", "default_attempts",
        "default_retry_interval_seconds", "default_timeout_seconds",
    }  # fmt: skip
    plan = Plan.objects.get(name="Outer")
    assert plan.steps.count() == 3 and plan.steps.get(entity__code="branch").is_cancelled
    assert Plan.objects.filter(name="Inner").exists() and Queue.objects.filter(name="slow").exists()


def test_the_dependencies_of_an_entity_are_the_list_and_no_list_leaves_them():
    _load(CONTRACT)
    _load(ENTITIES)
    assert EntityDependency.objects.count() == 1
    _load(ENTITIES.replace("{code: branch, name: Branch}", "{code: branch, name: Branch, depends_on: []}"))
    assert not EntityDependency.objects.exists()


CIRCLE = "plans: [{name: A, steps: [{entity: branch, depends_on: [region]}, {entity: region, depends_on: [branch]}]}]"
FAULTS = [
    ("queues: [{name: a, max_running: 0}]", "queues[0].max_running", "At least one task must be able to run"),
    ("queues: [{max_running: 1}]", "queues[0].name", "This is required."),
    ("queues: [{name: a}, {name: a}]", "queues[1].name", "'a' is defined at queues[0] already"),
    ("scripts: [{name: a, sql: 'SELECT 1 % 2'}]", "scripts[0].sql", "A percent sign is written %%"),
    ("plans: [{name: A, order: up}]", "plans[0].order", "'up' is not known"),
    ("plans: [{name: A}, {name: A}]", "plans[1].name", "'A' is defined at plans[0] already"),
    ("plans: [{name: 'A,B'}]", "plans[0].name", "A plan needs a name"),
    ("plans: [{name: A, schedule: {schedule_type: daily}}]", "plans[0].schedule.run_times", "A daily schedule"),
    ("plans: [{name: A, schedule: {processing_mode: x}}]", "plans[0].schedule.processing_mode", "There is no key"),
    ("plans: [{name: A, steps: [{entity: branhc}]}]", "plans[0].steps[0].entity", "There is no entity 'branhc'. Did"),
    ("plans: [{name: A, steps: [{job: Gone}]}]", "plans[0].steps[0].job", "There is no job 'Gone'"),
    ("plans: [{name: A, steps: [{}]}]", "plans[0].steps[0].entity", "A step is one thing"),
    ("plans: [{name: A, steps: [{entity: branch, queue: x}]}]", "plans[0].steps[0].queue", "There is no queue 'x'."),
    ("plans: [{name: A, steps: [{entity: branch, attempts: 0}]}]", "plans[0].steps[0].attempts", "Ensure this value"),
    ("plans: [{name: A, default_attempts: 0}]", "plans[0].default_attempts", "Ensure this value"),
    ("plans: [{name: A, default_timeout_seconds: 0}]", "plans[0].default_timeout_seconds", "Ensure this value"),
    ("plans: [{name: A, default_retry_interval_seconds: x}]", "plans[0].default_retry_interval_seconds", "This must"),
    ("plans: [{name: A, default_queue: slo}]", "plans[0].default_queue", "There is no queue 'slo'"),
    ("plans: [{name: A, steps: [{entity: branch, depends_on: [x]}]}]", "plans[0].steps[0].depends_on", "There is no"),
    (CIRCLE, "plans[0].steps", "These depend on each other in a circle: branch > region > branch."),
    (
        "plans: [{name: A, steps: [{plan: B}]}, {name: B, steps: [{plan: A}]}]",
        "plans[0].steps",
        "These depend on each other in a circle: plan A > plan B > plan A.",
    ),
]


@pytest.mark.parametrize(("text", "path", "message"), FAULTS)
def test_a_fault_is_told_with_its_path_and_nothing_is_stored(text, path, message):
    errors = _faults(ENTITIES + text)
    assert path in errors and errors[path][0].startswith(message), errors


def test_a_circle_of_dependencies_is_told_at_the_entity():
    text = ENTITIES.replace("Region}", "Region, depends_on: [branch]}").replace(
        "Branch}", "Branch, depends_on: [region]}"
    )
    assert _faults(text) == {
        "entities[0].depends_on": ["These depend on each other in a circle: branch > region > branch."]
    }
    unknown = ENTITIES.replace("Region}", "Region, depends_on: [brnch, 3]}")
    assert set(_faults(unknown)) == {"entities[0].depends_on[0]", "entities[0].depends_on[1]"}


def test_dependencies_that_contradict_a_stored_plan_are_refused_and_name_it():
    _load(ENTITIES + "plans: [{name: A, order: both, steps: [{entity: region}, {entity: branch}]}]")
    with pytest.raises(InvalidDefinition) as refused:
        _load(ENTITIES.replace("Region}", "Region, depends_on: [branch]}"))
    assert refused.value.errors == {
        "entities[0].depends_on": ["In plan A: These depend on each other in a circle: branch > region > branch."]
    }


def test_two_plans_may_exchange_which_one_runs_the_other():
    _load(ENTITIES + "plans: [{name: A, steps: [{plan: B}]}, {name: B, steps: [{entity: branch}]}]")
    text = "plans: [{name: A, steps: [{plan: B, is_cancelled: true}]}, {name: B, steps: [{plan: A}]}]"
    _load(ENTITIES + text)
    assert Plan.objects.get(name="B").steps.filter(sub_plan__name="A").exists()
    _again_changes_nothing()
