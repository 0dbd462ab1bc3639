"""Conditions on what steps gave: each line is read as it is written, and holds as plain Python says."""

import operator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scheduling.dag.conditions import (
    COMPARISONS,
    Condition,
    InvalidCondition,
    parsed,
    seen_by,
    stored_conditions,
    why_not,
)
from tests.depth import examples

GIVEN = {
    "job Load": {
        "rows": {"new": 0, "old": 12},
        "files": ["a.csv", "b.csv"],
        "region": "north",
        "is_last": True,
        "x": None,
    },
    "job Count": 3,
    "branch": {"changed": 5},
}

HOLDS = [
    "job Load: rows.new = 0", "job Load: rows.old != 0", "job Load: rows.new < 1", "job Load: rows.new <= 0",
    "job Load: rows.old > 11.5", "job Load: rows.old >= 12", "job Load: rows.old ≥ 12", "job Load: rows.old <> 1",
    "job Load: region = north", 'job Load: region = "north"', "job Load: region == north", "job Load: region < south",
    "job Load: is_last = true", "job Load: files.1 = b.csv", "job Load: files is not empty", "job Load: x is empty",
    "job Load: region is one of north, south", 'job Load: rows.old is one of "12", 12', "job Count: > 2",
    "job Load: is not empty", "branch: changed > 0", " branch :changed  is  not   empty ", "job Load: rows.new = 0.0",
]  # fmt: skip
DOES_NOT = {
    "job Load: rows.new > 0": "rows.new of job Load was 0, not more than 0",
    "job Load: rows.old < 12": "rows.old of job Load was 12, not less than 12",
    "job Load: rows.old <= 11": "rows.old of job Load was 12, not 11 or less",
    "job Load: rows.new >= 1": "rows.new of job Load was 0, not 1 or more",
    "job Load: region = south": 'region of job Load was "north", not "south"',
    "job Load: region != north": 'region of job Load was "north"',
    "job Load: files is empty": 'files of job Load was ["a.csv", "b.csv"], not empty',
    "job Load: x is not empty": "x of job Load was empty: null",
    "job Load: region is one of south, west": 'region of job Load was "north", not one of "south", "west"',
    "job Count: = 4": "the result of job Count was 3, not 4",
    # What is not there, and what is of another kind, never holds: whatever is asked.
    "job Load: rows.gone = 0": "job Load gave no rows.gone",
    "job Load: rows.gone != 0": "job Load gave no rows.gone",
    "job Load: gone is empty": "job Load gave no gone",
    "job Load: files.2 = b.csv": "job Load gave no files.2",
    "job Other: is empty": "job Other gave no value",
    "job Load: region != 5": 'region of job Load was "north", which 5 is not compared with',
    "job Load: is_last = 1": "is_last of job Load was true, which 1 is not compared with",
    "job Load: rows > 1": 'rows of job Load was {"new": 0, "old": 12}, which 1 is not compared with',
    "job Load: x = 1": "x of job Load was null, which 1 is not compared with",
}


@pytest.mark.parametrize("line", HOLDS)
def test_it_holds(line):
    assert why_not(parsed(line), GIVEN) is None


@pytest.mark.parametrize("line", DOES_NOT)
def test_it_does_not_hold_and_says_what_it_saw(line):
    assert why_not(parsed(line), GIVEN) == DOES_NOT[line]


@pytest.mark.parametrize(
    ("line", "text"),
    {
        "rows > 0": "Write a condition like job Load: rows.new > 0. It compares by =, !=,",
        "job Load: rows new > 0": "Write a condition like",
        "job Load: rows.new =": "A value comes after =.",
        "job Load: rows.new is empty 5": "Nothing comes after is empty.",
        "job Load: rows.new is one of": "A value comes after is one of.",
        "job Load: rows.new > true": "> compares numbers and texts, not true or false.",
        "job Load: rows..new > 1": "'rows..new' is no path",
        "job Load: x is one of 1, null": "not with null",
        f"job Load: {'x' * 201} = 1": "at most 200 characters",
        "job Load: x = 1e999": "not with Infinity",
        "": "Write a condition like",
    }.items(),
)
def test_what_is_no_condition_is_refused_and_says_why(line, text):
    with pytest.raises(InvalidCondition) as refused:
        parsed(line)
    assert text in str(refused.value)


