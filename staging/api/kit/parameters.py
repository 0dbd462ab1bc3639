"""What an address takes after the question mark: each parameter declared, read and described; others are refused."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from staging.api.kit.problems import invalid
from staging.entities.values import is_storable
from staging.model_files.shape import did_you_mean
from staging.wording import say

MOST_ROWS = 1_000
USUAL_ROWS = 100
_YES, _NO = ("1", "true", "yes"), ("0", "false", "no")
_WORDS = 2_000
_MOST_AT_ONCE = "At most so many at once, up to {most:,}."


@dataclass(frozen=True)
class Parameter:
    """One parameter: `kind` is text, whole, flag or instant; `choices` are the only texts it takes."""

    name: str
    kind: str
    meaning: str
    example: Any = None
    choices: Sequence[str] = ()
    usual: Any = None
    least: int = 0
    most: int = 10**15

    def read(self, text: str) -> Any:
        """Return the value of a text. Raises ValueError with a sentence."""
        if not is_storable(text) or len(text) > _WORDS:
            raise ValueError(say("This holds a character that no database keeps, or is too long."))
        return _READERS[self.kind](self, text.strip())

    def schema(self) -> dict[str, Any]:
        """Return the parameter as OpenAPI describes it."""
        kinds: dict[str, dict[str, Any]] = {
            "text": {"type": "string"},
            "whole": {"type": "integer", "minimum": self.least, "maximum": self.most},
            "flag": {"type": "string", "enum": [*_YES, *_NO]},
            "instant": {"type": "string", "format": "date-time"},
        }
        described = kinds[self.kind]
        if self.choices:
            described = {"type": "string", "enum": list(self.choices)}
        usual = {} if self.usual is None else {"default": self.usual}
        shown = {} if self.example is None else {"example": self.example}
        return {"name": self.name, "in": "query", "description": self.meaning, "schema": described | usual} | shown


def limit(most: int = MOST_ROWS) -> Parameter:
    """Return the parameter of every list: how many at once."""
    return Parameter("limit", "whole", _MOST_AT_ONCE.format(most=most), 50, usual=USUAL_ROWS,
                     least=1, most=most)  # fmt: skip


CURSOR = Parameter("cursor", "text", "Where a page begins: take the addresses in `next` and `previous`.")
PAGED = (limit(), CURSOR)
MINE = Parameter("mine", "flag", "1: only what the account of the token, or a group of it, is responsible for.")


def read_parameters(declared: Iterable[Parameter], given: Any, *, others: bool = False) -> dict[str, Any]:
    """Return every declared parameter with its value; raises a problem for what is unknown, doubled or not of its kind.

    `others`: an address that knows more names than it can declare reads those itself.
    """
    known = {each.name: each for each in declared}
    found = {name: each.usual for name, each in known.items()}
    errors: dict[str, list[str]] = {}
    for name in given:
        texts = given.getlist(name)
        if name not in known:
            if not others:
                near = did_you_mean(name, known)
                errors[name] = [say("There is no parameter {name!r} here.{near}", name=name, near=near)]
        elif len(texts) > 1:
            errors[name] = [say("Give this once.")]
        else:
            try:
                found[name] = known[name].read(texts[0])
            except ValueError as error:
                errors[name] = [str(error)]
    if errors:
        raise invalid(errors)
    return found


def parse_instant(text: str) -> datetime:
    """Return an ISO-8601 instant in UTC. Raises ValueError with a sentence."""
    try:
        # A plus sign that was not escaped in an address arrives as a blank.
        instant = datetime.fromisoformat(text.replace(" ", "+") if "T" in text else text)
    except ValueError:
        raise ValueError(say("{text!r} is not an instant; write 2026-03-01T06:00:00Z.", text=text)) from None
    if instant.tzinfo is None:
        raise ValueError(say("{text!r} has no offset; write {text}Z for UTC.", text=text))
    try:
        return instant.astimezone(UTC)
    except OverflowError:
        raise ValueError(say("{text!r} is outside the calendar.", text=text)) from None


def _text(parameter: Parameter, text: str) -> str:
    if parameter.choices and text not in parameter.choices:
        told = say(
            "There is no {name} {text!r}; use {choices}.{near}",
            name=parameter.name,
            text=text,
            choices=", ".join(parameter.choices),
            near=did_you_mean(text, parameter.choices),
        )
        raise ValueError(told)
    return text


def _whole(parameter: Parameter, text: str) -> int:
    number = int(text) if text.isascii() and text.isdigit() and len(text) <= 18 else None
    if number is None or not parameter.least <= number <= parameter.most:
        told = say(
            "This must be a whole number from {least:,} to {most:,}.", least=parameter.least, most=parameter.most
        )
        raise ValueError(told)
    return number


def _flag(parameter: Parameter, text: str) -> bool:
    if text.lower() not in (*_YES, *_NO):
        raise ValueError(say("This must be 1 or 0."))
    return text.lower() in _YES


def _instant(parameter: Parameter, text: str) -> datetime:
    return parse_instant(text)


_READERS: Mapping[str, Any] = {"text": _text, "whole": _whole, "flag": _flag, "instant": _instant}
