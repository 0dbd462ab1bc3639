"""The arguments of a job: what its function takes beside the context, checked, and made storable as JSON and back.

Types are those of the annotations: text, whole and other numbers, yes and no, dates and times, choices (Literal, Enum),
lists and mappings of these, and any of them or None. Without an annotation everything that JSON has is taken.
"""

from __future__ import annotations

import inspect
import json
import math
import types
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal, InvalidOperation
from enum import Enum
from functools import cache
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints
from uuid import UUID

from django.utils.translation import gettext_noop

from scheduling.errors import InvalidArguments
from staging.entities.values import is_storable
from staging.wording import say

LONGEST_ARGUMENTS = 65_536  # characters of JSON

_LARGEST = 2**63  # of a whole number, in either direction
_NONE = type(None)
# What a value must be, by the type that the annotation names.
EXPECTED: dict[Any, str] = {
    str: gettext_noop("text"),
    int: gettext_noop("a whole number"),
    float: gettext_noop("a number"),
    Decimal: gettext_noop("a decimal number"),
    bool: gettext_noop("true or false"),
    datetime: gettext_noop("an instant with its offset, like 2026-03-01T06:00:00+00:00"),
    date: gettext_noop("a date, like 2026-03-01"),
    time: gettext_noop("a time of day, like 06:30"),
    UUID: gettext_noop("a UUID"),
    Any: gettext_noop("a value that JSON has"),
    list: gettext_noop("a list"),
    dict: gettext_noop("a mapping with text as its keys"),
    _NONE: gettext_noop("nothing"),
}


class _Unfit(Exception):
    """A value is not of its type; `expected` says what it must be."""

    def __init__(self, expected: str):
        self.expected = expected


@dataclass(frozen=True)
class JobParameter:
    """One argument that a job takes; `annotation` is its type, `default` what it is when nobody gives it."""

    name: str
    annotation: Any
    is_required: bool
    default: Any = None

    @property
    def kinds(self) -> tuple[Any, ...]:
        """Return the types that it may have: several for a union."""
        return _members(self.annotation)

    @property
    def is_optional(self) -> bool:
        """Return whether it may be None."""
        return _NONE in self.kinds

    @property
    def choices(self) -> list[Any]:
        """Return the values it is chosen from, as JSON has them; none when it is free."""
        return [value for kind in self.kinds for value in _choices(kind)]


@cache
def parameters_of(function: Callable[..., Any]) -> tuple[JobParameter, ...]:
    """Return what a job takes beside its context, in its order. Raises TypeError for a type that cannot be stored."""
    _context, *others = inspect.signature(function).parameters.values()
    hints = _hints(function)
    found: list[JobParameter] = []
    for other in others:
        annotation = hints.get(other.name, Any)
        if other.kind not in (other.POSITIONAL_OR_KEYWORD, other.KEYWORD_ONLY):
            raise TypeError(say("{name} cannot be given by name; write it as a plain parameter.", name=other.name))
        if not _is_known(annotation):
            raise TypeError(
                say("{name} is of a type that cannot be stored; use text, numbers, dates or lists.", name=other.name)
            )
        is_required = other.default is other.empty
        found.append(JobParameter(other.name, annotation, is_required, None if is_required else other.default))
    return tuple(found)


def checked(function: Callable[..., Any], given: Mapping[str, Any], *, later: Collection[str] = ()) -> dict[str, Any]:
    """Return these arguments of a job as they are stored. Raises InvalidArguments with every fault by its name.

    Of those in `later` the value is not known yet, and not judged.
    """
    known = {parameter.name: parameter for parameter in parameters_of(function)}
    errors: dict[str, list[str]] = {}
    found: dict[str, Any] = {}
    for name, value in given.items():
        try:
            annotation = known[name].annotation
            found[name] = value if name in later else as_json(_read(value, annotation))
        except KeyError:
            names = ", ".join(known) or say("none")
            errors[str(name)] = [say("There is no argument {name!r}; it takes: {names}.", name=str(name), names=names)]
        except _Unfit as unfit:
            errors[name] = [_must_be(name, value, unfit.expected)]
    for name, parameter in known.items():
        if parameter.is_required and name not in given:
            errors[name] = [say("{name} is missing.", name=name)]
    if not errors and len(json.dumps(found)) > LONGEST_ARGUMENTS:
        text = say("The arguments are longer than {most:,} characters as JSON.", most=LONGEST_ARGUMENTS)
        raise InvalidArguments({"arguments": [text]})
    if errors:
        raise InvalidArguments(errors)
    return found


def restored(function: Callable[..., Any], stored: Mapping[str, Any]) -> dict[str, Any]:
    """Return stored arguments as the function's annotations name them.

    Raises InvalidArguments when the function takes others by now.
    """
    checked(function, stored)
    known = {parameter.name: parameter for parameter in parameters_of(function)}
    return {name: _read(value, known[name].annotation) for name, value in stored.items()}


