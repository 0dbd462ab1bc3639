"""Promises of the shape check: every key and kind, each at its path, with the likely word."""

from decimal import Decimal
from typing import Any

import pytest

from staging.model_files import shape
from staging.model_files.shape import Problems, did_you_mean, known_keys, scalar_text, wrong_kind

KINDS = {"name": shape.TEXT, "max": shape.SCALAR, "count": shape.WHOLE, "choices": shape.SCALARS}


def test_good_keys_come_through_and_null_counts_as_left_out():
    problems = Problems()
    assert known_keys({"name": "a", "max": None}, "x", KINDS, problems, required=("name",)) == {"name": "a"}
    assert problems.errors == {}


def test_each_mistake_has_its_path_and_the_rest_comes_through():
    problems = Problems()
    content = {"nmae": 1, "max": [], "count": 5}
    assert known_keys(content, "x[0]", KINDS, problems, required=("name",)) == {"count": 5}
    assert problems.errors == {
        "x[0].nmae": ["There is no key 'nmae' here. Did you mean 'name'?"],
        "x[0].max": ["This must be a text or a number."],
        "x[0].name": ["This is required."],
    }


@pytest.mark.parametrize("content", [None, [], "text", 5])
def test_what_is_no_mapping_is_refused(content: Any):
    problems = Problems()
    assert known_keys(content, "", KINDS, problems) == {}
    assert "file" in problems.errors


@pytest.mark.parametrize(
    ("value", "kind", "fits"),
    [
        ("a", shape.TEXT, True),
        (1, shape.TEXT, False),
        (True, shape.WHOLE, False),
        (1, shape.WHOLE, True),
        (Decimal("1.5"), shape.WHOLE, False),
        (Decimal("1.5"), shape.NUMBER, True),
        (True, shape.NUMBER, False),
        ("true", shape.YES_NO, False),
        (True, shape.SCALAR, False),
        (["a", 1], shape.SCALARS, True),
        (["a", True], shape.SCALARS, False),
        ("a", shape.SCALARS, False),
        ("a, b", shape.TEXT_OR_SCALARS, True),
        ({}, shape.LIST, False),
        ([], shape.MAPPING, False),
    ],
)
def test_kinds(value: Any, kind: str, fits: bool):
    assert (wrong_kind(value, kind) == "") is fits


def test_a_number_where_text_belongs_is_told_to_wear_quotes():
    assert wrong_kind(2026, shape.TEXT) == "This must be text; put it in quotes: '2026'."


def test_hints_name_the_likely_word_only():
    assert did_you_mean("regoin", ["region", "branch"]) == " Did you mean 'region'?"
    assert did_you_mean("xyz", ["region"]) == ""


def test_numbers_keep_the_text_they_were():
    assert [scalar_text(value) for value in (5, Decimal("0.50"), Decimal("0.0000001"), "x")] == [
        "5",
        "0.50",
        "0.0000001",
        "x",
    ]
