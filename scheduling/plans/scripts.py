"""The rules of saved SQL scripts: values are parameters and nothing else, and every step gives each its value."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from scheduling.errors import InvalidPlan
from scheduling.models import SqlScript
from scheduling.plans.conditions import follow_renamed_script
from staging.versions.units import as_one_change
from staging.wording import say

# What a parameter takes, and how it is told; a day and a moment are written as text.
TYPES: dict[str, tuple[type, ...]] = {
    "text": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
}
_MARK = re.compile(r"%%|%\((\w+)\)s|%")
_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}", re.ASCII)


def script_errors(script: SqlScript) -> dict[str, list[str]]:
    """Return every fault of a script by field, empty when it can be saved."""
    errors: dict[str, list[str]] = {}
    if not script.name.strip() or "\n" in script.name:
        errors["name"] = [say("A script needs a name, on one line.")]
    elif SqlScript.objects.filter(name=script.name).exclude(pk=script.pk).exists():
        errors["name"] = [say("There is a script {script!r} already.", script=script.name)]
    if faults := _parameter_faults(script.parameters):
        return errors | {"parameters": faults}
    if faults := _text_faults(script.sql, script.parameters):
        errors["sql"] = faults
    if not 1 <= (script.timeout_seconds or 0) <= 86_400:
        errors["timeout_seconds"] = [say("Write a number of seconds from 1 to 86400.")]
    return errors


@as_one_change
def save_script(script: SqlScript) -> None:
    """Store a script, and its new name where conditions name its steps.

    Raises InvalidPlan with every fault, and then stores nothing.
    """
    if errors := script_errors(script):
        raise InvalidPlan(errors)
    before = SqlScript.objects.filter(pk=script.pk).values_list("name", flat=True).first()
    script.save()
    if before not in (None, script.name):
        follow_renamed_script(script, before)


def argument_errors(script: SqlScript, arguments: Mapping[str, Any]) -> list[str]:
    """Return what a step's values lack or have too much for the script's parameters."""
    if not isinstance(arguments, Mapping):
        return [say('Write the values like {{"region": "north"}}.')]
    faults: list[str] = [
        say("There is no parameter {name}.", name=name) for name in sorted(arguments.keys() - script.parameters.keys())
    ]
    for name, kind in script.parameters.items():
        value = arguments.get(name)
        if name not in arguments:
            faults.append(say("The parameter {name} needs a value ({kind}).", name=name, kind=kind))
        else:
            faults += value_faults(name, kind, value)
    return faults


Kinds = Mapping[str, tuple[type, ...]]


def value_faults(name: str, kind: str, value: Any, more: Kinds = MappingProxyType({})) -> list[str]:
    """Return what is wrong with the value of a parameter of this type; nothing is a value of every type.

    `more`: types besides those of scripts.
    """
    fits = isinstance(value, {**TYPES, **more}[kind]) and (kind == "boolean" or not isinstance(value, bool))
    if value is None or fits:
        return []
    return [
        say("The parameter {name} takes values of the type {kind}, not {value!r}.", name=name, kind=kind, value=value)
    ]


def declaration_faults(name: str, kind: Any, more: Kinds = MappingProxyType({})) -> list[str]:
    """Return what is wrong with the name and the type of a parameter; `more`: types besides those of scripts."""
    faults: list[str] = []
    if not _NAME.fullmatch(name):
        faults.append(say("{name!r} is no name for a parameter; use small letters, digits and _.", name=name))
    if not isinstance(kind, str) or kind not in {**TYPES, **more}:
        kinds = ", ".join([*TYPES, *more])
        faults.append(say("{name}: {kind!r} is not known; write one of {kinds}.", name=name, kind=kind, kinds=kinds))
    return faults


def _parameter_faults(parameters: Any) -> list[str]:
    """Return what is wrong with the declaration of the parameters."""
    if not isinstance(parameters, Mapping):
        return [say('Write the parameters like {{"region": "text"}}; they are {kinds}.', kinds=", ".join(TYPES))]
    return [text for name, kind in parameters.items() for text in declaration_faults(str(name), kind)]


def _text_faults(sql: str, parameters: Mapping[str, Any]) -> list[str]:
    """Return what is wrong with the text: empty, a percent sign by itself, names that do not match."""
    if not sql.strip():
        return [say("A script needs its statement.")]
    marks = [(found.group(), found.group(1)) for found in _MARK.finditer(sql)]
    used = {name for _, name in marks if name}
    faults: list[str] = (
        [say("A percent sign is written %%; a parameter %(name)s.")] if any(m == "%" for m, _ in marks) else []
    )
    faults += [
        say("%({name})s is no parameter of this script; declare it.", name=name)
        for name in sorted(used - parameters.keys())
    ]
    faults += [
        say("The parameter {name} is not used: %({name})s.", name=name) for name in sorted(parameters.keys() - used)
    ]
    return faults
