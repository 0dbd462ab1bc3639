"""The lines of a stored business rule as a condition, and back."""

from collections.abc import Iterable

from staging.models import RuleLine
from staging.rules.condition import Condition, Line
from staging.states import Comparison, RulePart

LISTS = (Comparison.IN, Comparison.NOT_IN)
ALONE = (Comparison.EMPTY, Comparison.NOT_EMPTY)


def condition_of(lines: Iterable[RuleLine], part: RulePart) -> Condition:
    """Return what the lines of one part say together; empty when there are none."""
    alternatives: dict[int, list[Line]] = {}
    for line in lines:
        if line.part == part:
            alternatives.setdefault(line.alternative, []).append(_plain(line))
    return tuple(tuple(alternatives[number]) for number in sorted(alternatives))


def lines_of(condition: Condition, part: RulePart) -> list[RuleLine]:
    """Return the unsaved lines that say a condition."""
    return [
        RuleLine(
            part=part,
            alternative=number,
            attribute=line.attribute,
            comparison=line.comparison,
            value="\n".join(line.values),
            other=line.other,
        )
        for number, alternative in enumerate(condition, 1)
        for line in alternative
    ]


def values_of(line: RuleLine) -> tuple[str, ...]:
    """Return the values that a line names: one per line of text for a list, else the text, trimmed as staged values."""
    if line.other or line.comparison in ALONE:
        return ()
    if line.comparison in LISTS:
        return tuple(value.strip() for value in line.value.splitlines() if value.strip())
    return (line.value.strip(),) if line.value.strip() else ()


def _plain(line: RuleLine) -> Line:
    return Line(line.attribute, line.comparison, values_of(line), line.other)
