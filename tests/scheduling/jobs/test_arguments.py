"""What a job takes beside its context is checked by its annotations, stored as JSON, and read back as it was."""

from __future__ import annotations

from datetime import UTC, date, datetime, time
from decimal import Decimal
from enum import Enum
from typing import TYPE_CHECKING, Any, Literal
from uuid import UUID

import pytest
from hypothesis import given as examples_of
from hypothesis import settings
from hypothesis import strategies as st

from scheduling.errors import InvalidArguments
from scheduling.jobs.arguments import LONGEST_ARGUMENTS, checked, parameters_of, restored
from scheduling.jobs.declare import daily, job
from tests.depth import examples
from tests.scheduling.jobs.declaring import declare, found

if TYPE_CHECKING:
    from scheduling.jobs.context import JobContext as Context


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


def taking(annotation: Any, default: Any = ...) -> Any:
    """Return a job that takes one argument of this type."""

    def work(context, value):
        """Do nothing."""

    work.__annotations__ = {"value": annotation}
    if default is not ...:
        work.__defaults__ = (default,)
    return work


INSTANT = datetime(2026, 3, 1, 6, tzinfo=UTC)
FITTING = [
    (str, "EU", "EU"),
    (int, 3, 3),
    (float, 3, 3.0),
    (bool, True, True),
    (Decimal, Decimal("1.10"), "1.10"),
    (Decimal, "1.10", "1.10"),
    (date, date(2026, 3, 1), "2026-03-01"),
    (date, "2026-03-01", "2026-03-01"),
    (datetime, INSTANT, "2026-03-01T06:00:00+00:00"),
    (time, time(6, 30), "06:30:00"),
    (UUID, UUID(int=5), str(UUID(int=5))),
    (Colour, Colour.RED, "red"),
    (Colour, "red", "red"),
    (Literal["a", "b"], "b", "b"),
    (list[int], [1, 2], [1, 2]),
    (list[date], [date(2026, 3, 1)], ["2026-03-01"]),
    (dict[str, int], {"a": 1}, {"a": 1}),
    (int | None, None, None),
    (date | None, "2026-03-01", "2026-03-01"),
    (Any, {"a": [1, None, "x", 1.5]}, {"a": [1, None, "x", 1.5]}),
    (list, [1, "a"], [1, "a"]),
    (dict, {"a": 1}, {"a": 1}),
]


@pytest.mark.parametrize(("annotation", "value", "stored"), FITTING)
def test_what_fits_is_stored_as_json_and_read_back_as_its_type(annotation, value, stored):
    work = taking(annotation)
    assert checked(work, {"value": value}) == {"value": stored}
    back = restored(work, {"value": stored})["value"]
    assert checked(work, {"value": back}) == {"value": stored}
    if not isinstance(value, str):
        assert back == value and type(back) in (type(value), float)


UNFIT = [
    (str, 3, "text"),
    (str, "a\x00b", "text"),
    (str, "\ud800", "text"),
    (int, "3", "a whole number"),
    (int, True, "a whole number"),
    (int, 3.0, "a whole number"),
    (int, 2**63, "a whole number"),
    (float, float("nan"), "a number"),
    (float, "3", "a number"),
    (bool, 1, "true or false"),
    (Decimal, 1.1, "a decimal number"),
    (Decimal, "NaN", "a decimal number"),
    (Decimal, "much", "a decimal number"),
    (date, INSTANT, "a date"),
    (date, "1 March", "a date"),
    (datetime, datetime(2026, 3, 1), "an instant with its offset"),  # noqa: DTZ001 (naive on purpose)
    (datetime, "2026-03-01T06:00:00", "an instant with its offset"),
    (time, "25:00", "a time of day"),
    (UUID, "x", "a UUID"),
    (Colour, "green", "one of red, blue"),
    (Literal[1, 2], "1", "one of 1, 2"),
    (Literal[1, 2], True, "one of 1, 2"),
    (list[int], [1, "a"], "a whole number"),
    (list[int], "12", "a list"),
    (dict[str, int], {1: 2}, "a mapping"),
    (int | None, "", "a whole number, nothing"),
    (Any, object(), "a value that JSON has"),
    (Any, {1: 2}, "a mapping"),
]


@pytest.mark.parametrize(("annotation", "value", "expected"), UNFIT)
def test_what_does_not_fit_is_refused_by_its_name_with_what_it_must_be(annotation, value, expected):
    with pytest.raises(InvalidArguments) as refused:
        checked(taking(annotation), {"value": value})
    (text,) = refused.value.errors["value"]
    assert text.startswith("value is ") and f"it must be {expected}" in text


def test_every_fault_is_told_at_once_each_by_its_name():
    def work(context, region: str, *, limit: int = 3, day: date):
        """Do nothing."""

    with pytest.raises(InvalidArguments) as refused:
        checked(work, {"limit": "many", "colour": 1})
    assert refused.value.errors == {
        "limit": ["limit is 'many'; it must be a whole number."],
        "colour": ["There is no argument 'colour'; it takes: region, limit, day."],
        "region": ["region is missing."],
        "day": ["day is missing."],
    }


def test_more_than_the_limit_is_refused():
    checked(taking(str), {"value": "x" * (LONGEST_ARGUMENTS - 20)})
    with pytest.raises(InvalidArguments, match="65,536 characters"):
        checked(taking(str), {"value": "x" * LONGEST_ARGUMENTS})


def test_parameters_know_their_kinds_choices_and_defaults():
    def work(context: Context, colour: Colour | None, kind: Literal["a", "b"] = "a", other=5):
        """Its context is known to the type checker only."""

    colour, kind, other = parameters_of(work)
    assert (colour.name, colour.is_required, colour.is_optional, colour.choices) == (
        "colour",
        True,
        True,
        ["red", "blue"],
    )
    assert (kind.is_required, kind.is_optional, kind.default, kind.choices) == (False, False, "a", ["a", "b"])
    assert (other.annotation, other.default) == (Any, 5)


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        (lambda: None, "takes the context as its first argument"),
        (lambda *, context: None, "takes the context as its first argument"),
        (lambda context, *rest: None, "rest cannot be given by name"),
        (lambda context, **rest: None, "rest cannot be given by name"),
        (lambda context, value, /: None, "value cannot be given by name"),
        (taking(set[int]), "value is of a type that cannot be stored"),
        (taking(object), "value is of a type that cannot be stored"),
        (taking("Unknown"), "value is of a type that cannot be stored"),
        (taking(dict[int, int]), "value is of a type that cannot be stored"),
    ],
)
def test_a_function_that_cannot_be_given_what_it_takes_is_refused_where_it_is_declared(body, fault):
    _, broken = found(declare(job("Work"), body=body)).jobs, found(declare(job("Work"), body=body)).broken
    assert fault in str(broken[0])


def test_a_schedule_needs_a_default_for_every_argument():
    def needs(context, region: str):
        """Do nothing."""

    def has(context, region: str = "EU"):
        """Do nothing."""

    assert "A schedule gives no arguments; give region a default." in str(
        found(declare(job("Work"), daily("06:00"), body=needs)).broken[0]
    )
    assert found(declare(job("Work"), daily("06:00"), body=has)).jobs
    assert found(declare(job("Work"), body=needs)).jobs


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**62), 2**62) | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"])), inner, max_size=3),
    max_leaves=8,
)  # fmt: skip


@settings(max_examples=examples(50))
@examples_of(_JSON)
def test_whatever_json_has_comes_back_as_it_was(value):
    work = taking(Any)
    stored = checked(work, {"value": value})
    assert restored(work, stored) == {"value": value} == stored
