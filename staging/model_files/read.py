"""Reads a model file as plain data, so that every value means what it looks like and no file can harm."""

import json
import re
from decimal import Decimal
from pathlib import Path
from typing import Any

import yaml

from staging.errors import InvalidDefinition
from staging.wording import say

MAX_BYTES = 5_000_000
_MAX_DEPTH = 30


class _Loader(yaml.CSafeLoader):
    """YAML with fewer surprises: `12:30`, `no` and `2026-01-31` are the texts they look like, fractions are exact."""

    yaml_implicit_resolvers: dict[str, list[Any]] = {}

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        """Return the mapping; a key that is there twice is refused, where YAML would quietly take the last."""
        seen: set[str] = set()
        for key, _ in node.value:
            if not isinstance(key.value, str):
                raise yaml.constructor.ConstructorError(None, None, say("a key must be text"), key.start_mark)
            if key.value in seen:
                raise yaml.constructor.ConstructorError(
                    None, None, say("key {key!r} is there twice", key=key.value), key.start_mark
                )
            seen.add(key.value)
        return super().construct_mapping(node, deep)


for _tag, _pattern, _first in (
    ("null", r"^(~|null|)$", ["~", "n", ""]),
    ("bool", r"^(true|false)$", list("tf")),
    ("int", r"^[-+]?(0|[1-9][0-9]*)$", list("-+0123456789")),
    ("float", r"^[-+]?[0-9]+\.[0-9]+$", list("-+0123456789")),
):
    _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(_pattern, re.ASCII), _first)


def _fraction(loader: _Loader, node: yaml.ScalarNode) -> Decimal:
    return Decimal(str(loader.construct_scalar(node)))


_Loader.add_constructor("tag:yaml.org,2002:float", _fraction)


def read_file(path: Path) -> Any:
    """Return the content of a model file as plain data; `.json` is JSON, anything else YAML.

    Fractions come as Decimal, dates and times as text. Raises InvalidDefinition for a file that is missing, larger
    than 5 MB, not UTF-8 or not well-formed, or that uses YAML's anchors.
    """
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise _refused(say("The file cannot be read: {strerror}.", strerror=error.strerror)) from error
    if len(content) > MAX_BYTES:
        raise _refused(say("The file is larger than {limit} MB.", limit=MAX_BYTES // 1000000))
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _refused(say("The file is not UTF-8 text.")) from error
    return parse_json(text) if path.suffix == ".json" else parse_yaml(text)


def parse_yaml(text: str) -> Any:
    """Return YAML text as plain data; raises InvalidDefinition as `read_file` does."""
    try:
        _check_events(text)
        return yaml.load(text, Loader=_Loader)  # noqa: S506 (a safe loader, only stricter)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        place = say(", line {line}, column {column}", line=mark.line + 1, column=mark.column + 1) if mark else ""
        raise _refused(
            say("The file is not YAML{place}: {problem}.", place=place, problem=error.problem or error.context)
        ) from error
    except (yaml.YAMLError, ValueError) as error:
        raise _refused(say("The file is not YAML: {problem}.", problem=str(error).splitlines()[0])) from error


def parse_json(text: str) -> Any:
    """Return JSON text as plain data; raises InvalidDefinition as `read_file` does."""
    try:
        return load_json(text)
    except json.JSONDecodeError as error:
        raise _refused(
            say(
                "The file is not JSON, line {line}, column {column}: {problem}.",
                line=error.lineno,
                column=error.colno,
                problem=error.msg,
            )
        ) from error
    except (ValueError, RecursionError) as error:
        raise _refused(say("The file is not JSON: {error}.", error=error)) from error


def load_json(text: str) -> Any:
    """Return JSON text as plain data, fractions as Decimal; raises ValueError or RecursionError for what is none."""
    return json.loads(text, parse_float=Decimal, parse_constant=_no_constant, object_pairs_hook=_no_twice)


def _check_events(text: str) -> None:
    """Refuse anchors, which let a small file grow without end, and nesting that would exhaust the stack."""
    depth = 0
    for event in yaml.parse(text, Loader=yaml.CSafeLoader):
        if isinstance(event, yaml.AliasEvent):
            raise _stopped(say("anchors are not accepted, write it out"), event)
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > _MAX_DEPTH:
            raise _stopped(say("nested too deep"), event)


def _stopped(why: str, event: yaml.Event) -> InvalidDefinition:
    line = say(", line {line}", line=event.start_mark.line + 1) if event.start_mark else ""
    return _refused(say("The file is not accepted{line}: {why}.", line=line, why=why))


def _no_constant(name: str) -> None:
    raise ValueError(say("{name} is no number", name=name))


def _no_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(say("key {keys!r} is there twice", keys=next(key for key in keys if keys.count(key) > 1)))
    return found


def _refused(text: str) -> InvalidDefinition:
    return InvalidDefinition({"file": [text]})
