"""Conditions of a step on what earlier steps gave: written in a line, judged from plain values.

"job Load: rows.new > 0" asks whether that job returned something like {"rows": {"new": 5}}. A condition never holds on
what is not there, nor on a value that cannot be compared with its own.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from staging.phrases import Phrase, marked, phrase

EXAMPLE = "job Load: rows.new > 0"
LIST = "job List: regions"
_THERE = "is not empty"

# How each comparison tells that it does not hold.
_UNMET = {
    "=": marked("{what} was {seen}, not {value}"),
    "!=": marked("{what} was {seen}"),
    "<": marked("{what} was {seen}, not less than {value}"),
    "<=": marked("{what} was {seen}, not {value} or less"),
    ">": marked("{what} was {seen}, not more than {value}"),
    ">=": marked("{what} was {seen}, not {value} or more"),
    "is empty": marked("{what} was {seen}, not empty"),
    "is not empty": marked("{what} was empty: {seen}"),
    "is one of": marked("{what} was {seen}, not one of {value}"),
}
COMPARISONS = tuple(_UNMET)
_ALSO_WRITTEN = {"≠": "!=", "<>": "!=", "==": "=", "≤": "<=", "≥": ">="}
_WITHOUT_VALUE = ("is empty", "is not empty")
_IN_ORDER = ("<", "<=", ">", ">=")

# Nothing here is tried in more than one way, however long a line is.
_IN_WORDS = r"is\s++(?:not\s++empty|empty|one\s++of)(?!\w)"
_LINE = re.compile(
    r'(?P<step>"(?:[^"\\]|\\.)*+"|.+?)'
    rf":\s*+(?P<path>(?:(?!{_IN_WORDS})[^\s:<>=!≠≤≥]*+)?)\s*+"
    rf"(?P<compares><>|<=|>=|!=|==|[=<>≠≤≥]|{_IN_WORDS})(?P<value>.*)",
    re.DOTALL,
)
_PATH = re.compile(r"([\w-]+(\.[\w-]+)*)?")
_LONGEST = 200  # characters of a path, a value, and the name of a step
_LONGEST_LINE = 2000
_SHOWN = 80
_NOTHING = object()


class InvalidCondition(ValueError):
    """A line that is no condition, or a condition that can never be asked."""


@dataclass(frozen=True)
class Condition:
    """What `step` gave, at `path`, `compares` with `value`: numbers, texts and booleans, each with its own kind only.

    A path is words joined by dots, through mappings and, by numbers from 0, lists; empty, it is all that was given.
    """

    step: str
    path: str
    compares: str
    value: Any = None  # a tuple for "is one of"

    @classmethod
    def of(cls, stored: Mapping[str, Any]) -> Condition:
        """Return a condition as `as_json` wrote it; what is not there is empty, for `fault` to tell."""
        value = stored.get("value")
        value = tuple(value) if isinstance(value, list) else value
        return cls(stored.get("step", ""), stored.get("path", ""), stored.get("is", ""), value)

    def as_json(self) -> dict[str, Any]:
        """Return it as JSON columns keep it."""
        document = {"step": self.step, "path": self.path, "is": self.compares}
        value = list(self.value) if isinstance(self.value, tuple) else self.value
        return document if self.compares in _WITHOUT_VALUE else document | {"value": value}

    @property
    def line(self) -> str:
        """Return it as people write it; `parsed` reads it again."""
        line = f"{self.step}: {self._asked}"
        found = _LINE.fullmatch(line)
        is_read_so = found is not None and (found["step"].strip(), found["path"]) == (self.step, self.path)
        is_plain = is_read_so and len(line.splitlines()) == 1 and not self.step.startswith('"')
        return line if is_plain else f"{_written(self.step)}: {self._asked}"

    @property
    def _asked(self) -> str:
        value = _listed(self.value) if isinstance(self.value, tuple) else _written(self.value)
        asked = f"{self.path} {self.compares}".strip()
        return asked if self.compares in _WITHOUT_VALUE else f"{asked} {value}"

    def fault(self) -> Phrase | None:
        """Return why this cannot be asked; None when it can."""
        texts = (self.step, self.path, *self._values)
        if self.compares not in COMPARISONS:
            return phrase(
                "{compares!r} is no comparison; write one of {known}.", compares=self.compares, known=_known()
            )
        if not _is_text(self.step) or not self.step:
            return phrase("A condition names a step, such as {example}.", example=EXAMPLE)
        if not _is_text(self.path) or not _PATH.fullmatch(self.path):
            return phrase("{path!r} is no path: write words joined by dots, such as rows.new.", path=self.path)
        if any(isinstance(text, str) and not (len(text) <= _LONGEST and _is_text(text)) for text in texts):
            return phrase("A condition has texts of at most {most} characters, which can be kept.", most=_LONGEST)
        if len(self.line) > _LONGEST_LINE:
            return phrase("A condition has at most {most} characters.", most=_LONGEST_LINE)
        return self._value_fault()

    def _value_fault(self) -> Phrase | None:
        if self.compares in _WITHOUT_VALUE:
            return None if self.value is None else phrase("Nothing comes after {compares}.", compares=self.compares)
        kinds = {_kind(value) for value in self._values}
        if not kinds or isinstance(self.value, tuple) != (self.compares == "is one of"):
            return phrase("A value comes after {compares}.", compares=self.compares)
        if "" in kinds:
            odd = next(value for value in self._values if not _kind(value))
            return phrase(
                "A condition compares with numbers, texts, true or false, not with {value}.", value=_shown(odd)
            )
        if self.compares in _IN_ORDER and "boolean" in kinds:
            return phrase("{compares} compares numbers and texts, not true or false.", compares=self.compares)
        return None

    @property
    def _values(self) -> tuple[Any, ...]:
        return self.value if isinstance(self.value, tuple) else () if self.value is None else (self.value,)


def parsed(line: str) -> Condition:
    """Return the condition that a line says. Raises InvalidCondition."""
    try:
        step, path, compares, text = _split(line)
    except ValueError:
        text = phrase("Write a condition like {example}. It compares by {known}.", example=EXAMPLE, known=_known())
        raise InvalidCondition(text) from None
    if compares == "is one of":
        found = Condition(step, path, compares, _several(text))
    else:
        found = Condition(step, path, compares, _value(text) if text else None)
    if fault := found.fault():
        raise InvalidCondition(fault)
    return found


def why_not(condition: Condition, given: Mapping[str, Any]) -> Phrase | None:
    """Return why a condition does not hold, as the part of a sentence; None when it holds.

    `given`: what steps gave, by their names; one that is not there gave nothing.
    """
    seen = _at(given.get(condition.step, _NOTHING), condition.path)
    if condition.step not in given:
        return phrase("{step} gave no value", step=condition.step)
    if seen is _NOTHING:
        return phrase("{step} gave no {path}", step=condition.step, path=condition.path)
    value = _listed(condition.value) if isinstance(condition.value, tuple) else _shown(condition.value)
    what = phrase("the result of {step}", step=condition.step)
    if condition.path:
        what = phrase("{path} of {step}", path=condition.path, step=condition.step)
    if condition.compares not in _WITHOUT_VALUE and _kind(seen) not in {_kind(each) for each in condition._values}:
        return phrase(
            "{what} was {seen}, which {value} is not compared with", what=what, seen=_shown(seen), value=value
        )
    if _holds(condition, seen):
        return None
    return phrase(_UNMET[condition.compares], what=what, seen=_shown(seen), value=value)


def place_of(line: str) -> Condition:
    """Return where a value stands that a line names: "job List: regions", or "job List" for all of it.

    It is a condition that asks for a value there. Raises InvalidCondition.
    """
    line = line if ":" in line or not line.strip() else f"{line}:"
    try:
        return parsed(f"{line} {_THERE}")
    except InvalidCondition:
        raise InvalidCondition(
            phrase("Write a step and where its list stands, like {example}.", example=LIST)
        ) from None


def place_line(stored: Mapping[str, Any]) -> str:
    """Return the line that `place_of` reads, of a step and a path."""
    return Condition(stored["step"], stored["path"], _THERE).line.removesuffix(_THERE).strip().removesuffix(":")


def value_at(value: Any, path: str) -> Any:
    """Return what stands at a path inside a value; None where nothing does."""
    found = _at(value, path)
    return None if found is _NOTHING else found


def seen_by(condition: Condition, given: Mapping[str, Any]) -> str | None:
    """Return the value that a condition looks at, as JSON; None where there is none."""
    seen = _at(given.get(condition.step, _NOTHING), condition.path)
    return None if seen is _NOTHING else _shown(seen)


def stored_conditions(stored: Iterable[Mapping[str, Any]] | str | None) -> tuple[Condition, ...]:
    """Return the conditions of a column, also where a driver gives its text."""
    found = json.loads(stored) if isinstance(stored, str) else stored
    return tuple(Condition.of(each) for each in found or ())


def _holds(condition: Condition, seen: Any) -> bool:
    """Compare what was seen with a value of its own kind."""
    value = condition.value
    match condition.compares:
        case "=":
            return bool(seen == value)
        case "!=":
            return bool(seen != value)
        case "<":
            return bool(seen < value)
        case "<=":
            return bool(seen <= value)
        case ">":
            return bool(seen > value)
        case ">=":
            return bool(seen >= value)
        case "is one of":
            return any(seen == each for each in value if _kind(each) == _kind(seen))
    is_empty = seen in ("", [], {}) or seen is None
    return is_empty == (condition.compares == "is empty")


def _split(line: str) -> tuple[str, str, str, str]:
    """Return the step, the path, the comparison and the text of the value. Raises ValueError."""
    found = _LINE.fullmatch(line.strip())
    if found is None or len(line) > _LONGEST_LINE:
        raise ValueError(line)
    step, path, compares, value = (found[name].strip() for name in ("step", "path", "compares", "value"))
    compares = " ".join(compares.split())
    if step.startswith('"'):
        with suppress(ValueError):
            step = json.loads(step)
    return step, path, _ALSO_WRITTEN.get(compares, compares), value


def _value(text: str) -> Any:
    """Return what a text says as JSON, or itself where that is no number, text or boolean."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return found if isinstance(found, str | bool | int | float) else text


