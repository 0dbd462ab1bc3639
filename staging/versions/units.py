"""One change, one version: collects what is saved of a thing until the change is whole, then writes its version.

A verb is one change (`as_one_change`): its version is written in its transaction. What is saved outside of any verb,
row by row, is one change for each transaction; its version follows right after.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Any, TypeVar, cast

from django.db import IntegrityError, transaction
from django.db.models import Model

from staging.models import Version
from staging.states import DoorKind, VersionKind
from staging.versions.difference import difference
from staging.versions.doers import Author, doer
from staging.versions.subjects import Content, Tracked, subject_of

_Verb = TypeVar("_Verb", bound=Callable[..., Any])
_TRIES = 3


class Unit:
    """The things that one change touched, each as it stood before; None for one that is new."""

    def __init__(self) -> None:
        self._before: dict[tuple[str, int], tuple[Tracked, Content | None]] = {}

    def touch(self, subject: Tracked, pk: int, *, is_new: bool = False) -> None:
        """Note that a thing is about to change; what was noted first stays."""
        key = subject.key, pk
        if key not in self._before:
            self._before[key] = subject, None if is_new else _content(subject, pk)

    def write(self, *, late: bool = False) -> None:
        """Write the version of each thing that really differs; `late`: a verb may have written of it meanwhile."""
        touched, self._before = self._before, {}
        for (_, pk), (subject, before) in touched.items():
            _write(subject, pk, before, late=late)

    def __call__(self) -> None:
        """Write after the commit of the transaction that changed them."""
        with transaction.atomic():
            self.write(late=True)


_unit: ContextVar[Unit | None] = ContextVar("unit", default=None)


@contextmanager
def one_change() -> Iterator[None]:
    """Let everything that is saved inside be one change; inside another it is a part of that one."""
    if _unit.get() is not None:
        yield
        return
    with transaction.atomic():
        unit = Unit()
        token = _unit.set(unit)
        try:
            yield
        finally:
            _unit.reset(token)
        unit.write()


def as_one_change(verb: _Verb) -> _Verb:
    """Make whatever a verb saves one change."""

    @wraps(verb)
    def changing(*args: Any, **kwargs: Any) -> Any:
        with one_change():
            return verb(*args, **kwargs)

    return cast(_Verb, changing)


def touch(thing: Model) -> None:
    """Note that a thing is about to change by a statement that no signal tells of: `update`, `bulk_create`."""
    subject = subject_of(type(thing))
    if subject is not None and thing.pk is not None:
        open_unit().touch(subject, thing.pk)


def open_unit() -> Unit:
    """Return the unit that what is saved now belongs to: that of a verb, else that of the transaction."""
    unit = _unit.get()
    if unit is not None:
        return unit
    connection = transaction.get_connection()
    waiting = (hook[1] for hook in reversed(connection.run_on_commit))
    found = next((hook for hook in waiting if isinstance(hook, Unit)), None)
    if found is None:
        found = Unit()
        if connection.in_atomic_block:
            transaction.on_commit(found, robust=True)
    return found


def _content(subject: Tracked, pk: int) -> Content | None:
    """Return a thing as it stands, None when it is not there; as JSON gives it back, so that contents compare."""
    row = subject.model._base_manager.filter(pk=pk).first()
    return None if row is None else cast(Content, json.loads(json.dumps(subject.read(row), default=str)))


def _write(subject: Tracked, pk: int, before: Content | None, *, late: bool) -> None:
    after = _content(subject, pk)
    if after == before:
        return
    last = Version.objects.filter(subject_type=subject.key, subject_id=pk).order_by("-number").first()
    if late and last is not None and last.kind != VersionKind.DELETED:
        if last.content == after:
            return
        before = last.content
    row = subject.model._base_manager.filter(pk=pk).first()
    name = str(row) if row is not None else (last.name if last else str(pk))
    made = [*_unseen(subject, pk, name, before, last), _told(subject, pk, name, before, after)]
    for number, version in enumerate(made, (last.number if last else 0) + 1):
        version.number = number
    _insert(made)
    if subject.tell is not None:
        subject.tell(made[-1], row, name)


def _told(subject: Tracked, pk: int, name: str, before: Content | None, after: Content | None) -> Version:
    """Return the version of what was done just now."""
    if before is None or after is None:
        kind = VersionKind.ADDED if before is None else VersionKind.DELETED
        return _version(subject, pk, name, kind, after or before or {}, [], doer())
    steps = difference(before, after, subject.words)
    return _version(subject, pk, name, VersionKind.CHANGED, after, steps, doer())


def _unseen(subject: Tracked, pk: int, name: str, before: Content | None, last: Version | None) -> Iterator[Version]:
    """Yield the version of what nobody told us: how the thing stood at first, or what came past all doors."""
    if before is None:
        return
    if last is None:
        yield _version(subject, pk, name, VersionKind.FOUND, before, [], Author())
    elif last.content != before:
        steps = difference(last.content, before, subject.words)
        yield _version(subject, pk, name, VersionKind.CHANGED, before, steps, Author(door=DoorKind.BESIDE))


def _version(
    subject: Tracked, pk: int, name: str, kind: VersionKind, content: Content, steps: list[Any], who: Author
) -> Version:
    of = {"subject_type": subject.key, "subject_id": pk, "name": name[:200]}
    return Version(**of, kind=kind, content=content, change=steps, **who.columns())


def _insert(versions: list[Version]) -> None:
    """Store versions; another change of the same thing at the same moment takes a number, and we the next."""
    for left in reversed(range(_TRIES)):
        try:
            with transaction.atomic():
                Version.objects.bulk_create(versions)
            return
        except IntegrityError:
            if not left:
                raise
            for version in versions:
                version.pk, version.number = None, version.number + 1
