"""Promises of the page of groups: a role and its entities in one form, each fault at its field."""

from typing import Any

import pytest
from django.contrib.auth.models import Group, Permission, User
from django.urls import reverse

from scheduling.housekeeping.roles import set_role, sync_roles
from staging.models import Entity, GroupRole
from staging.rights import reach

pytestmark = pytest.mark.django_db
ADD = reverse("admin:auth_group_add")
MEND = "staging.mend_rows"


@pytest.fixture
def customer() -> Entity:
    return Entity.objects.create(code="customer", name="Customer")


def fill(client: Any, url: str = ADD, **data: Any) -> Any:
    return client.post(url, {"name": "Customer stewards", "role": "Steward", "reach": "named", **data})


def test_a_role_for_named_entities_is_given_in_one_form(superuser, customer):
    assert fill(superuser, entities=[customer.pk]).status_code == 302
    group = Group.objects.get(name="Customer stewards")
    ann = User.objects.create_user("ann")
    ann.groups.add(group)
    assert reach(ann, MEND) == {customer.pk}
    assert set(group.permissions.all()) == set(Group.objects.get(name="Steward").permissions.all())
    page = superuser.get(reverse("admin:auth_group_changelist")).content.decode()
    assert "Customer stewards" in page and ">Customer<" in page


def test_the_form_shows_what_is_stored_and_changes_it(superuser, customer):
    group = Group.objects.create(name="Customer stewards")
    set_role(group, "Steward", [customer])
    url = reverse("admin:auth_group_change", args=[group.pk])
    form = superuser.get(url).context["adminform"].form
    assert (form["role"].value(), form["reach"].value(), form["entities"].value()) == (
        "Steward",
        "named",
        [customer.pk],
    )
    assert fill(superuser, url, role="Viewer", reach="all").status_code == 302
    stored = GroupRole.objects.get(group=group)
    assert (stored.role, stored.all_entities, stored.entities.count()) == ("Viewer", True, 0)
    assert not group.permissions.filter(codename="mend_rows").exists()


@pytest.mark.parametrize(
    ("data", "field"),
    [({}, "entities"), ({"reach": "all", "entities": True}, "entities"), ({"reach": ""}, "reach"),
     ({"role": "King", "entities": True}, "role"), ({"entities": [99]}, "entities"),
     ({"name": "", "entities": True}, "name"), ({"role": "", "entities": True}, "role")],
)  # fmt: skip
def test_each_fault_stands_at_its_field(superuser, customer, data, field):
    chosen = {"entities": [customer.pk]} if data.get("entities") is True else {}
    errors = fill(superuser, **{**data, **chosen}).context["adminform"].form.errors
    assert list(errors) == [field] and not Group.objects.filter(name="Customer stewards").exists()


def test_a_group_without_a_role_has_the_permissions_that_were_chosen(superuser, customer):
    mend = Permission.objects.get(codename="mend_rows")
    assert fill(superuser, role="", entities=[customer.pk], permissions=[mend.pk]).status_code == 302
    group = Group.objects.get(name="Customer stewards")
    assert list(group.permissions.all()) == [mend] and group.entity_role.role == ""


def test_the_four_groups_stay_as_they_are(superuser, customer):
    viewer = Group.objects.get(name="Viewer")
    before = set(viewer.permissions.all())
    url = reverse("admin:auth_group_change", args=[viewer.pk])
    assert "The installation made this group" in superuser.get(url).content.decode()
    fill(superuser, url, name="Others", entities=[customer.pk], permissions=[each.pk for each in before])
    viewer.refresh_from_db()
    assert viewer.name == "Viewer" and set(viewer.permissions.all()) == before
    assert not GroupRole.objects.exists()


def test_a_migration_brings_new_permissions_into_every_group_of_a_role(customer):
    group = Group.objects.create(name="Customer stewards")
    set_role(group, "Steward", [customer])
    group.permissions.remove(Permission.objects.get(codename="mend_rows"))
    sync_roles()
    assert group.permissions.filter(codename="mend_rows").exists()


def test_nobody_below_a_superuser_sees_the_groups(administrator):
    assert administrator.get(reverse("admin:auth_group_changelist")).status_code == 403