@pytest.mark.parametrize("piece", [" ", ":", "a: ", '"', "is ", "a: b ", "\\", "a:  is "])
def test_a_long_text_is_refused_at_once(piece):
    with pytest.raises(InvalidCondition):
        parsed(piece * 200_000)


def test_a_long_value_is_shown_by_its_begin():
    text = why_not(parsed("a: x = 1"), {"a": {"x": "y" * 500}})
    assert len(text) < 200 and "…" in text


def test_a_column_is_read_as_a_driver_gives_it():
    condition = parsed("job Load: rows.new is one of 1, 2")
    assert stored_conditions('[{"step": "job Load", "path": "rows.new", "is": "is one of", "value": [1, 2]}]') == (
        condition,
    )
    assert stored_conditions([condition.as_json()]) == (condition,) and stored_conditions(None) == ()


def test_what_was_seen_is_told_as_json():
    assert seen_by(parsed("job Load: rows.new > 0"), GIVEN) == "0"
    assert seen_by(parsed("job Load: gone > 0"), GIVEN) is None and seen_by(parsed("x: gone > 0"), GIVEN) is None


SCALARS = st.one_of(
    st.booleans(),
    st.integers(-(10**12), 10**12),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=30),
)
TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=30)
STEPS = st.one_of(
    TEXTS, st.sampled_from(["job A (t=10:00)", "a: b > 1", '"quoted"', "job Load", "x: is empty", "a\nb"])
)
PATHS = st.lists(st.from_regex(r"[a-z0-9_-]{1,8}", fullmatch=True), max_size=3).map(".".join)


@st.composite
def conditions(draw):
    compares = draw(st.sampled_from(COMPARISONS))
    ordered = SCALARS.filter(lambda value: not isinstance(value, bool))
    value = draw(ordered if compares in ("<", "<=", ">", ">=") else SCALARS)
    if compares == "is one of":
        value = tuple(draw(st.lists(SCALARS, min_size=1, max_size=4)))
    if compares.endswith("empty"):
        value = None
    return Condition(draw(STEPS), draw(PATHS), compares, value)


@settings(max_examples=examples(300), deadline=None)
@given(conditions())
def test_every_condition_is_one_line_and_read_again_as_it_was(condition):
    if condition.fault():
        return
    line = condition.line
    assert len(line.splitlines()) == 1
    assert repr(parsed(line)) == repr(condition)  # 1 is not True here
    assert repr(Condition.of(condition.as_json())) == repr(condition)


@settings(max_examples=examples(300), deadline=None)
@given(st.text(max_size=60))
def test_whatever_is_typed_is_a_condition_or_refused(text):
    try:
        assert parsed(text).fault() is None
    except InvalidCondition:
        return


_COMPARE = {
    "=": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip


def kind(value):
    return bool if isinstance(value, bool) else float if isinstance(value, int | float) else type(value)


@settings(max_examples=examples(300), deadline=None)
@given(condition=conditions(), seen=st.one_of(SCALARS, st.none(), st.lists(SCALARS, max_size=2), st.just({})))
def test_it_holds_exactly_as_plain_python_says(condition, seen):
    given_values = {condition.step: seen}
    for name in reversed([name for name in condition.path.split(".") if name]):
        given_values = {condition.step: {name: given_values[condition.step]}}
    if condition.compares.endswith("empty"):
        empty = seen is None or (isinstance(seen, str | list | dict) and not seen)
        expected = empty == (condition.compares == "is empty")
    elif condition.compares == "is one of":
        expected = any(kind(each) is kind(seen) and each == seen for each in condition.value)
    else:
        expected = kind(seen) is kind(condition.value) and _COMPARE[condition.compares](seen, condition.value)
    assert (why_not(condition, given_values) is None) == expected
    assert why_not(condition, {}) is not None
