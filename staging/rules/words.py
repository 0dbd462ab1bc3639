"""A business rule as a sentence that business users read."""

from staging.rules.condition import Condition, Line
from staging.states import Comparison

_ALONE = (Comparison.EMPTY, Comparison.NOT_EMPTY)


def rule_sentence(when: Condition, must: Condition) -> str:
    """Return a rule in words: `When staff is at least 1: region is not empty.`"""
    condition = f"When {condition_words(when)}: " if when else ""
    text = f"{condition}{condition_words(must)}."
    return text[0].upper() + text[1:]


def condition_words(condition: Condition) -> str:
    """Return a condition in words, alternatives joined by «or», comparisons by «and»."""
    return ", or ".join(" and ".join(map(_line_words, alternative)) for alternative in condition) or "nothing"


def _line_words(line: Line) -> str:
    comparison = Comparison(line.comparison)
    if comparison in _ALONE:
        return f"{line.attribute} {comparison.label}"
    return f"{line.attribute} {comparison.label} {line.other or ', '.join(f'‘{value}’' for value in line.values)}"
