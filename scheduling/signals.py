"""What must follow a new entity or a migration, wherever it came from."""

from typing import Any

from django.db.models.signals import post_migrate
from django.dispatch import receiver

from scheduling.roles import sync_roles


@receiver(post_migrate, dispatch_uid="scheduling.roles")
def _keep_roles(sender: Any, **_: Any) -> None:
    """Give the four groups their permissions once the permissions of both apps exist (ours is migrated last)."""
    if sender.name == "scheduling":
        sync_roles()
