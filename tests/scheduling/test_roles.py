"""Promises of the four groups."""

import re
from itertools import pairwise
from pathlib import Path

import pytest
from django.contrib.auth.models import Group, Permission
from django.contrib.contenttypes.models import ContentType

from scheduling.housekeeping.roles import sync_roles
from staging.states import Role

pytestmark = pytest.mark.django_db
ORDER = list(Role)
VIEWER, ADMINISTRATOR = Role.VIEWER, Role.ADMINISTRATOR


def names(role: str) -> set[str]:
    found = Group.objects.get(name=role).permissions.select_related("content_type")
    return {f"{permission.content_type.app_label}.{permission.codename}" for permission in found}


def test_migrating_creates_the_four_groups():
    assert set(Group.objects.values_list("name", flat=True)) >= set(ORDER)


def test_each_role_may_all_that_the_one_before_may():
    for less, more in pairwise(ORDER):
        assert names(less) < names(more)


def test_a_viewer_may_only_look():
    assert all(name.split(".")[1].startswith("view_") for name in names(VIEWER))
    assert "staging.view_rows" in names(VIEWER) and "scheduling.view_schedulerlog" in names(VIEWER)


def test_the_administrator_may_everything_of_both_apps_and_nothing_of_users():
    ours = Permission.objects.filter(content_type__app_label__in=["staging", "scheduling"])
    assert len(names(ADMINISTRATOR)) == ours.count()
    assert not any(name.startswith("auth.") for name in names(ADMINISTRATOR))


def test_syncing_again_mends_our_permissions_and_leaves_those_of_others():
    group = Group.objects.get(name=VIEWER)
    foreign = Permission.objects.get(codename="view_session", content_type__app_label="sessions")
    added = Permission.objects.get(codename="process_batch")
    group.permissions.add(foreign, added)
    group.permissions.remove(Permission.objects.get(codename="view_run"))
    sync_roles()
    assert "sessions.view_session" in names(VIEWER)
    assert "scheduling.process_batch" not in names(VIEWER) and "scheduling.view_run" in names(VIEWER)


def test_the_roles_page_names_every_custom_permission():
    page = Path("docs/roles.md").read_text(encoding="utf-8")
    kinds = ContentType.objects.filter(app_label__in=["staging", "scheduling"])
    for permission in Permission.objects.filter(content_type__in=kinds):
        if not re.match(r"(add|change|delete|view)_(?!rows)", permission.codename):
            assert f"`{permission.codename}`" in page, permission.codename
