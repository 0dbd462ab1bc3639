"""A condition over attributes as plain values: alternatives of comparisons, whatever shape it was written in.

Any combination of and, or and not comes down to alternatives, one of which has to hold with all of its comparisons.
That is what the form shows, line by line, so a rule from a file can be edited there.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product

from staging.states import Comparison
from staging.wording import say

# More alternatives than a person reads; a negated list of conditions grows by multiplication.
MOST_ALTERNATIVES = 50


@dataclass(frozen=True)
class Line:
    """One comparison of an attribute with values, or with another attribute. Values are texts as they are staged."""

    attribute: str
    comparison: str
    values: tuple[str, ...] = ()
    other: str = ""


# Alternatives; each holds when all of its lines do. No alternative at all never holds, an empty one always does.
Condition = tuple[tuple[Line, ...], ...]

_PAIRS: dict[str, str] = {
    Comparison.EQUALS: Comparison.NOT_EQUALS,
    Comparison.IN: Comparison.NOT_IN,
    Comparison.EMPTY: Comparison.NOT_EMPTY,
    Comparison.MATCHES: Comparison.NOT_MATCHES,
}
_OPPOSITE: dict[str, str] = {**_PAIRS, **{after: before for before, after in _PAIRS.items()}}
_REVERSED = {
    Comparison.LESS_THAN: Comparison.AT_LEAST,
    Comparison.AT_MOST: Comparison.GREATER_THAN,
    Comparison.GREATER_THAN: Comparison.AT_MOST,
    Comparison.AT_LEAST: Comparison.LESS_THAN,
}


class TooManyAlternatives(ValueError):
    """The condition has more alternatives than a person could read."""


def both(conditions: Iterable[Condition]) -> Condition:
    """Return the condition that holds when all of these do; raises TooManyAlternatives."""
    found: Condition = ((),)
    for condition in conditions:
        if len(found) * len(condition) > MOST_ALTERNATIVES:
            raise TooManyAlternatives(
                say("This comes down to more than {most} alternatives; split the rule.", most=MOST_ALTERNATIVES)
            )
        found = tuple(dict.fromkeys((*left, *right) for left, right in product(found, condition)))
    return found


def either(conditions: Iterable[Condition]) -> Condition:
    """Return the condition that holds when one of these does; raises TooManyAlternatives."""
    found = tuple(dict.fromkeys(alternative for condition in conditions for alternative in condition))
    if len(found) > MOST_ALTERNATIVES:
        raise TooManyAlternatives(
            say("This comes down to more than {most} alternatives; split the rule.", most=MOST_ALTERNATIVES)
        )
    return found


def opposite(condition: Condition) -> Condition:
    """Return the condition that holds exactly when this one does not; raises TooManyAlternatives."""
    return both(either(_not(line) for line in alternative) for alternative in condition)


def _not(line: Line) -> Condition:
    """Return what holds when a line does not: also with an empty value, where an order cannot be told."""
    if line.comparison in _OPPOSITE:
        return ((Line(line.attribute, _OPPOSITE[line.comparison], line.values, line.other),),)
    turned = Line(line.attribute, _REVERSED[Comparison(line.comparison)], line.values, line.other)
    empty = [Line(attribute, Comparison.EMPTY) for attribute in (line.attribute, line.other) if attribute]
    return tuple((it,) for it in (turned, *empty))
