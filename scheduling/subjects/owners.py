"""The deletion of an account or a group, told in the history of what it owned: that stays, without an owner."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import Group, User
from django.db.models import Model
from django.db.models.signals import pre_delete

from scheduling.models import Job, Plan
from staging.models import Entity
from staging.versions.units import touch

_COLUMN: dict[type[Model], str] = {User: "owner", Group: "owner_group"}


def follow_owners() -> None:
    """Note what an account or a group owns before it is deleted: no signal tells of columns that become empty."""
    for model in _COLUMN:
        pre_delete.connect(_about_to_go, sender=model, dispatch_uid=f"owners.{model._meta.label}")


def _about_to_go(sender: type[Model], instance: Model, **_: Any) -> None:
    for model in (Entity, Plan, Job):
        for thing in model._default_manager.filter(**{_COLUMN[sender]: instance.pk}):
            touch(thing)
