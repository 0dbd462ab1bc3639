"""What differs between long values: of texts the lines, of lists the items, of an order what moved; nobody compares
pages by eye.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Any

from staging.versions.words import plain
from staging.wording import say

SHORT = 120  # characters of a value in a list, or in an event of the log
_BEFORE = 20  # characters in front of what differs
_AROUND = 2  # lines around what differs
_MOST_LINES = 2_000  # that are compared line by line; comparing takes the square of it
_MOST_MOVED = 50


def cut(text: str, longest: int | None) -> str:
    """Return a text, no longer than a line has room for; None: all of it."""
    return text if longest is None or len(text) <= longest else f"{text[:longest]}…"


def of_texts(old: str, new: str, longest: int | None) -> tuple[str, str]:
    """Return of two long texts what differs: on a page the lines, in a line the characters around the first place."""
    lines = old.splitlines(), new.splitlines()
    if longest is None:
        is_text = max(map(len, lines)) > 1 and max(map(len, lines)) <= _MOST_LINES
        return _lines(*lines) if is_text else (old, new)
    same = next((place for place, pair in enumerate(zip(old, new, strict=False)) if pair[0] != pair[1]), None)
    first = max((min(len(old), len(new)) if same is None else same) - _BEFORE, 0)
    begin = "…" if first else ""
    return begin + cut(old[first:], longest), begin + cut(new[first:], longest)


def _lines(old: Sequence[str], new: Sequence[str]) -> tuple[str, str]:
    """Return the lines that differ with some around them; between them dots."""
    groups = list(SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes(_AROUND))
    sides = []
    before = [(group[0][1], group[-1][2]) for group in groups]
    after = [(group[0][3], group[-1][4]) for group in groups]
    for lines, spans in ((old, before), (new, after)):
        dots = ["…" if spans[0][0] else "", *["…"] * (len(spans) - 1), "…" if spans[-1][1] < len(lines) else ""]
        parts = ["\n".join(lines[start:end]) for start, end in spans]
        sides.append("\n".join(each for pair in zip(dots, [*parts, ""], strict=True) for each in pair if each))
    return sides[0], sides[1]


def of_lists(old: Sequence[Any], new: Sequence[Any], longest: int | None) -> tuple[str, str]:
    """Return of two long lists what was taken out and what was added; both whole where only their order differs."""
    before, after = {plain(each) for each in old}, {plain(each) for each in new}
    gone, came = [each for each in old if plain(each) not in after], [each for each in new if plain(each) not in before]
    if not gone and not came:
        return cut(plain(old), longest), cut(plain(new), longest)
    return cut(_some(gone, old), longest), cut(_some(came, new), longest)


def _some(items: Sequence[Any], whole: Sequence[Any]) -> str:
    """Return the items that only this list has, and how many it has in all; a short one itself."""
    if len(whole) < 2:
        return plain(whole)
    if not items:
        return say("{number} values", number=len(whole))
    return say("{number} values, among them {items}", number=len(whole), items=plain(items))


def moved(old: Sequence[str], new: Sequence[str], longest: int | None) -> tuple[str, str]:
    """Return of two orders the names that moved, each with its place; the fewest that explain it."""
    places = {name: place for place, name in enumerate(old, 1)}
    if len(places) != len(old) or places.keys() != {*new}:
        return cut(", ".join(old), longest), cut(", ".join(new), longest)
    stayed = _longest_rising([places[name] for name in new])
    found = [(name, places[name], place) for place, name in enumerate(new, 1) if places[name] not in stayed]
    more = say(" and {more:,} more", more=len(found) - _MOST_MOVED) if len(found) > _MOST_MOVED else ""
    before = ", ".join(f"{was}. {name}" for name, was, _ in found[:_MOST_MOVED]) + more
    after = ", ".join(f"{becomes}. {name}" for name, _, becomes in found[:_MOST_MOVED]) + more
    return cut(before, longest), cut(after, longest)


def _longest_rising(numbers: Sequence[int]) -> set[int]:
    """Return the numbers of a longest rising sequence among these: what keeps its order."""
    ends: list[int] = []
    before: dict[int, int | None] = {}
    for number in numbers:
        place = bisect_left(ends, number)
        before[number] = ends[place - 1] if place else None
        ends[place : place + 1] = [number]
    found, last = set[int](), ends[-1] if ends else None
    while last is not None:
        found.add(last)
        last = before[last]
    return found
