"""Gives every problem a row may have a bit of its own, so that one or two integers tell all that was found in a row."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from staging.sql.compose import Sql, column, sql, tree
from staging.states import DataType, ErrorBit


@dataclass(frozen=True)
class Problem:
    """One thing that can be wrong with one column: its error bit, its sentence."""

    bit: ErrorBit
    template: str


_TYPE_NAMES = {
    DataType.TEXT: "readable text",
    DataType.INTEGER: "a whole number",
    DataType.DECIMAL: "a decimal number of at most 40 digits on each side of the point",
    DataType.BOOLEAN: "yes or no",
    DataType.DATE: "a date (YYYY-MM-DD)",
    DataType.DATETIME: "a date and time (YYYY-MM-DDTHH:MM:SS)",
}

CODE_MISSING = Problem(ErrorBit.CODE_MISSING, "{column} is missing.")
DUPLICATE = Problem(ErrorBit.DUPLICATE_CODE, "{column}: '{value}' is in more than one row of the batch.")
REQUIRED = Problem(ErrorBit.REQUIRED_MISSING, "{column} is required and would have no value.")
EMPTIED = Problem(ErrorBit.REQUIRED_MISSING, "{column} is required and keeps its value.")
TOO_SHORT = Problem(ErrorBit.CONSTRAINT, "{column}: '{value}' is shorter than {limit} characters.")
TOO_LONG = Problem(ErrorBit.CONSTRAINT, "{column}: '{value}' is longer than {limit} characters.")
TOO_LOW = Problem(ErrorBit.CONSTRAINT, "{column}: '{value}' is below {limit}.")
TOO_HIGH = Problem(ErrorBit.CONSTRAINT, "{column}: '{value}' is above {limit}.")
PATTERN = Problem(ErrorBit.CONSTRAINT, "{column}: '{value}' does not match {limit}.")
CHOICE = Problem(ErrorBit.CONSTRAINT, "{column}: '{value}' is not one of {limit}.")
NOT_FOUND = Problem(ErrorBit.REFERENCE, "{column}: '{value}' is not an active member of {limit}.")
UNIQUE = Problem(ErrorBit.UNIQUE_TAKEN, "{column}: '{value}' is taken by another member or row.")
EXISTS = Problem(ErrorBit.CODE_EXISTS, "{column}: '{value}' exists already.")
UNKNOWN = Problem(ErrorBit.CODE_NOT_FOUND, "{column}: '{value}' does not exist.")
REFERENCED = Problem(ErrorBit.STILL_REFERENCED, "{column}: '{value}' is still referred to by {limit}.")
NEEDED = Problem(ErrorBit.STILL_REFERENCED, "{column}: '{value}' is still referred to by {limit}, which needs a value.")
TAKEN = Problem(ErrorBit.NEW_CODE_TAKEN, "{column}: '{value}' is the code of another member.")
WANTED_TWICE = Problem(ErrorBit.NEW_CODE_TAKEN, "{column}: '{value}' is wanted by another row of the batch.")
PROTECTED = Problem(ErrorBit.PROTECTED_VALUE, "{column}: '{value}' is not what is stored, which may not change.")
ACTION_UNKNOWN = Problem(ErrorBit.UNKNOWN_ACTION, "{column}: '{value}' is not an import action.")
TOO_BIG = Problem(ErrorBit.WRONG_TYPE, "{column}: '{value}' is a larger whole number than can be stored.")
TARGET_REJECTED = Problem(ErrorBit.REFERENCE_REJECTED, "{column}: '{value}' is a row of this batch that was rejected.")


def wrong_type(data_type: str) -> Problem:
    """Return the problem of a value that is not of its column's type."""
    text = f"{{column}}: '{{value}}' is not {_TYPE_NAMES[DataType(data_type)]}."
    return Problem(ErrorBit.WRONG_TYPE, text)


# What a field that was skipped says before its sentence; the row is processed.
WARNING = "Warning: "


def sentence(problem: Problem, column: str, value: Sql, limit: str = "") -> Sql:
    """Return the SQL that puts the sentence together; `value` is text that is safe to show."""
    before, _, after = problem.template.replace("{column}", column).partition("{value}")
    if not after:
        return sql("{text}", text=before)
    return sql("({before} || {value} || {after})", before=before, value=value, after=after.replace("{limit}", limit))


# A problem, the limit its sentence names, and whether it only warns.
Noted = tuple[Problem, str, bool]

# One bit less than the sign leaves.
_WORD_BITS = 62


@dataclass(frozen=True)
class Finding:
    """One problem of one column, the limit its sentence names, and the bit of the word that stands for it.

    One that only warns leaves the row good.
    """

    shown: str
    problem: Problem
    limit: str
    warns: bool
    word: int
    bit: int


class Findings(list[Finding]):
    """All problems that rows of one batch may have."""

    def add(self, shown: str, problems: Iterable[Noted]) -> None:
        """Number the problems of a column; they share a word."""
        found = list(problems)
        word, used = (self[-1].word, self[-1].bit.bit_length()) if self else (0, 0)
        if used + len(found) > _WORD_BITS:
            word, used = word + 1, 0
        for place, (problem, limit, warns) in enumerate(found, used):
            self.append(Finding(shown, problem, limit, warns, word, 1 << place))

    @property
    def words(self) -> list[str]:
        """Return the names of the integers."""
        return [f"x_{number}" for number in range(self[-1].word + 1)]

    def bits(self, shown: str) -> Mapping[Problem, int]:
        """Return the bit of each problem of a column."""
        return {f.problem: f.bit for f in self if f.shown == shown}

    def together(self, checks: Mapping[str, Sql], values: Mapping[str, Sql], count: Sql) -> dict[str, Sql]:
        """Return the integers, put together from the problems that the checks find in each column.

        Those of values are looked for only where `count` holds.
        """
        return {
            word: sql(
                "({always} | CASE WHEN {count} THEN {found} ELSE 0 END)",
                always=self._of_word(number, checks),
                count=count,
                found=self._of_word(number, values),
            )
            for number, word in enumerate(self.words)
        }

    def _of_word(self, number: int, checks: Mapping[str, Sql]) -> Sql:
        word_of = {f.shown: f.word for f in self}
        return tree("|", (check for shown, check in checks.items() if word_of[shown] == number), "0")

    def any(self) -> Sql:
        """Return whether a judged row `j` has any problem that rejects it."""
        if not any(f.warns for f in self):
            return self.noticed()
        masks = [sum(f.bit for f in self if f.word == number and not f.warns) for number in range(len(self.words))]
        found = (Sql(f"(j.{word} & {mask})") for word, mask in zip(self.words, masks, strict=True))
        return sql("({found} <> 0)", found=tree("|", found, "0"))

    def noticed(self) -> Sql:
        """Return whether a judged row `j` has anything to tell, be it only a warning."""
        return sql("({found} <> 0)", found=tree("|", (column("j", word) for word in self.words), "0"))

    def error(self) -> Sql:
        """Return the error bits of a judged row `j`."""
        masks: dict[int, dict[int, int]] = {}
        for finding in (f for f in self if not f.warns):
            words = masks.setdefault(int(finding.problem.bit), {})
            words[finding.word] = words.get(finding.word, 0) | finding.bit
        return tree("|", (_error(bit, words) for bit, words in masks.items()), "0")


def _error(bit: int, words: Mapping[int, int]) -> Sql:
    found = tree("OR", (Sql(f"j.x_{word} & {mask} <> 0") for word, mask in words.items()), "FALSE")
    return sql("CASE WHEN {found} THEN {bit} ELSE 0 END", found=found, bit=Sql(str(bit)))
