"""The four groups a business site needs, and what each may do; docs/roles.md tells the same in a table."""

from django.contrib.auth.models import Group, Permission

APPS = ("staging", "scheduling")

VIEWER, OPERATOR, STEWARD, ADMINISTRATOR = "Viewer", "Operator", "Steward", "Administrator"

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
    *(f"scheduling.{verb}_blackoutcalendar" for verb in ("add", "change", "delete")),
}


def sync_roles() -> None:
    """Create the four groups where missing and give each exactly its permissions of our two apps.

    Permissions of other apps that a site added to a group stay. Idempotent; called after every migration.
    """
    known = {
        f"{permission.content_type.app_label}.{permission.codename}": permission
        for permission in Permission.objects.filter(content_type__app_label__in=APPS).select_related("content_type")
    }
    viewer = _VIEWER | {name for name in known if name.split(".")[1].startswith("view_")}
    operator = viewer | _OPERATOR
    steward = operator | _STEWARD
    wanted = {VIEWER: viewer, OPERATOR: operator, STEWARD: steward, ADMINISTRATOR: set(known)}
    for role, names in wanted.items():
        _give(role, [known[name] for name in sorted(names) if name in known])


def _give(role: str, permissions: list[Permission]) -> None:
    """Make `permissions` the group's only permissions of our apps, writing only what differs."""
    group, _ = Group.objects.get_or_create(name=role)
    held = set(group.permissions.filter(content_type__app_label__in=APPS).values_list("pk", flat=True))
    wanted = {permission.pk for permission in permissions}
    group.permissions.add(*(wanted - held))
    group.permissions.remove(*(held - wanted))
