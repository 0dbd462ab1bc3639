"""A business rule as a sentence that business users read."""

from django.utils.text import capfirst

from staging.rules.condition import Condition, Line
from staging.states import Comparison
from staging.wording import said_together, say

_ALONE = (Comparison.EMPTY, Comparison.NOT_EMPTY)


def rule_sentence(when: Condition, must: Condition) -> str:
    """Return a rule in words: `When staff is at least 1: region is not empty.`"""
    if when:
        return say("When {when}: {must}.", when=condition_words(when), must=condition_words(must))
    return say("{must}.", must=capfirst(condition_words(must)))


def condition_words(condition: Condition) -> str:
    """Return a condition in words, alternatives joined by «or», comparisons by «and»."""
    alternatives = (said_together(*map(_line_words, each), by=say(" and ")) for each in condition)
    return said_together(*alternatives, by=say(", or ")) or say("nothing")


def _line_words(line: Line) -> str:
    comparison = Comparison(line.comparison)
    if comparison in _ALONE:
        return say("{attribute} {comparison}", attribute=line.attribute, comparison=comparison.label)
    value = line.other or ", ".join(f"‘{value}’" for value in line.values)
    return say("{attribute} {comparison} {value}", attribute=line.attribute, comparison=comparison.label, value=value)
