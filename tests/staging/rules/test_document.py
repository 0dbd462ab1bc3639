"""What a model file may say in a rule, and what it is told when it says something else."""

from typing import Any

import pytest

from staging.rules.condition import Line
from staging.rules.document import read_condition, write_condition
from staging.rules.words import rule_sentence


@pytest.mark.parametrize(
    ("document", "place", "text"),
    [
        ("staff > 1", "must", "Write a comparison"),
        ({}, "must", "Write a comparison"),
        ({"attribute": "a"}, "must", "Write a comparison"),
        ({"equals": 1}, "must", "Write a comparison"),
        ({"attribute": "a", "equals": 1, "at_most": 2}, "must", "Write a comparison"),
        ({"attribute": "a", "above": 1}, "must.above", "There is no comparison 'above'"),
        ({"attribute": "a", "empty": "no"}, "must.empty", "true or false"),
        ({"attribute": "a", "in": 1}, "must.in", "a list of texts or numbers"),
        ({"attribute": "a", "in": []}, "must.in", "a list of texts or numbers"),
        ({"attribute": "a", "equals": [1]}, "must.equals", "a text, a number, or"),
        ({"attribute": "a", "equals": {"column": "b"}}, "must.equals", "Write {attribute: name}"),
        ({"all": [], "any": []}, "must", "Put nothing beside"),
        ({"all": []}, "must.all", "a list of conditions"),
        ({"any": [{"attribute": "a", "empty": True}, 3]}, "must.any[1]", "Write a comparison"),
        ({"not": {"not": 1}}, "must.not.not", "Write a comparison"),
    ],
)
def test_a_mistake_is_told_where_it_is(document: Any, place: str, text: str) -> None:
    errors: dict[str, list[str]] = {}
    read_condition(document, "must", errors)
    assert list(errors) == [place] and text in errors[place][0]


def test_a_condition_is_written_as_short_as_it_can_be() -> None:
    one = ((Line("a", "equals", ("1",)),),)
    assert write_condition(one) == {"attribute": "a", "equals": "1"}
    two = ((Line("a", "in", ("1", "2")), Line("b", "empty")), (Line("b", "at_least", other="a"),))
    assert write_condition(two) == {
        "any": [
            {"all": [{"attribute": "a", "in": ["1", "2"]}, {"attribute": "b", "empty": True}]},
            {"attribute": "b", "at_least": {"attribute": "a"}},
        ]
    }


def test_a_rule_reads_as_a_sentence() -> None:
    when = ((Line("is_open", "equals", ("yes",)),),)
    must = ((Line("staff", "at_least", ("1",)), Line("email", "not_empty")), (Line("region", "in", ("EU", "US")),))
    assert rule_sentence(when, must) == (
        "When is_open is ‘yes’: staff is at least ‘1’ and email is not empty, or region is one of ‘EU’, ‘US’."
    )
    assert rule_sentence((), must[:1]).startswith("Staff is at least")
