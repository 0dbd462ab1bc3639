"""The role of a group, and the entities for which the group has it."""

from __future__ import annotations

from django.contrib.auth.models import Group
from django.db import models
from django.utils.translation import gettext_lazy as _

from staging.states import Role


class GroupRole(models.Model):
    """What a group of people is for. A group without one may do for all entities what its permissions say.

    Whether it holds for every entity is said, not concluded from an empty list: an entity that is deleted would open
    all others to its people.
    """

    group = models.OneToOneField(Group, on_delete=models.CASCADE, related_name="entity_role")
    role = models.CharField(
        max_length=20, choices=Role, blank=True, help_text=_("Empty: the permissions that were chosen one by one.")
    )
    all_entities = models.BooleanField(default=True, help_text=_("Holds for every entity, also for new ones."))
    entities = models.ManyToManyField("staging.Entity", blank=True, related_name="+")

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return f"{self.group}: {self.role or 'own permissions'}"
