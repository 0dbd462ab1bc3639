"""Checks that data from a file has the keys and kinds of values it should, each error with its path and mend."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from difflib import get_close_matches
from typing import Any

from django.utils.translation import gettext_noop

from staging.entities.values import is_storable
from staging.wording import say

TEXT = gettext_noop("text")
WHOLE = gettext_noop("a whole number")
NUMBER = gettext_noop("a number")
YES_NO = gettext_noop("true or false")
SCALAR = gettext_noop("a text or a number")
SCALARS = gettext_noop("a list of texts or numbers")
TEXT_OR_SCALARS = gettext_noop("a text, or a list of texts or numbers")
TEXT_OR_LIST = gettext_noop("a text or a list")
LIST = gettext_noop("a list")
MAPPING = gettext_noop("a mapping of keys to values")


@dataclass
class Problems:
    """The errors found so far, by path in the file."""

    errors: dict[str, list[str]] = field(default_factory=dict)

    def add(self, path: str, text: str) -> None:
        """Add one sentence at a path."""
        self.errors.setdefault(path, []).append(text)

    def under(self, path: str) -> bool:
        """Return whether this path has an error."""
        return path in self.errors


def known_keys(
    value: Any, path: str, kinds: Mapping[str, str], problems: Problems, required: Iterable[str] = ()
) -> dict[str, Any]:
    """Return the keys of a mapping whose values are of their kind; everything else goes to `problems`.

    A key without value (null) counts as left out.
    """
    if not isinstance(value, dict):
        problems.add(path or "file", say("This must be {mapping}.", mapping=say(MAPPING)))
        return {}
    found = {}
    for key, content in value.items():
        place = path_of(path, key)
        if key not in kinds:
            problems.add(
                place,
                say("There is no key {key!r} here.{did_you_mean}", key=key, did_you_mean=did_you_mean(key, kinds)),
            )
        elif content is not None and (text := wrong_kind(content, kinds[key])):
            problems.add(place, text)
        elif content is not None:
            found[key] = content
    for key in required:
        if value.get(key) is None:
            problems.add(path_of(path, key), say("This is required."))
    return found


def wrong_kind(value: Any, kind: str) -> str:
    """Return the sentence that refuses a value of another kind; empty when it fits."""
    if any(isinstance(text, str) and not is_storable(text) for text in (value if isinstance(value, list) else [value])):
        return say("This holds a character that no database keeps (NUL or half a surrogate pair).")
    if _KINDS[kind](value):
        return ""
    if kind == TEXT and _is_scalar(value):
        return say("This must be text; put it in quotes: {value!r}.", value=str(value))
    if isinstance(value, bool) and kind in (SCALAR, SCALARS, TEXT_OR_SCALARS):
        return say("This must be {kind}; put it in quotes.", kind=say(kind))
    return say("This must be {kind}.", kind=say(kind))


def did_you_mean(word: Any, known: Iterable[str]) -> str:
    """Return a hint at the likely word, with a blank before it; empty when none is near."""
    near = get_close_matches(str(word), list(known), n=1)
    return say(" Did you mean {near!r}?", near=near[0]) if near else ""


def path_of(path: str, key: Any) -> str:
    """Return the path of a key inside a path."""
    return f"{path}.{key}" if path else str(key)


def scalar_text(value: str | int | Decimal) -> str:
    """Return a scalar of a file as the text it was."""
    return format(value, "f") if isinstance(value, Decimal) else str(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | Decimal) and not isinstance(value, bool)


def _is_scalar(value: Any) -> bool:
    return isinstance(value, str | bool) or _is_number(value)


def _is_plain(value: Any) -> bool:
    return isinstance(value, str) or _is_number(value)


_KINDS: dict[str, Callable[[Any], bool]] = {
    TEXT: lambda value: isinstance(value, str),
    WHOLE: lambda value: isinstance(value, int) and not isinstance(value, bool),
    NUMBER: _is_number,
    YES_NO: lambda value: isinstance(value, bool),
    SCALAR: _is_plain,
    SCALARS: lambda value: isinstance(value, list) and all(map(_is_plain, value)),
    TEXT_OR_SCALARS: lambda value: isinstance(value, str) or (isinstance(value, list) and all(map(_is_plain, value))),
    TEXT_OR_LIST: lambda value: isinstance(value, str | list),
    LIST: lambda value: isinstance(value, list),
    MAPPING: lambda value: isinstance(value, dict),
}