def as_json(value: Any) -> Any:
    """Return a value as JSON has it; raises TypeError for one that JSON does not have."""
    if value is None or (isinstance(value, bool | int | float | str) and not isinstance(value, Enum)):
        return value
    if isinstance(value, Enum):
        return as_json(value.value)
    if isinstance(value, Decimal | UUID):
        return str(value)
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        return {key: as_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [as_json(item) for item in value]
    raise TypeError(type(value).__name__)


def _must_be(name: str, value: object, expected: str) -> str:
    shown = repr(value)
    shown = shown if len(shown) <= 80 else f"{shown[:79]}…"
    return say("{name} is {value}; it must be {expected}.", name=name, value=shown, expected=expected)


def _hints(function: Callable[..., Any]) -> dict[str, Any]:
    try:
        return get_type_hints(inspect.unwrap(function))
    except Exception:  # of the context, say, whose type is imported for the type checker only
        return _hints_one_by_one(function)


def _hints_one_by_one(function: Callable[..., Any]) -> dict[str, Any]:
    """Return the annotations that can be understood alone; the first one is the context's."""
    _context, *others = inspect.signature(function).parameters.values()
    names = vars(inspect.getmodule(function)) if inspect.getmodule(function) else {}
    found: dict[str, Any] = {}
    for other in others:
        if other.annotation is other.empty:
            continue
        holder = types.SimpleNamespace(__annotations__={other.name: other.annotation})
        try:
            found |= get_type_hints(holder, globalns=dict(names))
        except Exception:
            found[other.name] = object  # which is no type of an argument
    return found


def _members(annotation: Any) -> tuple[Any, ...]:
    """Return the types that an annotation allows."""
    if get_origin(annotation) in (Union, types.UnionType):
        return tuple(member for argument in get_args(annotation) for member in _members(argument))
    return (annotation,)


def _choices(kind: Any) -> list[Any]:
    if get_origin(kind) is Literal:
        return list(get_args(kind))
    return [member.value for member in kind] if _is_enum(kind) else []


def _is_enum(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, Enum)


def _is_known(annotation: Any) -> bool:
    """Return whether values of this type can be stored and read back."""
    for kind in _members(annotation):
        origin, inner = get_origin(kind), get_args(kind)
        is_list = origin is list and all(_is_known(each) for each in inner)
        is_mapping = origin is dict and inner[0] is str and _is_known(inner[1])
        is_choice = origin is Literal and all(isinstance(each, str | int | bool) for each in inner)
        is_plain = origin is None and (_is_enum(kind) or any(kind is known for known in EXPECTED))
        if not (is_list or is_mapping or is_choice or is_plain):
            return False
    return True


def _read(value: Any, annotation: Any) -> Any:
    """Return a value as its type has it, given as that or as JSON has it. Raises _Unfit."""
    kinds, expected = _members(annotation), ""
    for kind in kinds:
        try:
            return _read_one(value, kind)
        except _Unfit as unfit:
            expected = f"{expected}, {unfit.expected}".strip(", ")
    raise _Unfit(expected)


def _read_one(value: Any, kind: Any) -> Any:
    origin, inner = get_origin(kind), get_args(kind)
    if choices := _choices(kind):
        plain = value.value if isinstance(value, Enum) else value
        if not any(plain == each and type(plain) is type(each) for each in choices):
            raise _Unfit(say("one of {choices}", choices=", ".join(map(str, choices))))
        return kind(plain) if _is_enum(kind) else plain
    if kind is list or origin is list:
        if not isinstance(value, list | tuple):
            raise _Unfit(say(EXPECTED[list]))
        return [_read(item, inner[0] if inner else Any) for item in value]
    if kind is dict or origin is dict:
        if not isinstance(value, Mapping) or not all(isinstance(key, str) and is_storable(key) for key in value):
            raise _Unfit(say(EXPECTED[dict]))
        return {key: _read(item, inner[1] if inner else Any) for key, item in value.items()}
    try:
        return _READERS[kind](value)
    except (TypeError, ValueError, InvalidOperation, OverflowError):
        raise _Unfit(say(EXPECTED[kind])) from None


def _insist(holds: bool) -> None:
    """Raise ValueError when it does not hold."""
    if not holds:
        raise ValueError


def _text(value: Any) -> str:
    _insist(isinstance(value, str) and is_storable(value))
    return str(value)


def _whole(value: Any) -> int:
    _insist(isinstance(value, int) and not isinstance(value, bool) and abs(value) < _LARGEST)
    return int(value)


def _number(value: Any) -> float:
    _insist(isinstance(value, int | float | Decimal) and not isinstance(value, bool) and math.isfinite(value))
    return float(value)


def _decimal(value: Any) -> Decimal:
    _insist(isinstance(value, Decimal | int | str) and not isinstance(value, bool))
    found = Decimal(value)
    _insist(found.is_finite())
    return found


def _yes_no(value: Any) -> bool:
    _insist(isinstance(value, bool))
    return bool(value)


def _instant(value: Any) -> datetime:
    found = datetime.fromisoformat(value) if isinstance(value, str) else value
    _insist(isinstance(found, datetime) and found.tzinfo is not None)
    return found


def _date(value: Any) -> date:
    found = date.fromisoformat(value) if isinstance(value, str) else value
    _insist(isinstance(found, date) and not isinstance(found, datetime))
    return found


def _time(value: Any) -> time:
    found = time.fromisoformat(value) if isinstance(value, str) else value
    _insist(isinstance(found, time) and found.tzinfo is None)
    return found


def _uuid(value: Any) -> UUID:
    return value if isinstance(value, UUID) else UUID(_text(value))


def _nothing(value: Any) -> None:
    _insist(value is None)


def _anything(value: Any) -> Any:
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, float | Decimal):  # a fraction, as our API reads it
        return _number(value)
    if isinstance(value, Mapping):
        return _read_one(value, dict)
    if isinstance(value, list | tuple):
        return _read_one(value, list)
    _insist(value is None or isinstance(value, bool | int))
    return value


_READERS: dict[Any, Callable[[Any], Any]] = {
    str: _text,
    int: _whole,
    float: _number,
    Decimal: _decimal,
    bool: _yes_no,
    datetime: _instant,
    date: _date,
    time: _time,
    UUID: _uuid,
    _NONE: _nothing,
    Any: _anything,
}
