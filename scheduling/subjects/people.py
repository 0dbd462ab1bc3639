"""Groups with their role, and people with their groups, as versions: who may do what since when, and by whom."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import Group, Permission, User
from django.utils.translation import gettext_lazy as _

from scheduling.errors import InvalidSchedule
from scheduling.housekeeping.roles import is_one_of_the_four, set_role
from scheduling.subjects.telling import in_words, told_missing
from staging.models import Entity, GroupRole
from staging.states import Role
from staging.versions.subjects import Content, Tracked
from staging.versions.words import Words
from staging.wording import say

_FLAGS = ("username", "is_active", "is_staff", "is_superuser")


def _permissions(rows: Any) -> list[str]:
    return sorted(f"{app}.{name}" for app, name in rows.values_list("content_type__app_label", "codename"))


def _read_group(group: Group) -> Content:
    """Return a group; the permissions that its role gives follow from the role and are not listed."""
    stored = GroupRole.objects.filter(group=group).first()
    found: Content = {"name": group.name, "role": stored.role if stored else ""}
    if stored is not None and not stored.all_entities:
        found["entities"] = sorted(stored.entities.values_list("code", flat=True))
    if not found["role"] and not is_one_of_the_four(group):
        found["permissions"] = _permissions(group.permissions)
    return found


@in_words
def _group_back(group: Group, content: Content) -> None:
    """Make a group what the content says; raises InvalidSchedule for an entity or a permission that is gone."""
    if is_one_of_the_four(group):
        raise InvalidSchedule({"name": [say("The installation keeps this group as it is.")]})
    content = {"role": "", **content}
    if Group.objects.filter(name=content["name"]).exclude(pk=group.pk).exists():
        raise InvalidSchedule({"name": [say("Another group has this name now.")]})
    if content["role"] not in ("", *Role.values):
        raise InvalidSchedule({"role": [say("There is no role {role!r} any more.", role=content["role"])]})
    named = Entity.objects.filter(code__in=content.get("entities", []))
    _refuse_missing("entities", content.get("entities", []), {entity.code for entity in named})
    group.name = content["name"]
    group.save()
    if "permissions" in content:
        group.permissions.set(_known(content["permissions"]))
    set_role(group, content["role"], named if "entities" in content else None)


def _read_person(person: User) -> Content:
    found: Content = {column: getattr(person, column) for column in _FLAGS}
    found["groups"] = sorted(person.groups.values_list("name", flat=True))
    return found | {"permissions": _permissions(person.user_permissions)}


@in_words
def _person_back(person: User, content: Content) -> None:
    """Make an account what the content says; raises InvalidSchedule for a group or a permission that is gone."""
    content = {**_read_person(person), **content}  # what an earlier release did not know stays as it is
    groups = Group.objects.filter(name__in=content["groups"])
    _refuse_missing("groups", content["groups"], {group.name for group in groups})
    if User.objects.filter(username=content["username"]).exclude(pk=person.pk).exists():
        raise InvalidSchedule({"username": [say("Another account has this name now.")]})
    for column in _FLAGS:
        setattr(person, column, content[column])
    person.save(update_fields=_FLAGS)
    person.groups.set(groups)
    person.user_permissions.set(_known(content["permissions"]))


def _known(names: list[str]) -> list[Permission]:
    pairs = {tuple(name.split(".", 1)) for name in names}
    found = {
        (permission.content_type.app_label, permission.codename): permission
        for permission in Permission.objects.filter(codename__in=[name for _, name in pairs]).select_related(
            "content_type"
        )
    }
    _refuse_missing("permissions", [".".join(pair) for pair in pairs], {".".join(pair) for pair in found})
    return [found[pair] for pair in pairs]  # type: ignore[index]


def _refuse_missing(key: str, names: list[str], known: set[str]) -> None:
    if missing := set(names) - known:
        raise InvalidSchedule({key: told_missing(missing)})


def _role(value: Any) -> str:
    return str(Role(value).label) if value in Role.values else say("its own permissions")


_OWN = {"permissions": _("Permissions one by one"), "groups": _("Groups")}
GROUP = Tracked(
    Group,
    columns=("name",),
    read=_read_group,
    words=Words(
        Group,
        keys=("name", "role", "entities", "permissions"),
        labels={**_OWN, "role": _("What its people do"), "entities": _("For which entities")},
        shown={"role": _role, "entities": lambda value: ", ".join(value) if value is not None else say("all")},
    ),
    go_back=_group_back,
    parts={GroupRole: lambda role: [role.group_id]},
    links={
        Group.permissions.through: lambda group: [group.pk],
        GroupRole.entities.through: lambda role: [role.group_id],
    },
)
PERSON = Tracked(
    User,
    columns=_FLAGS,
    read=_read_person,
    words=Words(User, keys=(*_FLAGS, *_OWN), labels=_OWN),
    go_back=_person_back,
    named_by="username",
    links={
        User.groups.through: lambda person: [person.pk],
        User.user_permissions.through: lambda person: [person.pk],
    },
)
