"""What this release still knows of a version that another release has written: the rest is told, and not restored."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from staging.versions.words import ID, Words
from staging.wording import say


def still_known(content: Mapping[str, Any], words: Words) -> dict[str, Any]:
    """Return a content without the values that this release has no place for."""
    found = {key: value for key, value in content.items() if _is_known(key, words)}
    for name, parts in words.parts.items():
        if isinstance(found.get(name), list):
            found[name] = [still_known(part, parts.words) for part in found[name]]
    return found


def forgotten(content: Mapping[str, Any], words: Words) -> list[str]:
    """Return what the values are called that this release has no place for, those of parts with what they are of."""
    found = [words.label(key) for key in content if not _is_known(key, words)]
    for name, parts in words.parts.items():
        of_parts = (label for part in content.get(name) or () for label in forgotten(part, parts.words))
        found += [say("{noun}, {label}", noun=str(parts.noun), label=label) for label in dict.fromkeys(of_parts)]
    return found


def _is_known(key: str, words: Words) -> bool:
    return key == ID or not words.keys or key in words.keys
