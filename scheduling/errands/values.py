"""Makes of what came from outside a value that every database stores and that the result of a job has room for."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

from staging.wording import storable

LARGEST = 48 * 1024  # bytes as JSON, so that what stands beside it fits into the result of a job, too
LONGEST_TEXT = 10_000  # characters of what is no JSON, or too long for it


def json_of(text: str, hide: Callable[[str], str] = str) -> Any:
    """Return the JSON that a text is, with `hide` of each text in it. Raises ValueError when it is none, or too long.

    What JSON does not have, as NaN or a number beyond all bounds, is no JSON.
    """
    try:
        found = _storable(json.loads(text, parse_constant=_no_number), hide)
        if _size(found) > LARGEST:
            raise ValueError(text[:20])
    except RecursionError as error:
        raise ValueError(text[:20]) from error
    return found


def beginning(text: str) -> str:
    """Return as much of the beginning of a text as there is room for."""
    text = text[:LONGEST_TEXT]
    while _size(text) > LARGEST:
        text = text[: len(text) // 2]
    return text


def ending(text: str) -> str:
    """Return as much of the end of a text as there is room for."""
    return beginning(text[::-1])[::-1]


def _size(value: Any) -> int:
    return len(json.dumps(value, ensure_ascii=False).encode())


def _storable(value: Any, hide: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return hide(storable(value))
    if isinstance(value, dict):
        return {hide(storable(name)): _storable(each, hide) for name, each in value.items()}
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(value)
    if isinstance(value, list):
        return [_storable(each, hide) for each in value]
    text = json.dumps(value)
    return value if hide(text) == text else hide(text)  # a number may be what is to be hidden


def _no_number(name: str) -> None:
    raise ValueError(name)
