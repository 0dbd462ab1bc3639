"""Gives every problem a row may have a bit of its own, so that one or two integers tell all that was found in a row."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from staging.batches.messages import Problem
from staging.sql.compose import Sql, column, sql, tree

# One bit less than the sign leaves.
_WORD_BITS = 62


@dataclass(frozen=True)
class Finding:
    """One problem of one column, the limit its sentence names, and the bit of the word that stands for it."""

    shown: str
    problem: Problem
    limit: str
    word: int
    bit: int


class Findings(list[Finding]):
    """All problems that rows of one batch may have."""

    def add(self, shown: str, problems: Iterable[tuple[Problem, str]]) -> None:
        """Number the problems of a column; they share a word."""
        found = list(problems)
        word, used = (self[-1].word, self[-1].bit.bit_length()) if self else (0, 0)
        if used + len(found) > _WORD_BITS:
            word, used = word + 1, 0
        for place, (problem, limit) in enumerate(found, used):
            self.append(Finding(shown, problem, limit, word, 1 << place))

    @property
    def words(self) -> list[str]:
        """Return the names of the integers."""
        return [f"x_{number}" for number in range(self[-1].word + 1)]

    def bits(self, shown: str) -> Mapping[Problem, int]:
        """Return the bit of each problem of a column."""
        return {f.problem: f.bit for f in self if f.shown == shown}

    def together(self, checks: Mapping[str, Sql]) -> dict[str, Sql]:
        """Return the integers, put together from the problems that the checks find in each column."""
        word_of = {f.shown: f.word for f in self}
        return {
            word: tree("|", (check for shown, check in checks.items() if word_of[shown] == number), "0")
            for number, word in enumerate(self.words)
        }

    def any(self) -> Sql:
        """Return whether a judged row `j` has any problem."""
        return sql("({found} <> 0)", found=tree("|", (column("j", word) for word in self.words), "0"))

    def error(self) -> Sql:
        """Return the error bits of a judged row `j`."""
        masks: dict[int, dict[int, int]] = {}
        for finding in self:
            words = masks.setdefault(int(finding.problem.bit), {})
            words[finding.word] = words.get(finding.word, 0) | finding.bit
        return tree("|", (_error(bit, words) for bit, words in masks.items()), "0")


def _error(bit: int, words: Mapping[int, int]) -> Sql:
    found = tree("OR", (Sql(f"j.x_{word} & {mask} <> 0") for word, mask in words.items()), "FALSE")
    return sql("CASE WHEN {found} THEN {bit} ELSE 0 END", found=found, bit=Sql(str(bit)))
