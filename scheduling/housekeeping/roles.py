"""The four roles: which permissions each has, and the groups that have a role."""

from __future__ import annotations

from collections.abc import Iterable

from django.contrib.auth.models import Group, Permission
from django.db import transaction

from staging.models import Entity, GroupRole
from staging.states import Role
from staging.versions.units import as_one_change

APPS = ("staging", "scheduling")

# What a role may do beyond the role before it, as app_label.codename. Viewer: every "view" permission is added below.
_VIEWER = {"staging.view_rows"}
_OPERATOR = {
    "scheduling.test_run",
    "scheduling.process_batch",
    "scheduling.cancel_run",
    "scheduling.restart_run",
    "scheduling.pause",
    "scheduling.run_job",
    "scheduling.run_plan",
    "scheduling.export_schedulerlog",
    "scheduling.share_filters",
    "scheduling.acknowledge_alert",
    "staging.upload_rows",
}
_STEWARD = {
    "scheduling.change_schedulerconfiguration",
    "scheduling.add_plan",
    "scheduling.change_plan",
    "scheduling.change_job",
    "scheduling.change_jobschedule",
    "staging.mend_rows",
    "staging.undo_batch",
    "staging.approve_batch",
    *(
        f"scheduling.{verb}_{model}"
        for model in ("blackoutcalendar", "alertrule")
        for verb in ("add", "change", "delete")
    ),
}


def sync_roles() -> None:
    """Create the four groups where missing, and give every group with a role exactly its permissions of our two apps.

    Permissions of other apps that a site added to a group stay. Idempotent; called after every migration.
    """
    given = _permissions()
    for role in Role:
        group, _ = Group.objects.get_or_create(name=role.value)
        _give(group, given[role])
    for each in GroupRole.objects.exclude(role="").select_related("group"):
        _give(each.group, given[Role(each.role)])


@as_one_change
def set_role(group: Group, role: str, entities: Iterable[Entity] | None) -> GroupRole:
    """Give a group a role, for these entities or, with None, for all; without a role it keeps its own permissions."""
    with transaction.atomic():
        stored, _ = GroupRole.objects.update_or_create(
            group=group, defaults={"role": role, "all_entities": entities is None}
        )
        stored.entities.set(entities or [])
        if role:
            _give(group, _permissions()[Role(role)])
    return stored


def is_one_of_the_four(group: Group) -> bool:
    """Return whether the installation made this group, and keeps it as it is."""
    return group.name in Role.values


def _permissions() -> dict[Role, list[Permission]]:
    """Return what each role may do, of what exists."""
    known = {
        f"{permission.content_type.app_label}.{permission.codename}": permission
        for permission in Permission.objects.filter(content_type__app_label__in=APPS).select_related("content_type")
    }
    viewer = _VIEWER | {name for name in known if name.split(".")[1].startswith("view_")}
    operator = viewer | _OPERATOR
    steward = operator | _STEWARD
    wanted = {Role.VIEWER: viewer, Role.OPERATOR: operator, Role.STEWARD: steward, Role.ADMINISTRATOR: set(known)}
    return {role: [known[name] for name in sorted(names) if name in known] for role, names in wanted.items()}


def _give(group: Group, permissions: list[Permission]) -> None:
    """Make `permissions` the group's only permissions of our apps, writing only what differs."""
    held = set(group.permissions.filter(content_type__app_label__in=APPS).values_list("pk", flat=True))
    wanted = {permission.pk for permission in permissions}
    group.permissions.add(*(wanted - held))
    group.permissions.remove(*(held - wanted))
