"""Business rules in a model file: everything wrong at its path, stored as one, and stable when written and read."""

from datetime import UTC, datetime
from typing import Any

import pytest

from scheduling.model_files.dump import dump
from scheduling.model_files.load import Loaded, load
from staging.errors import InvalidDefinition
from staging.model_files.read import parse_yaml
from staging.model_files.write import write_yaml
from staging.models import BusinessRule

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
RULES: list[dict[str, Any]] = [
    {
        "name": "Open branches have staff",
        "message": "An open branch needs somebody.",
        "effect": "warn",
        "when": {"attribute": "is_open", "equals": True},
        "must": {"any": [{"attribute": "staff", "at_least": 1}, {"attribute": "name", "empty": False}]},
    },
    {"name": "Not negative", "must": {"not": {"attribute": "staff", "less_than": 0}}},
]


def _load(rules: list[dict[str, Any]]) -> Loaded:
    attributes = [{"name": "staff", "type": "integer"}, {"name": "is_open", "type": "boolean"}]
    entity = {"code": "branch", "name": "Branch", "attributes": attributes, "rules": rules}
    return load(parse_yaml(write_yaml({"version": 1, "entities": [entity]})), now=NOW)


def test_rules_are_stored_and_a_dump_changes_nothing() -> None:
    _load(RULES)
    assert [(rule.name, rule.effect, rule.lines.count()) for rule in BusinessRule.objects.all()] == [
        ("Open branches have staff", "warn", 3),
        ("Not negative", "reject", 2),
    ]

    document = dump()

    assert document["entities"][0]["rules"][1] == {
        "name": "Not negative",
        "must": {"any": [{"attribute": "staff", "at_least": "0"}, {"attribute": "staff", "empty": True}]},
    }
    again = load(parse_yaml(write_yaml(document)), now=NOW)
    assert (again.created, again.changed) == ([], [])


def test_what_changes_is_told_and_a_rule_left_out_stays() -> None:
    _load(RULES)
    loaded = _load([{"name": "Not negative", "must": {"attribute": "staff", "at_least": 1}, "is_cancelled": True}])
    assert set(loaded.changes["branch rule Not negative"]) == {"must", "is_cancelled", "position"}
    assert [(rule.name, rule.is_cancelled) for rule in BusinessRule.objects.order_by("pk")] == [
        ("Open branches have staff", False),
        ("Not negative", True),
    ]


@pytest.mark.parametrize(
    ("rule", "path"),
    [
        ({"name": "x", "must": {"attribute": "stuff", "equals": 1}}, "must"),
        ({"name": "x", "must": {"attribute": "staff", "equals": "x"}}, "must"),
        ({"name": "x", "must": {"attribute": "staff"}}, "must"),
        ({"name": "x", "must": {"any": [{"attribute": "staff", "in": 3}]}}, "must.any[0].in"),
        ({"name": "x"}, "must"),
        ({"must": {"attribute": "staff", "equals": 1}}, "name"),
        ({"name": "x", "effect": "shout", "must": {"attribute": "staff", "equals": 1}}, "effect"),
        ({"name": "x", "wen": {}, "must": {"attribute": "staff", "equals": 1}}, "wen"),
    ],
)
def test_a_mistake_is_told_with_its_path_and_nothing_is_stored(rule: dict[str, Any], path: str) -> None:
    with pytest.raises(InvalidDefinition) as caught:
        _load([rule])
    assert list(caught.value.errors) == [f"entities[0].rules[0].{path}"]
    assert not BusinessRule.objects.exists()


def test_a_rule_named_twice_is_refused() -> None:
    with pytest.raises(InvalidDefinition, match="twice"):
        _load([RULES[1], RULES[1]])
