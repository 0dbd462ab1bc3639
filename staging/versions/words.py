"""The words of a version: what a form calls each value and how it shows it, in the language of the reader."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db import models
from django.utils.text import capfirst

from staging.wording import said_together, say

ID = "id"
Shown = Callable[[Any], str]
_SECTION = re.compile(r"(\w+)\[\d+\](?:\.schedule)?(?:\.|$)")  # where a model file has what a version is all about
_PLACE = re.compile(r"(\w+)(?:\[(\d+)\]|\.(\d+)(?![^.]))?(?:\.(.+))?")  # `steps[1].queue`, or of a form `lines.1.value`


@dataclass(frozen=True)
class Words:
    """What the values of one content are called. `columns` names the column of the model that a key stands for.

    `labels` and `shown` say it otherwise than the column does. `parts`: the lists of parts, each with its own words
    and the function that gives a part its name; parts with the same name are the same part. `keys`: those that this
    release reads, parts included. `marked`: those of which only a mark is kept, for the value is a secret.
    `only_in_form`: lists of parts that a form has and a content does not; faults may name them.
    """

    model: type[models.Model] | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    labels: Mapping[str, Any] = field(default_factory=dict)
    shown: Mapping[str, Shown] = field(default_factory=dict)
    parts: Mapping[str, Parts] = field(default_factory=dict)
    only_in_form: Mapping[str, Parts] = field(default_factory=dict)
    keys: Collection[str] = ()
    marked: Collection[str] = ()

    def label(self, key: str) -> str:
        """Return what a form calls this key."""
        if key in self.labels:
            label = self.labels[key]
            return say(label) if isinstance(label, str) else str(label)
        column = self._column(key)
        return str(capfirst(column.verbose_name)) if column is not None else capfirst(key.replace("_", " "))

    def faults(self, errors: Mapping[str, Collection[str]], content: Mapping[str, Any]) -> str:
        """Return what is wrong with a content, each fault under what a form calls its field, and its part.

        The paths are those of a model file that has the content as its only section.
        """
        told = []
        for path, texts in errors.items():
            field = self._field(self._within(path.lstrip(".")), content)
            told += [say("{field}: {text}", field=field, text=text) if field else text for text in texts]
        return said_together(*told, by="; ")

    def _within(self, path: str) -> str:
        """Return a path of a model file without the section that it is in."""
        found = _SECTION.match(path)
        return path[found.end() :] if found and found[1] not in (*self.keys, *self.parts) else path

    def _field(self, path: str, content: Mapping[str, Any]) -> str:
        """Return what a form calls the place of a fault; what no form has is called as the file calls it."""
        found = _PLACE.fullmatch(path)
        lists = {**self.parts, **self.only_in_form}
        if found is None or found[1] not in (*self.keys, *lists):
            return path
        key, number, rest = found[1], found[2] or found[3], found[4]
        if (parts := lists.get(key)) is None or number is None:
            return self.label(key)
        listed = content.get(key) or ()
        part = listed[int(number)] if int(number) < len(listed) else {}
        name = parts.called(part) if part else str(int(number) + 1)
        told = say("{noun} {name}", noun=str(parts.noun), name=name)
        return say("{part}, {label}", part=told, label=parts.words._field(rest, part)) if rest else told

    def place(self, key: str) -> tuple[int, str]:
        """Return what sorts keys as a form shows them: those with a label of ours in its order, then the others."""
        known = list(self.labels)
        return (known.index(key) if key in self.labels else len(known)), key

    def text(self, key: str, value: Any) -> str:
        """Return a value as a form shows it; a key that a content leaves out holds its default."""
        if key in self.marked:
            return say("kept secret, mark {mark}", mark=value) if value else say("blank")
        column = self._column(key)
        if value is None and column is not None and not column.is_relation:
            value = column.get_default()
        if key in self.shown:
            return self.shown[key](value)
        if column is not None and column.choices and value not in (None, ""):
            value = dict(column.flatchoices).get(value, value)
        return plain(value)

    def _column(self, key: str) -> models.Field | None:
        if self.model is None:
            return None
        name = self.columns.get(key, key)
        of = self.model._meta
        found = {column.name: column for column in (*of.concrete_fields, *of.many_to_many)}
        return found.get(name)


@dataclass(frozen=True)
class Parts:
    """A list of parts in a content: what one is called, its name among the others, and the words of its values.

    A part with an `id` stays the same part under another name. `shown`: how a reader reads one whose name is all of it.
    """

    noun: Any
    name: Callable[[Mapping[str, Any]], str]
    words: Words
    shown: Callable[[Mapping[str, Any]], str] | None = None

    def key(self, part: Mapping[str, Any]) -> str:
        """Return what tells a part from the others of its list."""
        return str(part.get(ID) or self.name(part))

    def called(self, part: Mapping[str, Any]) -> str:
        """Return what a reader calls a part."""
        return self.shown(part) if self.shown is not None else self.name(part)


def plain(value: Any) -> str:
    """Return any plain value in words."""
    if isinstance(value, bool):
        return say("yes") if value else say("no")
    if value is None or value == "" or value == [] or value == {}:
        return say("blank")
    if isinstance(value, list | tuple):
        text = ", ".join(plain(item) for item in value)
    elif isinstance(value, Mapping):
        text = ", ".join(f"{name}: {plain(item)}" for name, item in value.items())
    else:
        text = str(value)
    return text
