"""Whatever and, or and not are put together, the alternatives they come down to hold for exactly the same rows."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from staging.rules.condition import Condition, Line, TooManyAlternatives, both, either, opposite
from staging.rules.document import read_condition, write_condition
from staging.states import Comparison

ATTRIBUTES = ("a", "b")
ORDERED = ("less_than", "at_most", "greater_than", "at_least")
ROWS = [{"a": a, "b": b} for a in (None, 1, 2, 3) for b in (None, 1, 2)]

values = st.integers(1, 3)
others = st.sampled_from(ATTRIBUTES).map(lambda name: {"attribute": name})
leaves = st.one_of(
    st.builds(lambda a, c, v: {"attribute": a, c: v}, st.sampled_from(ATTRIBUTES), st.sampled_from(ORDERED), values),
    st.builds(lambda a, c, o: {"attribute": a, c: o}, st.sampled_from(ATTRIBUTES), st.sampled_from(ORDERED), others),
    st.builds(lambda a, o: {"attribute": a, "not_equals": o}, st.sampled_from(ATTRIBUTES), values | others),
    st.builds(lambda a, vs: {"attribute": a, "not_in": vs}, st.sampled_from(ATTRIBUTES), st.lists(values, min_size=1)),
    st.builds(lambda a, e: {"attribute": a, "empty": e}, st.sampled_from(ATTRIBUTES), st.booleans()),
)
documents = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.builds(lambda them: {"all": them}, st.lists(inner, min_size=1, max_size=3)),
        st.builds(lambda them: {"any": them}, st.lists(inner, min_size=1, max_size=3)),
        st.builds(lambda it: {"not": it}, inner),
    ),
    max_leaves=8,
)


def holds(document: dict[str, Any], row: dict[str, int | None]) -> bool:
    """Say naively whether a document holds for a row."""
    if "all" in document:
        return all(holds(it, row) for it in document["all"])
    if "any" in document:
        return any(holds(it, row) for it in document["any"])
    if "not" in document:
        return not holds(document["not"], row)
    (comparison,) = (key for key in document if key != "attribute")
    return compare(row[document["attribute"]], comparison, document[comparison], row)


def compare(value: int | None, comparison: str, operand: Any, row: dict[str, int | None]) -> bool:
    if comparison == "empty":
        return (value is None) is operand
    if comparison in ("not_in", "in"):
        return (value in operand) is (comparison == "in")
    other = row[operand["attribute"]] if isinstance(operand, dict) else operand
    if comparison in ("equals", "not_equals"):
        return (value is not None and value == other) is (comparison == "equals")
    if value is None or other is None:
        return False
    return {"less_than": value < other, "at_most": value <= other, "greater_than": value > other}.get(
        comparison, value >= other
    )


def condition_holds(condition: Condition, row: dict[str, int | None]) -> bool:
    return any(all(line_holds(line, row) for line in alternative) for alternative in condition)


def line_holds(line: Line, row: dict[str, int | None]) -> bool:
    if line.comparison in ("empty", "not_empty"):
        return (row[line.attribute] is None) is (line.comparison == "empty")
    numbers = [int(value) for value in line.values]
    operand: Any = {"attribute": line.other} if line.other else numbers
    if not line.other and line.comparison not in ("in", "not_in"):
        operand = numbers[0]
    return compare(row[line.attribute], line.comparison, operand, row)


@given(documents)
def test_the_alternatives_hold_for_the_rows_the_document_holds_for(document: dict[str, Any]) -> None:
    errors: dict[str, list[str]] = {}
    condition = read_condition(document, "must", errors)
    if errors:
        assert "alternatives" in str(errors)
        return
    for row in ROWS:
        assert condition_holds(condition, row) == holds(document, row), row
    again = read_condition(write_condition(condition), "must", errors) if condition else condition
    assert (again, errors) == (condition, {})


def test_what_comes_down_to_more_alternatives_than_a_person_reads_is_refused() -> None:
    pairs = [((Line("a", "equals", (str(n),)),), (Line("b", "equals", (str(n),)),)) for n in range(6)]
    with pytest.raises(TooManyAlternatives):
        both(pairs)
    with pytest.raises(TooManyAlternatives):
        either([((Line("a", "equals", (str(n),)),),) for n in range(51)])
    with pytest.raises(TooManyAlternatives):
        opposite(tuple(tuple(line for (line,) in pair) for pair in pairs))  # 2 ** 6


@pytest.mark.parametrize("comparison", Comparison.values)
def test_the_opposite_of_the_opposite_means_the_same(comparison: str) -> None:
    value = () if "empty" in comparison else ("2",)
    if "matches" in comparison:
        return
    condition = ((Line("a", comparison, value),),)
    twice = opposite(opposite(condition))
    assert [condition_holds(twice, row) for row in ROWS] == [condition_holds(condition, row) for row in ROWS]
