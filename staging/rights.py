"""Who may do what, and for which entities: the one rule that pages, lists, exports, the API and tokens ask.

A group may be limited to named entities (`GroupRole`). Its permissions then count for things of these entities only.
What belongs to no entity (a job, a queue, a calendar, a script, a token, a new entity) needs its permission for all
of them, also to be seen; what belongs to several (a plan, a run) needs it for each of them. A permission of a person's
own counts for everything, and so does one from a group without a limit.

`Entities` says how far somebody reaches: the ids of entities, or None for all of them and for what is of none.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Protocol, TypeVar

from django.apps import apps
from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.models import Permission, User
from django.core.exceptions import FieldDoesNotExist
from django.db.models import Case, CharField, Func, Model, OuterRef, QuerySet, Subquery, Value, When
from django.db.models.functions import Cast, Coalesce, Concat

from staging.models import Entity, GroupRole
from staging.sql.compose import FixedQuery

Entities = frozenset[int] | None
_NONE: frozenset[int] = frozenset()
_TEXT: CharField = CharField()
_GIVEN, _BETWEEN = "given_permissions", "\n"  # on a person, the text of them; what stands between two
_Rows = TypeVar("_Rows", bound=QuerySet[Any])


class Person(Protocol):
    """Somebody with permissions: a user, or nobody who is signed in."""

    @property
    def is_active(self) -> Any:
        """Return whether the account is switched on."""

    @property
    def is_superuser(self) -> Any:
        """Return whether it may everything."""


@dataclass(frozen=True)
class Held:
    """The permissions of one person: those that count for everything, and those of named entities with these.

    `own`: those for everything that were given to the person, not to a group.
    """

    everywhere: frozenset[str] = frozenset()
    limited: dict[str, frozenset[int]] = field(default_factory=dict)
    own: frozenset[str] = frozenset()

    def reach(self, permission: str) -> Entities:
        """Return for which entities this permission is held."""
        return None if permission in self.everywhere else self.limited.get(permission, _NONE)


class EntityRights(ModelBackend):
    """Django's permissions, with `obj`: whether one is held for this thing; without: whether for anything at all."""

    def get_user(self, user_id: int) -> User | None:
        """Return the person of a session, with everything that was given: each page asks for both."""
        person = _PERSON.first(user_id)
        return person if person is not None and self.user_can_authenticate(person) else None

    def get_user_permissions(self, user_obj: Any, obj: Model | None = None) -> set[str]:
        """Return what the person was given by name: it counts for every thing."""
        if user_obj.is_superuser:
            return set(super().get_user_permissions(user_obj))
        return set(held_by(user_obj).own)

    def get_group_permissions(self, user_obj: Any, obj: Model | None = None) -> set[str]:
        """Return what the person holds for this thing, or for anything, by groups or by name."""
        if user_obj.is_superuser:
            return set(super().get_group_permissions(user_obj))
        held = held_by(user_obj)
        return set(held.everywhere) | {
            one for one, ids in held.limited.items() if (bool(ids) if obj is None else covers(ids, obj))
        }

    def get_all_permissions(self, user_obj: Any, obj: Model | None = None) -> set[str]:
        """Return everything that is held for this thing, or for anything."""
        if obj is None:
            return set(super().get_all_permissions(user_obj))
        return self.get_group_permissions(user_obj, obj)

    def has_perm(self, user_obj: Any, perm: str, obj: Model | None = None) -> bool:
        """Return whether this permission is held for this thing, or for anything."""
        if obj is None:
            return super().has_perm(user_obj, perm)
        return covers(reach(user_obj, perm), obj)


def reach(person: Person, *needed: str) -> Entities:
    """Return the entities for which a person has all of these permissions; asked of the database once a request."""
    if person.is_active and person.is_superuser:
        return None
    held = held_by(person)
    return common(held.reach(one) for one in needed)


def common(several: Iterable[Entities]) -> Entities:
    """Return the entities that are in all of these."""
    named = [each for each in several if each is not None]
    return frozenset.intersection(*named) if named else None


def either(several: Iterable[Entities]) -> Entities:
    """Return the entities that are in one of these."""
    found: frozenset[int] = _NONE
    for each in several:
        if each is None:
            return None
        found |= each
    return found


def may_no_more(person: Any, *, than: Any) -> bool:
    """Return whether a person may nothing that the other may not, for no other entity."""
    for permission in person.get_all_permissions():
        own, other = reach(person, permission), reach(than, permission)
        if other is not None and (own is None or not own <= other):
            return False
    return True


def is_limited(person: Any) -> bool:
    """Return whether a person holds anything for named entities only."""
    return not person.is_superuser and bool(held_by(person).limited)


def covers(ids: Entities, thing: Model) -> bool:
    """Return whether a thing is of these entities, with all of its work where it has some."""
    if ids is None or not ids:
        return ids is None
    if isinstance(thing, Entity):
        return thing.pk in ids
    rows = type(thing)._default_manager.all()
    if hasattr(rows, "of_entities"):
        return rows.of_entities(ids).filter(pk=thing.pk).exists()
    return getattr(thing, "entity_id", None) in ids