def _several(text: str) -> tuple[Any, ...]:
    """Return the values of a list without its brackets."""
    try:
        found = json.loads(f"[{text}]")
    except (ValueError, RecursionError):
        found = [_value(each) for part in text.split(",") if (each := part.strip())]
    return tuple(found)


def _at(value: Any, path: str) -> Any:
    """Return what stands at a path inside a value."""
    for part in path.split(".") if path else ():
        if isinstance(value, Mapping) and part in value:
            value = value[part]
        elif isinstance(value, list) and part.isascii() and part.isdigit() and int(part) < len(value):
            value = value[int(part)]
        else:
            return _NOTHING
    return value


def _kind(value: Any) -> str:
    """Return what kind of value this is; empty for one that is compared with nothing."""
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "number" if isinstance(value, int) or math.isfinite(value) else ""
    return "text" if isinstance(value, str) else ""


def _written(value: Any) -> str:
    """Return a value as JSON on one line."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text.splitlines()) == 1 else json.dumps(value)


def _shown(value: Any) -> str:
    text = _written(value)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"


def _listed(values: Iterable[Any]) -> str:
    return ", ".join(map(_written, values))


def _known() -> str:
    return ", ".join(COMPARISONS)


def _is_text(value: Any) -> bool:
    """Return whether this is text that databases keep."""
    return isinstance(value, str) and "\0" not in value and not any("\ud800" <= each <= "\udfff" for each in value)
