"""Which things have versions: how each is read as plain values, what counts as a part of it, and its way back.

To give a kind of thing versions is one line: `follow(Tracked(model, columns=…, read=…, words=…, go_back=…))`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Model

from staging.errors import CannotGoBack, InvalidDefinition
from staging.versions.releases import still_known
from staging.versions.words import Words

Content = dict[str, Any]
Names = Collection[tuple[type[Model], str, str]]  # the model, the column that names it, the name
Whose = Callable[[Any], Iterable[int | None]]
Parts = Mapping[type[Model], Whose]


@dataclass(frozen=True)
class Tracked:
    """One kind of thing that people define.

    `columns`: those of its own table that people set; a save of none of them is no change. `named_by`: the one by which
    the contents of others name it. `read` gives the whole of one as plain values. `parts`: models whose rows belong to
    one, with the keys of those they belong to. `links`: many-to-many tables, likewise by the row whose set changes.
    `owned`: the path to what has the owner of one, empty for itself; None for a kind that nobody owns.
    `go_back` makes a thing what a content says, through the rules of its door; raises StagingError. `tell` is told of
    every change. `needs`: permissions to go back to a content beyond that to change the thing; `names`: what it names
    that not everybody who sees the thing may see.
    """

    model: type[Model]
    columns: Collection[str]
    read: Callable[[Any], Content]
    words: Words
    go_back: Callable[[Any, Content], None]
    parts: Parts = field(default_factory=dict)
    links: Parts = field(default_factory=dict)
    tell: Callable[[Any, Any, str], None] | None = None
    needs: Callable[[Content], Collection[str]] | None = None
    names: Callable[[Content], Names] | None = None
    named_by: str = "name"
    owned: str | None = None

    def restore(self, thing: Any, content: Content) -> None:
        """Make a thing what a content says, as far as this release knows what it holds; raises StagingError."""
        known = still_known(content, self.words)
        try:
            self.go_back(thing, known)
        except InvalidDefinition as error:
            raise CannotGoBack(self.words.faults(error.errors, known)) from error

    @property
    def key(self) -> str:
        """Return what versions call this kind of thing."""
        return self.model._meta.label_lower


@dataclass(frozen=True)
class Mention:
    """A column, or a many-to-many set, by which things of one kind name others in their contents."""

    subject: Tracked
    model: type[Model]
    column: str
    to: type[Model]
    whose: Whose


_OF_MODEL: dict[type[Model], Tracked] = {}
_OF_PART: dict[type[Model], list[tuple[Tracked, Whose]]] = {}
_OF_LINK: dict[type[Model], list[tuple[Tracked, Whose]]] = {}
_TO_MODEL: dict[type[Model], list[Mention]] = {}


def register(subject: Tracked) -> None:
    """Give things of this kind versions."""
    _OF_MODEL[subject.model] = subject
    for known, models in ((_OF_PART, subject.parts), (_OF_LINK, subject.links)):
        for model, whose in models.items():
            known.setdefault(model, []).append((subject, whose))
    for mention in mentions(subject):
        _TO_MODEL.setdefault(mention.to, []).append(mention)


def mentions(subject: Tracked) -> Iterator[Mention]:
    """Yield what things of this kind name: found in the tables, so that no new column can be forgotten."""
    for model, whose in {subject.model: _itself, **subject.parts}.items():
        for column in model._meta.get_fields():
            to, through = column.related_model, getattr(column.remote_field, "through", None)
            if not column.concrete or not isinstance(to, type):
                continue
            if through is not None:
                if through in subject.links:
                    yield Mention(subject, model, column.name, to, subject.links[through])
            elif model is not subject.model or column.name in subject.columns:
                yield Mention(subject, model, column.name, to, whose)


def _itself(row: Model) -> list[int | None]:
    return [row.pk]


def subject_of(model: type[Model]) -> Tracked | None:
    """Return what is known of a kind of thing; None for one without versions."""
    return _OF_MODEL.get(model)


def subjects() -> list[Tracked]:
    """Return every kind of thing that has versions."""
    return list(_OF_MODEL.values())


def concerned(row: Model, written: Collection[str] | None) -> list[tuple[Tracked, int]]:
    """Return the things that a save of a row changes; `written`: the columns that are saved, None for all of them."""
    found: list[tuple[Tracked, int]] = []
    own = _OF_MODEL.get(type(row))
    if own is not None and row.pk is not None and (written is None or not own.columns or set(written) & {*own.columns}):
        found.append((own, row.pk))
    for subject, whose in _OF_PART.get(type(row), ()):
        found += [(subject, pk) for pk in whose(row) if pk is not None]
    return found


def linked(through: type[Model], row: Model) -> list[tuple[Tracked, int]]:
    """Return the things that a change of a many-to-many set of this row changes."""
    return [(subject, pk) for subject, whose in _OF_LINK.get(through, ()) for pk in whose(row) if pk is not None]


def in_set(through: type[Model], model: type[Model], member: Model) -> Iterable[Model]:
    """Return the rows of a model that have this member in a many-to-many set of theirs."""
    sets = (column.name for column in model._meta.many_to_many if column.remote_field.through is through)
    return model._base_manager.filter(**{next(sets): member.pk})


def mentioning(row: Model) -> list[tuple[Tracked, int]]:
    """Return the things that name this one: its end, or another name, changes what they say."""
    return [
        (mention.subject, pk)
        for mention in _TO_MODEL.get(type(row), ())
        for each in mention.model._base_manager.filter(**{mention.column: row.pk})
        for pk in mention.whose(each)
        if pk is not None
    ]


def is_renamed(row: Model, written: Collection[str] | None) -> bool:
    """Return whether a save gives a thing that others name another name; `written` as in `concerned`."""
    subject = _OF_MODEL.get(type(row))
    if subject is None or row.pk is None or type(row) not in _TO_MODEL:
        return False
    name = subject.named_by
    if written is not None and name not in written:
        return False
    return not type(row)._base_manager.filter(pk=row.pk, **{name: getattr(row, name)}).exists()
