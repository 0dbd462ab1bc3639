"""Promises of wait steps in a model file: written as people write them, dumped the same, refused at their path."""

from datetime import UTC, datetime, time

import pytest

from scheduling.model_files.dump import dump
from scheduling.model_files.load import load
from scheduling.models import Plan, PlanStep
from scheduling.plans.copied import copied_steps
from scheduling.plans.outline import with_targets
from scheduling.subjects.plan import _name
from staging.errors import InvalidDefinition
from staging.model_files.read import parse_yaml
from staging.model_files.write import write_yaml

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
MODEL = """
version: 1
entities:
  - {code: branch, name: Branch}
scripts:
  - {name: Ready, sql: "SELECT %(year)s = 2026", parameters: {year: integer}}
plans:
  - name: Waiting
    steps:
      - {wait_until: 14:00, timeout_seconds: 7200}
      - {wait_until: "02:30:15", wait_days: 1, wait_name: of the bank}
      - {wait_minutes: 30, depends_on: ["wait until 14:00"], queue: default}
      - {entity: branch, wait_rows: 100}
      - {entity: branch, depends_on: [wait for 100 rows of branch]}
      - {script: Ready, wait_query: true, arguments: {year: 2026}, run_if: always}
"""
KEYS = [
    "wait until 14:00", "wait until 02:30:15 + 1 (of the bank)", "wait 30 minutes", "wait for 100 rows of branch",
    "branch", "wait for script Ready (year=2026)",
]  # fmt: skip


def loaded(text=MODEL):
    return load(parse_yaml(text), now=NOW)


def test_all_kinds_of_waits_survive_a_round_trip():
    loaded()
    steps = list(PlanStep.objects.order_by("step_index"))
    assert [step.key for step in steps] == KEYS
    assert (steps[0].wait_until, steps[1].wait_until, steps[1].wait_days) == (time(14), time(2, 30, 15), 1)
    assert [prior.key for prior in steps[4].depends_on.all()] == ["wait for 100 rows of branch"]
    document = parse_yaml(write_yaml(dump()))
    again = load(document, now=NOW)
    assert again.created == [] and again.changes == {}
    assert parse_yaml(write_yaml(dump())) == document
    (plan,) = document["plans"]
    assert plan["steps"][0] == {"wait_until": "14:00", "timeout_seconds": 7200}
    assert [_name(step) for step in plan["steps"]] == KEYS, "the history calls a step otherwise"


def test_a_copy_waits_alike():
    loaded()
    copied = copied_steps(with_targets(Plan.objects.get().steps.all()))
    assert [each.step.key for each in copied] == KEYS


@pytest.mark.parametrize(
    ("was", "becomes", "path"),
    [
        ("wait_until: 14:00", "wait_until: half past two", "plans[0].steps[0].wait_until"),
        ("wait_until: 14:00", "wait_until: 1400", "plans[0].steps[0].wait_until"),
        ("wait_minutes: 30", "wait_minutes: soon", "plans[0].steps[2].wait_minutes"),
        ("wait_minutes: 30", "wait_minutes: 0", "plans[0].steps[2].wait_minutes"),
        ("wait_rows: 100", "wait_query: true", "plans[0].steps[3].wait_query"),
        ("wait_query: true", "wait_rows: 2", "plans[0].steps[5].wait_rows"),
        ("wait_until: 14:00,", "", "plans[0].steps[0].entity"),
        ("wait_until: 14:00, timeout_seconds: 7200", "wait_until: 14:00, attempts: 3", "plans[0].steps[0].attempts"),
    ],
)
def test_a_fault_stands_at_its_path(was, becomes, path):
    with pytest.raises(InvalidDefinition) as refused:
        loaded(MODEL.replace(was, becomes))
    assert path in refused.value.errors, refused.value.errors
    assert not Plan.objects.exists()
