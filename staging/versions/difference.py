"""What differs between two contents, as plain values first and then in the words of the form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from staging.versions.words import ID, Parts, Words
from staging.wording import say

Step = list[Any]  # [path, old, new]
ORDER = "order of"


@dataclass(frozen=True)
class WordedChange:
    """One difference in words: what it is of, and its value before and after; one is empty for a part that came."""

    label: str
    old: str
    new: str

    def __str__(self) -> str:
        if self.old and self.new:
            return say("{label}: {old} → {new}", label=self.label, old=self.old, new=self.new)
        return say("{label}: {value}", label=self.label, value=self.old or self.new)


def difference(old: Mapping[str, Any], new: Mapping[str, Any], words: Words) -> list[Step]:
    """Return what differs, each as its path, the old and the new value; parts are the same when their name is."""
    found: list[Step] = []
    for key in sorted({*old, *new}, key=words.place):
        before, after = old.get(key), new.get(key)
        if before == after or key == ID:
            continue
        if key in words.parts:
            found += _of_parts(key, before or [], after or [], words.parts[key])
        else:
            found.append([[key], before, after])
    return found


def _of_parts(key: str, old: Sequence[Any], new: Sequence[Any], parts: Parts) -> list[Step]:
    before, after = {parts.key(part): part for part in old}, {parts.key(part): part for part in new}
    found: list[Step] = []
    for each in [*before, *(each for each in after if each not in before)]:
        was, becomes = before.get(each), after.get(each)
        name = parts.name(becomes or was or {})
        if was is None or becomes is None:
            found.append([[key, name], was, becomes])
        elif was != becomes:
            found += [[[key, name, *path], *values] for path, *values in difference(was, becomes, parts.words)]
    kept = [each for each in before if each in after]
    ordered = [each for each in after if each in before]
    if kept != ordered:
        names = [parts.name(after[each]) for each in kept], [parts.name(after[each]) for each in ordered]
        found.append([[ORDER, key], *names])
    return found


def in_words(steps: Sequence[Step], words: Words, most: int | None = None) -> list[WordedChange]:
    """Return differences in words, the first `most` of them."""
    return [_line(path, old, new, words) for path, old, new in steps[:most]]


def summary(steps: Sequence[Step], words: Words, most: int = 3) -> str:
    """Return differences as one sentence: the first few, and how many more there are."""
    told = "; ".join(str(line) for line in in_words(steps, words, most))
    return say("{told} and {more:,} more", told=told, more=len(steps) - most) if len(steps) > most else told


def _line(path: Sequence[str], old: Any, new: Any, words: Words) -> WordedChange:
    if path[0] == ORDER:
        noun = words.parts[path[1]].noun
        return WordedChange(say("Order ({noun})", noun=str(noun)), ", ".join(old), ", ".join(new))
    if len(path) == 1:
        return WordedChange(words.label(path[0]), words.text(path[0], old), words.text(path[0], new))
    parts = words.parts[path[0]]
    label = say("{noun} {name}", noun=str(parts.noun), name=path[1])
    if len(path) == 2:
        return WordedChange(label, "" if old is None else say("taken out"), "" if new is None else say("added"))
    within = _line(path[2:], old, new, parts.words)
    return WordedChange(say("{part}, {label}", part=label, label=within.label), within.old, within.new)
