"""User patterns that cannot hang a worker and mean the same on both databases.

The language is RE2's (its time grows with the text only), without what PostgreSQL cannot say: Unicode classes, flags,
`\\Q...\\E`, more than 255 repetitions. A pattern matches when it is found somewhere in the text; `^` and `$` are the
text's ends. SQLite asks RE2 itself; for PostgreSQL the pattern is rewritten piece by piece, because its `\\d`, `\\w`,
`.` and `\\b` follow other rules.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import re2

from staging.errors import StagingError
from staging.wording import say

Ranges = list[tuple[int, int]]

MOST_REPEATS = 255  # PostgreSQL's limit
_MOST_BOUNDARIES = 20  # each costs PostgreSQL four small machines, in every copy a repetition makes of it
_LAST = 0x10FFFF
_DIGIT: Ranges = [(48, 57)]
_WORD: Ranges = [(48, 57), (65, 90), (95, 95), (97, 122)]
_SPACE: Ranges = [(9, 10), (12, 13), (32, 32)]
_CLASSES = {"d": _DIGIT, "w": _WORD, "s": _SPACE}
_POSIX: dict[str, Ranges] = {
    "alnum": [(48, 57), (65, 90), (97, 122)],
    "alpha": [(65, 90), (97, 122)],
    "ascii": [(1, 127)],
    "blank": [(9, 9), (32, 32)],
    "cntrl": [(1, 31), (127, 127)],
    "digit": _DIGIT,
    "graph": [(33, 126)],
    "lower": [(97, 122)],
    "print": [(32, 126)],
    "punct": [(33, 47), (58, 64), (91, 96), (123, 126)],
    "space": [(9, 13), (32, 32)],
    "upper": [(65, 90)],
    "word": _WORD,
    "xdigit": [(48, 57), (65, 70), (97, 102)],
}
_CONTROLS = {"t": 9, "n": 10, "v": 11, "f": 12, "r": 13, "a": 7}
_ENDS = {"A": "^", "z": "$"}
_W = "[0-9A-Z_a-z]"
_BOUNDARIES = {
    "b": f"(?:(?<!{_W})(?={_W})|(?<={_W})(?!{_W}))",
    "B": f"(?:(?<={_W})(?={_W})|(?<!{_W})(?!{_W}))",
}


class PatternRefused(StagingError):
    """A pattern uses something that cannot mean the same on both databases; the text says what."""


@lru_cache(maxsize=256)
def compiled(pattern: str) -> Any:
    """Return the pattern compiled by RE2; raises re2.error."""
    options = re2.Options()
    options.log_errors = False
    return re2.compile(pattern, options)


def check_pattern(pattern: str) -> str | None:
    """Return one sentence about what is wrong with a pattern, None when it may be used."""
    try:
        to_postgresql(pattern)
    except PatternRefused as refused:
        return str(refused)
    return None


@lru_cache(maxsize=256)
def to_postgresql(pattern: str) -> str:
    """Return the pattern as an advanced regular expression of PostgreSQL with the same meaning.

    Raises PatternRefused when it is not a pattern or has no such form.
    """
    try:
        pattern.encode()
        compiled(pattern)
    except (re2.error, UnicodeEncodeError) as error:
        reason = error.args[0].decode(errors="replace") if error.args and isinstance(error.args[0], bytes) else error
        raise PatternRefused(say("Not a regular expression that can be used: {reason}.", reason=reason)) from error
    return _Translation(pattern).whole()


class _Translation:
    """Walks once over a pattern that RE2 has accepted, writing PostgreSQL's form."""

    def __init__(self, pattern: str):
        self._rest = pattern
        self._boundaries = 0

    def whole(self) -> str:
        """Return the translation of the whole pattern."""
        pieces: list[str] = []
        while self._rest:
            pieces.append(self._repeated(self._piece()))
        return "".join(pieces)

    def _take(self, count: int = 1) -> str:
        taken, self._rest = self._rest[:count], self._rest[count:]
        return taken

    def _skip(self, text: str) -> bool:
        if not self._rest.startswith(text):
            return False
        self._take(len(text))
        return True

    def _piece(self) -> str:
        """Translate one piece; what may not be repeated is told apart by `_repeated`."""
        special: dict[str, Callable[[], str]] = {"(": self._group, "[": self._bracket, "\\": self._escape}
        character = self._take()
        if character in special:
            return special[character]()
        if character in ")|^$":
            return character
        return "[^\\n]" if character == "." else _literal(ord(character))

    def _group(self) -> str:
        """Every group becomes one that captures nothing."""
        if self._skip("?P<") or self._skip("?<"):
            if self._rest[:1] in ("=", "!"):
                raise PatternRefused(say("Looking ahead or behind is not possible in a pattern."))
            self._take(self._rest.index(">") + 1)
        elif self._rest.startswith("?") and not self._skip("?:"):
            raise PatternRefused(say("Flags such as (?i) are not possible in a pattern."))
        return "(?:"

    def _escape(self) -> str:
        character = self._take()
        if character in _BOUNDARIES:
            self._boundaries += 1
            if self._boundaries > _MOST_BOUNDARIES:
                raise PatternRefused(say("A pattern may have at most {most} word boundaries.", most=_MOST_BOUNDARIES))
            return _BOUNDARIES[character]
        if character in _ENDS:
            return _ENDS[character]
        if character.lower() in _CLASSES:
            return _bracket(_CLASSES[character.lower()], negated=character.isupper())
        return _literal(self._code_point(character))

    def _code_point(self, character: str) -> int:
        """Return the code point of the escape whose first character was just taken."""
        if character in _CONTROLS:
            return _CONTROLS[character]
        if character == "x":
            digits = self._take(self._rest.index("}") + 1)[1:-1] if self._rest.startswith("{") else self._take(2)
            return _storable(int(digits, 16))
        if character.isascii() and character.isalnum():
            raise PatternRefused(say("\\{character} is not possible in a pattern.", character=character))
        return _storable(ord(character))

    def _bracket(self) -> str:
        negated, ranges, first = self._skip("^"), [], True
        while first or not self._skip("]"):
            first = False
            ranges += self._class_item()
        return _bracket(ranges, negated=negated)

    def _class_item(self) -> Ranges:
        if self._rest.startswith("[:") and ":]" in self._rest:
            label = self._take(self._rest.index(":]") + 2)[2:-2]
            found = _POSIX[label.lstrip("^")]
            return _complement(found) if label.startswith("^") else found
        if self._rest[:1] == "\\" and self._rest[1:2].lower() in _CLASSES:
            label = self._take(2)[1]
            return _complement(_CLASSES[label.lower()]) if label.isupper() else _CLASSES[label]
        low = self._class_character()
        if self._rest[:1] == "-" and self._rest[1:2] not in ("]", ""):
            self._take()
            return [(low, self._class_character())]
        return [(low, low)]

    def _class_character(self) -> int:
        character = self._take()
        return self._code_point(self._take()) if character == "\\" else _storable(ord(character))

    def _repeated(self, piece: str) -> str:
        """Add the repetition that follows; greedy or not makes no difference to whether a pattern is found."""
        times = self._times()
        if not times:
            return piece
        self._skip("?")
        if piece in ("^", "$") or piece in _BOUNDARIES.values():
            raise PatternRefused(say("The ends of the text and word boundaries cannot be repeated."))
        return piece + times

    def _times(self) -> str:
        if self._rest[:1] in ("*", "+", "?"):
            return self._take()
        inside, closed, _ = self._rest[1:].partition("}")
        bounds = inside.split(",")
        if self._rest[:1] != "{" or not closed or not _is_number(bounds[0]) or len(bounds) > 2:
            return ""
        if not all(_is_number(part) or (part == "" and n) for n, part in enumerate(bounds)):
            return ""
        if any(part and int(part) > MOST_REPEATS for part in bounds):
            raise PatternRefused(say("A repetition may ask for at most {most} copies.", most=MOST_REPEATS))
        return self._take(len(inside) + 2)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit()


def _literal(code_point: int) -> str:
    _storable(code_point)
    character = chr(code_point)
    return character if character.isascii() and character.isalnum() else f"\\U{code_point:08x}"


def _storable(code_point: int) -> int:
    if code_point == 0 or 0xD800 <= code_point <= 0xDFFF or code_point > _LAST:
        raise PatternRefused(say("A pattern cannot ask for a character that no text may hold."))
    return code_point


def _bracket(ranges: Ranges, *, negated: bool) -> str:
    body = "".join(
        _literal(low) if low == high else f"{_literal(low)}-{_literal(high)}" for low, high in _merged(ranges)
    )
    return f"[{'^' if negated else ''}{body}]"


def _merged(ranges: Ranges) -> Ranges:
    """Return the ranges sorted, without overlaps."""
    found: Ranges = []
    for low, high in sorted(ranges):
        if found and low <= found[-1][1] + 1:
            found[-1] = (found[-1][0], max(found[-1][1], high))
        else:
            found.append((low, high))
    return found


def _complement(ranges: Ranges) -> Ranges:
    found, start = [], 1
    for low, high in _merged(ranges):
        if start < low:
            found.append((start, low - 1))
        start = high + 1
    return [*found, (start, _LAST)]
