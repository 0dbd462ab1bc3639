"""What differs between two contents, as plain values first and then in the words of the form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from staging.versions.long import SHORT, cut, moved, of_lists, of_texts
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


def in_words(
    steps: Sequence[Step], words: Words, most: int | None = None, *, whole: bool = False
) -> list[WordedChange]:
    """Return differences in words, the first `most` of them; `whole`: for a page with room for long values."""
    longest = None if whole else SHORT
    return [_line(path, old, new, words, longest) for path, old, new in steps[:most]]


def summary(steps: Sequence[Step], words: Words, most: int = 3) -> str:
    """Return differences as one sentence: the first few, and how many more there are."""
    told = "; ".join(str(line) for line in in_words(steps, words, most))
    return say("{told} and {more:,} more", told=told, more=len(steps) - most) if len(steps) > most else told


def _line(path: Sequence[str], old: Any, new: Any, words: Words, longest: int | None) -> WordedChange:
    parts = words.parts.get(path[1] if path[0] == ORDER else path[0])
    noun = str(parts.noun) if parts is not None else words.label(path[-1] if path[0] == ORDER else path[0])
    if path[0] == ORDER:
        return WordedChange(say("Order ({noun})", noun=noun), *moved(old, new, longest))
    if len(path) == 1:
        return WordedChange(words.label(path[0]), *_values(path[0], old, new, words, longest))
    is_whole = len(path) == 2
    name = parts.shown(new or old) if is_whole and parts is not None and parts.shown is not None else path[1]
    label = say("{noun} {name}", noun=noun, name=name)
    if is_whole:
        return WordedChange(label, "" if old is None else say("taken out"), "" if new is None else say("added"))
    within = _line(path[2:], old, new, parts.words if parts is not None else Words(), longest)
    return WordedChange(say("{part}, {label}", part=label, label=within.label), within.old, within.new)


def _values(key: str, old: Any, new: Any, words: Words, longest: int | None) -> tuple[str, str]:
    """Return both values in words; of what is too long, that which differs."""
    before, after = words.text(key, old), words.text(key, new)
    if max(len(before), len(after)) <= SHORT or min(len(before), len(after)) == 0:
        return cut(before, longest), cut(after, longest)
    if isinstance(old, list) and isinstance(new, list):
        return of_lists(old, new, longest)
    return of_texts(before, after, longest)
