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
from operator import itemgetter
from typing import Any, TypeVar, cast

from django.db import IntegrityError, transaction
from django.db.models import Model, QuerySet

from staging.models import Version
from staging.states import DoorKind, VersionKind
from staging.versions.difference import difference
from staging.versions.doers import Author, doer
from staging.versions.subjects import Content, Tracked, subject_of

_Verb = TypeVar("_Verb", bound=Callable[..., Any])
_TRIES = 30  # each that fails has waited for somebody else to commit a version of the same thing


class Unit:
    """The things that one change touched, each as it stood before; None for one that is new."""

    def __init__(self) -> None:
        self._before: dict[tuple[str, int], tuple[Tracked, int, Content | None]] = {}

    def touch(self, subject: Tracked, pk: int, *, is_new: bool = False) -> None:
        """Note that a thing is about to change; what was noted first stays."""
        key = subject.key, pk
        if key not in self._before:
            if (waiting := _waiting()) is not None and waiting is not self:
                waiting.write(key)  # what code saved before it called the verb is a change of its own
            # The number first: whoever changes the thing between the two reads has made a version that comes after it.
            known = 0 if is_new else _newest(subject, pk).values_list("number", flat=True).first() or 0
            self._before[key] = subject, known, None if is_new else _stands(subject, pk)[1]

    def write(self, only: tuple[str, int] | None = None) -> None:
        """Write the version of each thing that really differs, in one order everywhere: nobody waits in a circle.

        Written again, it writes what differs since; or all of it, when the first time was rolled back. `only`: of one.
        """
        for key, (subject, known, before) in sorted(self._before.items(), key=itemgetter(0)):
            if only in (None, key):
                _write(subject, key[1], known, before)

    def __call__(self) -> None:
        """Write after the commit of the transaction that changed them."""
        with transaction.atomic():
            self.write()


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
    found = _waiting()
    if found is None:
        found = Unit()
        if transaction.get_connection().in_atomic_block:
            transaction.on_commit(found, robust=True)
    return found


def _waiting() -> Unit | None:
    """Return the unit of what was saved in this transaction outside of any verb."""
    hooks = (hook[1] for hook in reversed(transaction.get_connection().run_on_commit))
    return next((hook for hook in hooks if isinstance(hook, Unit)), None)


def _newest(subject: Tracked, pk: int) -> QuerySet[Version]:
    return Version.objects.filter(subject_type=subject.key, subject_id=pk).order_by("-number")


def _stands(subject: Tracked, pk: int) -> tuple[Model | None, Content | None]:
    """Return a thing and its content, None when it is not there; as JSON gives it back, so that contents compare."""
    row = subject.model._base_manager.filter(pk=pk).first()
    return row, None if row is None else cast(Content, json.loads(json.dumps(subject.read(row), default=str)))


def _write(subject: Tracked, pk: int, known: int, before: Content | None) -> None:
    """Write what differs; when somebody else stored a version at the same moment, what differs from theirs."""
    for left in reversed(range(_TRIES)):
        last = _newest(subject, pk).first()  # first: what comes after it and is read below takes its number, too
        row, after = _stands(subject, pk)
        if last is not None and last.number > known:
            before = None if last.kind == VersionKind.DELETED else last.content
        if after == before:
            return
        name = str(row) if row is not None else (last.name if last else str(pk))
        made = [*_unseen(subject, pk, name, before, last), _told(subject, pk, name, before, after)]
        for number, version in enumerate(made, (last.number if last else 0) + 1):
            version.number = number
        try:
            with transaction.atomic():
                Version.objects.bulk_create(made)
        except IntegrityError:
            if not left:
                raise
        else:
            if subject.tell is not None:
                subject.tell(made[-1], row, name)
            return


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
