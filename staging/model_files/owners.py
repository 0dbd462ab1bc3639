"""The owner in a model file: a person by the name of the account, or a group by its name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.contrib.auth.models import Group, User

from staging.model_files.shape import TEXT, Problems
from staging.models import Owned
from staging.wording import say

OWNER_KINDS = {"owner": TEXT, "owner_group": TEXT}


def owner_section(thing: Owned) -> dict[str, Any]:
    """Return the owner as a file shows it; nothing where there is none."""
    names = {"owner": thing.owner and thing.owner.get_username(), "owner_group": thing.owner_group}
    return {key: str(name) for key, name in names.items() if name}


def owner_document(thing: Owned) -> dict[str, Any]:
    """Return the owner as the API shows it: both keys, null where there is none."""
    return dict.fromkeys(OWNER_KINDS) | owner_section(thing)


def read_owner(thing: Owned, section: Mapping[str, Any], path: str, problems: Problems) -> None:
    """Give a thing the owner that the file says, or none; who is not known goes to the problems."""
    thing.owner = thing.owner_group = None
    if name := section.get("owner"):
        thing.owner = User.objects.filter(username=name).first()
        if thing.owner is None:
            problems.add(f"{path}.owner", say("There is no account {name!r} here.", name=name))
    if name := section.get("owner_group"):
        thing.owner_group = Group.objects.filter(name=name).first()
        if thing.owner_group is None:
            problems.add(f"{path}.owner_group", say("There is no group {name!r} here.", name=name))
