"""Reads the versions of a thing and tells them: how each came about, what it changed, and what it holds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Model, Q, QuerySet

from staging.models import Version, mine
from staging.rights import is_limited, reach, visible
from staging.states import DoorKind, VersionKind
from staging.versions.difference import Step, WordedChange, in_words, summary
from staging.versions.subjects import Tracked, subjects
from staging.versions.words import ID, Words
from staging.wording import said_together, say

_MOST_LINES = 20


@dataclass(frozen=True)
class Told:
    """One version as a page shows it, with the number of the one before.

    `is_hidden`: it speaks of what its reader may not see.
    """

    version: Version
    how: str
    lines: list[WordedChange]
    more: int
    earlier: int | None
    is_hidden: bool = False


def versions_of(subject: Tracked, pk: int) -> QuerySet[Version]:
    """Return the versions of a thing, newest first."""
    return Version.objects.filter(subject_type=subject.key, subject_id=pk).order_by("-number")


def of_what_is_mine(person: Any) -> Q:
    """Return the condition that a version is of a thing that a person, or one of his groups, owns now."""
    found = Q(pk__in=())
    for subject in subjects():
        if subject.owned is not None:
            own = subject.model._default_manager.filter(mine(person, subject.owned))
            found |= Q(subject_type=subject.key, subject_id__in=own.order_by().values("pk"))
    return found


def told(subject: Tracked, version: Version, person: Any, before: Version | None) -> Told:
    """Return a version in the words of the reader; `before` is the one that it changed."""
    hidden = not (sees(person, subject, version) and (before is None or sees(person, subject, before)))
    lines = [] if hidden else in_words(version.change, subject.words, _MOST_LINES)
    more = max(len(version.change) - _MOST_LINES, 0)
    return Told(version, how(version), lines, more, before.number if before is not None else None, hidden)


def how(version: Version) -> str:
    """Return who made a version and through which door."""
    detail = version.detail
    if version.kind == VersionKind.FOUND:
        return say("as it was when its history began")
    ways = {
        DoorKind.PAGE: say("on a page"),
        DoorKind.FILE: _from_a_file(version),
        DoorKind.API: say("through the API with the token {token}", token=detail) if detail else say("through the API"),
        DoorKind.COMMAND: say("by the command {command}", command=detail),
        DoorKind.CODE: say("by code"),
        DoorKind.BESIDE: say("past all doors, in the table itself"),
    }
    by, way = version.made_by, ways.get(DoorKind(version.door), "") if version.door in DoorKind else version.door
    return say("{by}, {way}", by=by, way=way) if by else str(way)


def _from_a_file(version: Version) -> str:
    file = (
        say("from a model file, release {release}", release=version.detail)
        if version.detail
        else say("from a model file")
    )
    return say("{file}, sent with the token {token}", file=file, token=version.token) if version.token else file


def change_told(change: Sequence[Step], door: str, words: Words) -> dict[str, str]:
    """Return what a sentence about a change has of it, in the active language: what it was, and its door."""
    return {"what": summary(change, words), "door": str(DoorKind(door).label)}


def changes_told(keys: Iterable[int]) -> dict[int, dict[str, str]]:
    """Return the same of versions, by their keys, as far as they are kept; one statement, and none for no keys."""
    wanted, known = set(keys), {subject.key: subject.words for subject in subjects()}
    found = Version.objects.filter(pk__in=wanted, subject_type__in=known) if wanted else Version.objects.none()
    rows = found.order_by().values_list("pk", "subject_type", "change", "door")
    return {pk: change_told(change, door, known[kind]) for pk, kind, change, door in rows}


def sees(person: Any, subject: Tracked, version: Version) -> bool:
    """Return whether somebody may see all that a version names."""
    if subject.names is None or not is_limited(person):
        return True
    wanted: dict[tuple[type[Model], str], set[str]] = {}
    for model, column, name in subject.names(version.content):
        wanted.setdefault((model, column), set()).add(name)
    return all(_sees_all(person, model, column, names) for (model, column), names in wanted.items())


def _sees_all(person: User, model: type[Model], column: str, names: set[str]) -> bool:
    options = model._meta
    rows: QuerySet[Any] = model._default_manager.filter(**{f"{column}__in": names})
    seen = visible(rows, reach(person, f"{options.app_label}.view_{options.model_name}"))
    return set(seen.values_list(column, flat=True)) == names


def holds(content: Mapping[str, Any], words: Words) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Return a content in words: its own values, and its parts, each as what it is called and its values."""
    own = [(words.label(key), words.text(key, value)) for key, value in content.items() if key not in words.parts]
    of_parts = [
        (str(say("{noun} {name}", noun=str(parts.noun), name=parts.name(part))), _values(part, parts.words))
        for key, parts in words.parts.items()
        for part in content.get(key) or ()
    ]
    return own, of_parts


def _values(part: Mapping[str, Any], words: Words) -> str:
    each = (
        say("{label}: {value}", label=words.label(key), value=words.text(key, value))
        for key, value in part.items()
        if key not in (ID, "name")
    )
    return str(said_together(*each, by="; "))
