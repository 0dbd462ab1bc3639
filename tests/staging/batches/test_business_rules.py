"""Business rules judge the values that members would have, and mean the same on both databases."""

from typing import Any

import pytest

from staging.models import BusinessRule, Entity
from staging.rules.document import read_condition, save_rule
from staging.rules.lines import lines_of
from staging.states import RuleEffect, RulePart
from tests.staging.batches.bench import counts, define, members, reference, run_batch, stage, staged, text

pytestmark = pytest.mark.django_db


@pytest.fixture
def branch() -> Entity:
    """An entity with an attribute of every type."""
    region = define("region")
    stage(region, {"code": "EU"}, {"code": "US"})
    run_batch(region)
    return define(
        "branch",
        text("email"),
        text("backup"),
        {"name": "staff", "data_type": "integer"},
        {"name": "most", "data_type": "integer"},
        {"name": "rent", "data_type": "decimal"},
        {"name": "is_open", "data_type": "boolean"},
        {"name": "opened", "data_type": "date"},
        {"name": "closed", "data_type": "date"},
        {"name": "seen", "data_type": "datetime"},
        reference("region", "region"),
        reference("parent", "branch"),
    )


def rule(entity: Entity, must: dict[str, Any], when: dict[str, Any] | None = None, **fields: Any) -> BusinessRule:
    """Store a rule written as in a model file."""
    errors: dict[str, list[str]] = {}
    lines = lines_of(read_condition(must, "must", errors), RulePart.MUST)
    if when:
        lines += lines_of(read_condition(when, "when", errors), RulePart.WHEN)
    assert not errors
    found = BusinessRule(entity=entity, **{"name": "Rule", **fields})
    save_rule(found, lines)
    return found


# A condition, a row it holds for, and one it does not hold for.
CASES: list[tuple[dict[str, Any], dict[str, str], dict[str, str]]] = [
    ({"attribute": "email", "equals": "a@b"}, {"email": "a@b"}, {"email": "A@b"}),
    ({"attribute": "email", "not_equals": "a@b"}, {}, {"email": "a@b"}),
    ({"attribute": "email", "equals": "100 %s 'quoted' {x}"}, {"email": "100 %s 'quoted' {x}"}, {}),
    ({"attribute": "email", "matches": "^[^@]+@b$"}, {"email": "x@b"}, {"email": "x@bc"}),
    ({"attribute": "email", "not_matches": "@"}, {}, {"email": "x@b"}),
    ({"attribute": "email", "in": ["a", "b"]}, {"email": "b"}, {"email": "c"}),
    ({"attribute": "email", "not_in": ["a", "b"]}, {"email": "c"}, {"email": "a"}),
    ({"attribute": "email", "not_in": ["a", "b"]}, {}, {"email": "a"}),
    ({"attribute": "email", "empty": True}, {}, {"email": "a"}),
    ({"attribute": "email", "empty": False}, {"email": "a"}, {}),
    ({"attribute": "email", "not_equals": {"attribute": "backup"}}, {"email": "a"}, {"email": "a", "backup": "a"}),
    ({"attribute": "staff", "at_least": 9}, {"staff": "10"}, {"staff": "8"}),
    ({"attribute": "staff", "at_least": 9}, {"staff": "9"}, {}),
    ({"attribute": "staff", "less_than": 9}, {"staff": "-10"}, {"staff": "9"}),
    ({"attribute": "staff", "at_most": {"attribute": "most"}}, {"staff": "9", "most": "10"}, {"staff": "9"}),
    ({"attribute": "rent", "greater_than": "9.5"}, {"rent": "10"}, {"rent": "9.50"}),
    ({"attribute": "rent", "equals": "9.5"}, {"rent": "9.500"}, {"rent": "9.51"}),
    ({"attribute": "is_open", "equals": "yes"}, {"is_open": "T"}, {"is_open": "0"}),
    ({"attribute": "is_open", "not_equals": True}, {}, {"is_open": "1"}),
    (
        {"attribute": "closed", "at_least": {"attribute": "opened"}},
        {"opened": "2020-01-01", "closed": "2020-01-01"},
        {"opened": "2020-01-02", "closed": "2020-01-01"},
    ),
    ({"attribute": "opened", "less_than": "2020-02-01"}, {"opened": "2020-01-31"}, {"opened": "2020-02-01"}),
    (
        {"attribute": "seen", "at_most": "2020-01-01T12:00:00"},
        {"seen": "2020-01-01T13:00:00+01:00"},
        {"seen": "2020-01-01T12:00:01"},
    ),
    ({"attribute": "region", "equals": "EU"}, {"region": "EU"}, {"region": "US"}),
    ({"attribute": "region", "in": ["EU", "XX"]}, {"region": "EU"}, {}),
    ({"attribute": "region", "matches": "^E"}, {"region": "EU"}, {"region": "US"}),
    ({"attribute": "parent", "equals": "good"}, {"parent": "good"}, {"parent": "bad"}),
    ({"attribute": "code", "not_equals": "bad"}, {}, {}),
    ({"attribute": "name", "empty": False}, {"name": "N"}, {}),
    ({"all": [{"attribute": "staff", "at_least": 1}, {"attribute": "most", "empty": True}]}, {"staff": "1"}, {}),
    ({"any": [{"attribute": "staff", "at_least": 1}, {"attribute": "most", "at_least": 1}]}, {"most": "1"}, {}),
    ({"not": {"attribute": "staff", "at_least": 9}}, {}, {"staff": "9"}),
]


