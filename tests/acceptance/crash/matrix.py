"""What every test of the matrix is asked: which fault at which of its points."""

import pkgutil
from collections.abc import Iterator
from itertools import product

import pytest

from tests.depth import DEEP, some

_EVERYWHERE = ("kill", "freeze", "drop")
# Only a broker can be wiped.
_WIPE = pytest.mark.services


def struck_at(*points: str | tuple[str, int], package: str = "") -> pytest.MarkDecorator:
    """Parametrize a test with `point`, `fault` and, where points are pairs, `nth`; points are named below `package`.

    A deep check strikes with every fault at every point. A quick one strikes at every second point (the other database
    has the others) with one fault by turns, and wipes the broker at every third of them.
    """
    names = ("point", "nth", "fault") if isinstance(points[0], tuple) else ("point", "fault")
    cases = []
    for point, fault in _pairs(list(points)):
        name, *nth = point if isinstance(point, tuple) else (point,)
        whole = f"{package}.{name}".removeprefix(".")
        pkgutil.resolve_name(whole)  # a point that is there no more is told when tests are gathered
        values = (whole, *nth, fault)
        cases.append(pytest.param(*values, marks=[_WIPE] * (fault == "wipe")))
    return pytest.mark.parametrize(names, cases)


def _pairs(points: list[str | tuple[str, int]]) -> Iterator[tuple[str | tuple[str, int], str]]:
    if DEEP:
        yield from product(points, (*_EVERYWHERE, "wipe"))
        return
    for number, point in enumerate(some(points, one_in=2)):
        yield point, _EVERYWHERE[number % 3]
        if number % 3 == 0:
            yield point, "wipe"
