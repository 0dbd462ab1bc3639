"""Reads a JSON array row by row, each where it stands: nothing nested is turned into values before it is bounded."""

import json
import re
from collections.abc import Iterator
from typing import Any

from staging.errors import StagingError
from staging.uploads.reading.limits import limits
from staging.wording import said_together, say

# So much is turned into values at once, unless it is one row.
READ_AT_ONCE = 4 << 20
TOO_LONG = object()
_SPOKEN = 3  # faults in the sentence; the others stand in `errors` only

# One object without lists or objects in it, as bytes of UTF-8; possessive, so that nothing is looked at twice.
_FLAT = rb'\{(?:[^{}\[\]"]++|"(?:[^"\\]++|\\.)*+")*+\}'
_ONE = re.compile(_FLAT, re.DOTALL)
_BLANK = rb"[ \t\r\n]*+"
_SOME = re.compile(rb"(?:%s%s%s,){1,1000}+" % (_BLANK, _FLAT, _BLANK), re.DOTALL)
_SPACE = re.compile(_BLANK)
_BRACKET = re.compile(rb'[^\[\]{}"]*+(?:"(?:[^"\\]++|\\.)*+")?+([\[\]{}]?)', re.DOTALL)
# What may stand where an object should be.
_SCALAR = re.compile(rb'"(?:[^"\\]++|\\.)*+"|[^,\[\]{}" \t\r\n]++', re.DOTALL)


class Unreadable(StagingError):
    """What was posted cannot be read; `errors` are paths into it with the sentences about what is wrong there."""

    def __init__(self, *errors: tuple[str, str]):
        self.errors: dict[str, list[str]] = {}
        for path, text in errors:
            self.errors.setdefault(path, []).append(text)
        super().__init__(said_together(*(text for _, text in errors[:_SPOKEN])))


def _refuse_constant(text: str) -> None:
    raise ValueError(say("{text} is no number of JSON", text=text))


# Numbers stay the digits that were sent.
READING: dict[str, Any] = {"parse_float": str, "parse_int": str, "parse_constant": _refuse_constant}


def elements(body: bytes) -> Iterator[tuple[bytes, list[Any]]]:
    """Yield rows of an array, whatever they are, with their text where they are flat; many of these at once.

    Raises Unreadable, also while its rows are read. A row that is longer than a line may be is TOO_LONG.
    """
    at = _blank_until(body, 3 if body.startswith(b"\xef\xbb\xbf") else 0)
    if body[at : at + 1] != b"[":
        raise Unreadable(("", say("The body is no JSON array: write the rows as objects in square brackets.")))
    at = _blank_until(body, at + 1)
    has_more = body[at : at + 1] != b"]"
    while has_more:
        if some := _SOME.match(body, at, at + READ_AT_ONCE):
            text = body[at : some.end()].rstrip()[:-1]
            yield text, _objects(text, at)
            at = _blank_until(body, some.end())
            continue
        row, end = _element(body, at)
        yield b"", [row]
        at = _blank_until(body, end)
        has_more = body[at : at + 1] == b","
        at = _blank_until(body, at + has_more)
    if body[at : at + 1] != b"]" or body[at + 1 :].strip(b" \t\r\n"):
        raise Unreadable(
            ("", say("The body is no JSON array: at byte {place:,} a comma or its end should be.", place=at + 1))
        )


def _blank_until(body: bytes, at: int) -> int:
    found = _SPACE.match(body, at)
    return found.end() if found else at


def _element(body: bytes, at: int) -> tuple[Any, int]:
    """Return the row that begins here, whatever it is, and where it ends."""
    flat = _ONE.match(body, at)
    if flat and flat.end() - at > limits().line:
        return TOO_LONG, flat.end()
    scalar = _SCALAR.match(body, at)
    found = flat or scalar
    end = found.end() if found else _end_of(body, at)
    rows = _objects(body[at:end], at)
    if len(rows) != 1:
        raise Unreadable(("", say("The body is no JSON array: at byte {place:,} a row should be.", place=at + 1)))
    return rows[0], end


def _end_of(body: bytes, at: int) -> int:
    """Return the end of a list or an object with others in it; no longer than a line may be."""
    start, depth, most = at, 0, at + limits().line
    while at < min(len(body), most):
        found = _BRACKET.match(body, at, most)
        if found is None or found.end() == at:
            break
        at = found.end()
        depth += {b"": 0, b"[": 1, b"{": 1}.get(found[1], -1)
        if not depth:
            return at
    raise Unreadable(
        ("", say("The body is no JSON array: at byte {place:,} something begins that does not end.", place=start + 1))
    )


def _objects(text: bytes, at: int) -> list[Any]:
    try:
        return list(json.loads(f"[{text.decode()}]", **READING))
    except UnicodeDecodeError as error:
        raise Unreadable(
            ("", say("The body is not UTF-8 text, near byte {place:,}.", place=at + error.start))
        ) from error
    except ValueError as error:
        place = at + error.pos if isinstance(error, json.JSONDecodeError) else at + 1
        raise Unreadable(
            ("", say("The body is no JSON: {reason}, near byte {place:,}.", reason=reason(error), place=place))
        ) from error
    except RecursionError:
        raise Unreadable(("", say("The body is nested too deep, near byte {place:,}.", place=at + 1))) from None


def read_flat(flat: bytes) -> list[Any] | None:
    """Return the objects in a text of flat ones; None when one of them is no JSON after all."""
    try:
        return list(json.loads(f"[{flat.decode()}]", **READING))
    except ValueError:
        return None


def reason(error: Exception) -> str:
    """Return why a text is no JSON, in words."""
    if isinstance(error, UnicodeDecodeError):
        return say("it is not UTF-8 text")
    if isinstance(error, RecursionError):
        return say("it is nested too deep")
    return error.msg if isinstance(error, json.JSONDecodeError) else str(error)
