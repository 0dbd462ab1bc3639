"""Who is responsible for a thing: a person or a group; it gives no rights, it says whom to ask and whom to tell."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from staging.wording import say

OWNER_COLUMNS = ("owner", "owner_group")


class Owned(models.Model):
    """A thing with an owner. One whose owner is deleted stays, without an owner."""

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+",
        verbose_name=_("owner"), help_text=_("The person who is responsible."),
    )  # fmt: skip
    owner_group = models.ForeignKey(
        "auth.Group", on_delete=models.SET_NULL, null=True, blank=True, related_name="+",
        verbose_name=_("owning group"), help_text=_("Or a group whose people are responsible together."),
    )  # fmt: skip

    class Meta:
        abstract = True

    @property
    def responsible(self) -> str:
        """Return what the owner is called; empty where there is none."""
        return self.owner.get_username() if self.owner else self.owner_group.name if self.owner_group else ""


def owner_errors(thing: Owned) -> dict[str, list[str]]:
    """Return what is wrong with the owner of a thing, by field: one for each door."""
    if thing.owner_id is not None and thing.owner_group_id is not None:
        return {"owner_group": [say("A person or a group is responsible, not both; leave one of them empty.")]}
    return {}


def one_owner(name: str) -> models.CheckConstraint:
    """Return the law that nobody shares responsibility with a group."""
    return models.CheckConstraint(condition=Q(owner__isnull=True) | Q(owner_group__isnull=True), name=name)


def mine(person: Any, path: str = "") -> Q:
    """Return what is a person's: his own, and that of his groups; `path` leads from the rows to what is owned."""
    return Q(**{f"{path}owner": person.pk}) | Q(**{f"{path}owner_group__in": person.groups.all()})