def visible(rows: _Rows, ids: Entities) -> _Rows:
    """Return those rows that are of these entities; of a kind that belongs to none: none, unless they are all.

    A kind that belongs to several entities says itself which of its rows these are: `of_entities` of its rows.
    """
    if ids is None:
        return rows
    if hasattr(rows, "of_entities"):
        return rows.of_entities(ids)
    path = _path(rows.model)
    return rows.filter(**{f"{path}__in": ids}) if path else rows.none()


def held_by(person: Any) -> Held:
    """Return what a person holds; one statement, two where groups are limited, and only once for one object."""
    if not person.is_active or person.is_anonymous:
        return Held()
    if not hasattr(person, "_held_rights"):
        person._held_rights = _read(person)
    found: Held = person._held_rights
    return found


def with_given(rows: _Rows, person: str) -> _Rows:
    """Add, as `given_permissions`, what was given to the person in this column; for `bring`."""
    return rows.annotate(**{_GIVEN: _given_to(person)})


def bring(person: Any, given: str) -> None:
    """Let a person have along what was read with them, so that nobody has to ask for it."""
    setattr(person, _GIVEN, given)


def belongs_to_entities(permission: str) -> bool:
    """Return whether a permission is about things of entities, so that it can be held for some of them."""
    app, _, codename = permission.partition(".")
    return (app, codename) in _of_entities()


def _read(person: Any) -> Held:
    rows = _given(person)
    own = frozenset(permission for permission, group, _ in rows if group is None)
    everywhere = frozenset(permission for permission, _, is_limited_by in rows if not is_limited_by)
    limits = _limits({group for _, group, is_limited_by in rows if group is not None and is_limited_by})
    limited: dict[str, frozenset[int]] = {}
    for permission, group, is_limited_by in rows:
        if is_limited_by and group is not None and belongs_to_entities(permission) and permission not in everywhere:
            limited[permission] = limited.get(permission, _NONE) | limits[group]
    return Held(everywhere, limited, own)


def _given(person: Any) -> list[tuple[str, int | None, bool]]:
    """Return each permission with the group that gives it, None for the person, and whether it is limited by entities.

    Who signed in brings it along; of others it is asked: one statement. Whose account is gone was given nothing.
    """
    if not hasattr(person, _GIVEN):
        bring(person, getattr(_PERSON.first(person.pk), _GIVEN, ""))
    parts = [each.rsplit(":", 2) for each in getattr(person, _GIVEN).split(_BETWEEN) if each]
    return [(permission, int(group) if group else None, bool(limited)) for permission, group, limited in parts]


def _given_to(person: str) -> Any:
    """Return, as a column, the text of all that a person was given: a line "app.codename:group:limited" for each.

    A permission may have a colon or a blank in its name, if not one of ours.
    """
    own = Permission.objects.filter(user=OuterRef(person)), Value("::")
    limited = Case(When(group__entity_role__all_entities=False, then=Value("yes")), default=Value(""))
    of_group = Concat(Value(":"), Cast("group", _TEXT), Value(":"), limited, output_field=_TEXT)
    by_groups = Permission.objects.filter(group__user=OuterRef(person)), of_group
    name, between = ("content_type__app_label", Value("."), "codename"), Value(_BETWEEN)
    lines = ((rows.order_by(), Concat(*name, end, output_field=_TEXT)) for rows, end in (own, by_groups))
    texts = [Coalesce(Subquery(rows.values(text=_Listed(line, between))), Value("")) for rows, line in lines]
    return Concat(texts[0], between, texts[1], output_field=_TEXT)


# Somebody with everything that was given: what each of their requests begins with.
_PERSON: FixedQuery[User] = FixedQuery(lambda pk: with_given(User.objects.all(), "pk").filter(pk=pk), int)


class _Listed(Func):
    """All of a column in one text, with another between."""

    function = "STRING_AGG"
    output_field = _TEXT

    def as_sqlite(self, compiler: Any, connection: Any, **extra: Any) -> Any:
        """Call it as SQLite does."""
        return self.as_sql(compiler, connection, function="GROUP_CONCAT", **extra)


def _limits(groups: Collection[int]) -> dict[int, frozenset[int]]:
    """Return the entities of limited groups."""
    found = {group: set[int]() for group in groups}
    pairs = GroupRole.objects.filter(group__in=groups).values_list("group", "entities") if groups else ()
    for group, entity in pairs:
        if entity is not None:
            found[group].add(entity)
    return {group: frozenset(ids) for group, ids in found.items()}


@cache
def _of_entities() -> frozenset[tuple[str, str]]:
    """Return which permissions of which app are about things of entities.

    A model may say otherwise of single ones of its own in `PER_ENTITY`.
    """
    found = set()
    for model in apps.get_models():
        options, said = model._meta, getattr(model, "PER_ENTITY", {})
        stock = (f"{verb}_{options.model_name}" for verb in options.default_permissions)
        for codename in (*stock, *(codename for codename, _ in options.permissions)):
            if said.get(codename, bool(_path(model))):
                found.add((options.app_label, codename))
    return frozenset(found)


def _path(model: type[Model]) -> str:
    """Return the way from a model to its entity; empty for one that belongs to none."""
    if model is Entity:
        return "pk"
    if hasattr(model._default_manager.all(), "of_entities"):
        return "pk"
    try:
        model._meta.get_field("entity")
    except FieldDoesNotExist:
        return ""
    return "entity"
