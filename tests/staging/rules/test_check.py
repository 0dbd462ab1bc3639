"""A rule that could not be carried out is refused, at the field that is wrong."""

import pytest

from staging.entities.definition import definition_errors
from staging.errors import InvalidDefinition
from staging.models import Attribute, BusinessRule, Entity, RuleLine
from staging.rules.check import MOST_LINES, rule_errors
from staging.rules.document import save_rule

ATTRIBUTES = [
    Attribute(name="staff", data_type="integer"),
    Attribute(name="rent", data_type="decimal"),
    Attribute(name="email", data_type="text"),
    Attribute(name="region", data_type="reference"),
    Attribute(name="is_open", data_type="boolean"),
    Attribute(name="gone", data_type="text", is_cancelled=True),
]


def line(attribute: str, comparison: str, value: str = "", other: str = "") -> RuleLine:
    return RuleLine(attribute=attribute, comparison=comparison, value=value, other=other)


@pytest.mark.parametrize(
    ("wrong", "field", "text"),
    [
        (line("stuff", "equals", "1"), "attribute", "no attribute 'stuff'"),
        (line("gone", "equals", "1"), "attribute", "no attribute 'gone'"),
        (line("staff", "above", "1"), "comparison", "no comparison 'above'"),
        (line("email", "at_least", "1"), "comparison", "have an order"),
        (line("staff", "matches", "1"), "comparison", "match a pattern"),
        (line("staff", "equals"), "value", "Give a value"),
        (line("staff", "equals", "1x"), "value", "a whole number"),
        (line("staff", "in", "1\n2x"), "value", "'2x' must be a whole number"),
        (line("is_open", "equals", "perhaps"), "value", "yes or no"),
        (line("email", "matches", "("), "value", ""),
        (line("email", "empty", "x"), "value", "needs no value"),
        (line("staff", "equals", other="rent"), "other", "compare like with like"),
        (line("staff", "equals", other="stuff"), "other", "no attribute 'stuff'"),
        (line("staff", "in", other="staff"), "other", "does not compare with another attribute"),
        (line("staff", "equals", "1", other="staff"), "value", "not both"),
        (line("email", "equals", "a\x00"), "value", "no database keeps"),
    ],
)
def test_a_line_that_cannot_be_carried_out_is_refused(wrong: RuleLine, field: str, text: str) -> None:
    good = line("staff", "equals", "1")
    errors = rule_errors(BusinessRule(name="Rule"), [good, wrong], ATTRIBUTES)
    assert list(errors) == [f"lines.1.{field}"] and text in errors[f"lines.1.{field}"][0]


@pytest.mark.parametrize(
    "right",
    [
        line("email", "equals", other="region"),
        line("code", "matches", "^x"),
        line("name", "not_empty"),
        line("region", "in", "EU\n\n US "),
        line("is_open", "equals", "Yes"),
        line("rent", "at_most", "1.50"),
    ],
)
def test_a_line_that_can_be_carried_out_passes(right: RuleLine) -> None:
    assert rule_errors(BusinessRule(name="Rule"), [right], ATTRIBUTES) == {}


def test_a_rule_needs_a_name_and_something_that_must_hold() -> None:
    only_when = RuleLine(part="when", attribute="staff", comparison="empty")
    assert set(rule_errors(BusinessRule(name=" "), [only_when], ATTRIBUTES)) == {"name", "lines"}
    many = [line("staff", "empty")] * (MOST_LINES + 1)
    assert "split the rule" in rule_errors(BusinessRule(name="Rule"), many, ATTRIBUTES)["lines"][0]


@pytest.mark.django_db
def test_a_name_is_given_once_and_saving_replaces_the_lines() -> None:
    entity = Entity.objects.create(code="shop", name="Shop")
    entity.attributes.create(name="staff", data_type="integer")
    rule = BusinessRule(entity=entity, name="Rule")
    save_rule(rule, [line("staff", "empty"), line("staff", "equals", "1")])
    save_rule(rule, [line("staff", "equals", "2")])
    assert [it.value for it in rule.lines.all()] == ["2"]
    with pytest.raises(InvalidDefinition, match="already a rule"):
        save_rule(BusinessRule(entity=entity, name="Rule"), [line("staff", "empty")])
    with pytest.raises(InvalidDefinition):
        save_rule(rule, [line("staff", "equals", "x")])
    assert [it.value for it in rule.lines.all()] == ["2"]


@pytest.mark.django_db
def test_an_attribute_that_a_rule_looks_at_cannot_be_cancelled() -> None:
    entity = Entity.objects.create(code="shop", name="Shop")
    staff = entity.attributes.create(name="staff", data_type="integer")
    save_rule(BusinessRule(entity=entity, name="Enough staff"), [line("staff", "at_least", "1")])
    staff.is_cancelled = True
    assert "Enough staff" in definition_errors(entity, [staff])["attributes.0.is_cancelled"][0]
