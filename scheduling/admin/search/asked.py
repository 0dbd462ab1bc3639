"""What somebody typed into the search: words, or the number of a run or of a batch."""

from __future__ import annotations

from dataclasses import dataclass

from staging.pages import number_in
from staging.wording import say

LONGEST = 100


@dataclass(frozen=True)
class Wanted:
    """A text as it was typed, and the number in it with the kind that it is the number of; empty: of any."""

    text: str
    number: int | None = None
    of: str = ""

    def fits(self, *names: str) -> bool:
        """Return whether one of these names contains what was typed, in upper or lower case."""
        typed = self.text.casefold()
        return any(typed in name.casefold() for name in names)

    def rank(self, *names: str) -> tuple[int, str]:
        """Return the place among what fits: the very name, what begins with it, the rest, each by its name."""
        typed, folded = self.text.casefold(), [name.casefold() for name in names]
        if typed in folded:
            return 0, folded[0]
        return (1 if any(name.startswith(typed) for name in folded) else 2), folded[0]


def read_wanted(text: str) -> Wanted:
    """Return what is wanted by a text of an address: `17`, `#17`, `run 17`, `batch 17` are numbers as well."""
    text = " ".join(text.replace("\x00", "").split())[:LONGEST]
    before, _, last = text.rpartition(" ")
    number = number_in(last.removeprefix("#"))
    kinds = {"run": "run", "batch": "batch", say("run").casefold(): "run", say("batch").casefold(): "batch"}
    if number is None or (before and before.casefold() not in kinds):
        return Wanted(text)
    return Wanted(text, number, kinds.get(before.casefold(), ""))