@pytest.mark.parametrize(("must", "good", "bad"), CASES)
def test_a_row_for_which_a_rule_does_not_hold_is_rejected(
    branch: Entity, must: dict[str, Any], good: dict[str, str], bad: dict[str, str]
) -> None:
    rule(branch, must)
    stage(branch, {"code": "good", **good}, {"code": "bad", **bad})

    run_batch(branch)

    errors = {row["code"]: (row["error_code"], row["error_message"] or "") for row in staged(branch)}
    assert errors["good"] == (0, "")
    assert errors["bad"][0] & 8192 and errors["bad"][1].startswith("Rule: this does not hold: ")


def test_the_sentence_names_the_rule_its_message_and_what_was_found(branch: Entity) -> None:
    rule(
        branch,
        {"any": [{"attribute": "staff", "at_least": 1}, {"attribute": "region", "equals": "US"}]},
        {"attribute": "is_open", "equals": True},
        name="Open branches have staff",
        message="An open branch needs somebody.",
    )
    stage(
        branch,
        {"code": "a", "is_open": "yes", "staff": "0", "region": "EU"},
        {"code": "b", "is_open": "yes"},
        {"code": "c", "is_open": "no"},
        {"code": "d"},
        {"code": "e", "is_open": "yes", "region": "US"},
    )

    batch = run_batch(branch)

    assert counts(batch) == {"inserted": 3, "rejected": 2}
    messages = [row["error_message"] for row in staged(branch)]
    assert messages[:2] == [
        "Open branches have staff: An open branch needs somebody (staff: 0, region: EU).",
        "Open branches have staff: An open branch needs somebody (staff: empty, region: empty).",
    ]


def test_a_warning_lets_the_row_pass_and_says_so(branch: Entity) -> None:
    rule(branch, {"attribute": "staff", "at_least": 1}, effect=RuleEffect.WARN, message="Looks empty")
    stage(branch, {"code": "a", "staff": "0"}, {"code": "b", "staff": "1"})

    assert counts(run_batch(branch)) == {"inserted": 2}
    first, second = staged(branch)
    assert (first["import_status"], first["error_code"]) == (1, 0)
    assert first["error_message"] == "Warning: Rule: Looks empty (staff: 0)." and second["error_message"] is None


def test_a_rule_judges_what_the_member_would_have_not_only_what_was_delivered(branch: Entity) -> None:
    stage(branch, {"code": "a", "staff": "5", "most": "5"})
    run_batch(branch)
    rule(branch, {"attribute": "staff", "at_most": {"attribute": "most"}})

    stage(branch, {"code": "a", "most": "4"}, {"code": "new", "staff": "1", "most": "2"})
    assert counts(run_batch(branch)) == {"inserted": 1, "rejected": 1}
    assert members(branch)["a"]["most"] == 5


def test_a_rule_adds_up_with_other_errors_but_never_judges_values_that_are_wrong_themselves(branch: Entity) -> None:
    rule(branch, {"attribute": "staff", "at_least": 1})
    stage(
        branch,
        {"code": "twin", "staff": "0"},
        {"code": "twin", "staff": "1"},
        {"code": "typo", "staff": "1x"},
        {"code": "gone", "import_action": 4},
    )

    run_batch(branch)

    assert [row["error_code"] for row in staged(branch)] == [2 + 8192, 2, 8, 128]


def test_a_member_whose_superior_breaks_a_rule_is_rejected_with_it(branch: Entity) -> None:
    rule(branch, {"attribute": "staff", "at_least": 1})
    stage(branch, {"code": "top", "staff": "0"}, {"code": "below", "staff": "1", "parent": "top"})

    run_batch(branch)

    assert [row["error_code"] for row in staged(branch)] == [8192, 16384]


def test_a_row_that_skips_a_superior_who_is_rejected_is_judged_without_him(branch: Entity) -> None:
    branch.attributes.filter(name="parent").update(on_error="skip_field")
    rule(branch, {"attribute": "parent", "empty": False}, {"attribute": "code", "not_equals": "top"})
    rule(branch, {"attribute": "rent", "empty": False}, name="Rent", effect=RuleEffect.WARN)
    stage(
        branch,
        {"code": "top", "staff": "few", "rent": "1"},
        {"code": "under", "parent": "top"},
        {"code": "below", "parent": "under"},
        {"code": "beside", "parent": "beside"},
    )
    batch = run_batch(branch)

    assert counts(batch) == {"inserted": 1, "rejected": 3}
    assert {row["code"]: row["error_code"] for row in staged(branch)} == {
        "top": 8, "under": 8192, "below": 8192, "beside": 0,
    }  # fmt: skip
    assert [row["error_message"].count("Rent") for row in staged(branch)[1:]] == [1, 1, 1]


def test_a_cancelled_rule_judges_nothing(branch: Entity) -> None:
    rule(branch, {"attribute": "staff", "at_least": 1}, is_cancelled=True)
    stage(branch, {"code": "a"})
    assert counts(run_batch(branch)) == {"inserted": 1}


def test_a_rule_that_demands_nothing_rejects_nothing(branch: Entity) -> None:
    BusinessRule.objects.create(entity=branch, name="Empty")
    stage(branch, {"code": "a"})
    assert counts(run_batch(branch)) == {"inserted": 1}
