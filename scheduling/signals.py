"""What must follow a new entity or a migration, wherever it came from."""

from typing import Any

from django.db.models.signals import post_migrate, post_save
from django.dispatch import receiver

from scheduling.models import SchedulerConfiguration
from scheduling.roles import sync_roles
from staging.models import Entity


@receiver(post_migrate, dispatch_uid="scheduling.roles")
def _keep_roles(sender: Any, **_: Any) -> None:
    """Give the four groups their permissions once the permissions of both apps exist (ours is migrated last)."""
    if sender.name == "scheduling":
        sync_roles()


@receiver(post_save, sender=Entity, dispatch_uid="scheduling.configuration")
def _give_a_configuration(instance: Entity, created: bool, raw: bool, **_: Any) -> None:
    """Give every new entity its configuration: manual, so that nothing starts before a person says so."""
    if created and not raw:
        SchedulerConfiguration.objects.get_or_create(entity=instance)
