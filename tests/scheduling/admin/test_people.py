"""Promise: accounts and groups are for superusers alone, at every address of them and by every method."""

import re

import pytest
from django.contrib.auth.models import Group, User

from tests.scheduling.admin.addresses import addresses
from tests.scheduling.admin.conftest import client_for
from tests.scheduling.admin.test_every_door import ROLES, refused

pytestmark = pytest.mark.django_db
PEOPLE = [(pattern, name) for pattern, name in addresses() if pattern.startswith("/admin/auth/")]


@pytest.mark.parametrize("role", [each for each in ROLES if each != "superuser"])
def test_no_role_sees_or_changes_accounts_and_groups(role):
    """Who may change people can give himself every right: that is for superusers."""
    person, group = User.objects.create_user("ann"), Group.objects.create(name="Night")
    client, wrong = client_for(role), {}
    before = list(User.objects.order_by("pk").values()), list(Group.objects.values())
    sent = {"post": "yes", "username": "eve", "name": "Eve", "is_superuser": "on", "usable_password": "true",
            "password1": "Tr0ub4dour-and-3", "password2": "Tr0ub4dour-and-3", "action": "delete_selected",
            "_selected_action": [person.pk]}  # fmt: skip
    for pattern, name in PEOPLE:
        where = re.sub(r"<[^>]+>", str(group.pk if "/group/" in pattern else person.pk), pattern)
        for method in ("get", "head", "options", "post"):
            response = getattr(client, method)(where, sent if method == "post" else {})
            led_on = response.status_code == 302 and not name  # the bare number leads to the form, which refuses
            if not refused(response) and not led_on:
                wrong[where] = method, response.status_code
    assert wrong == {} and len(PEOPLE) > 10
    assert (list(User.objects.order_by("pk").values()), list(Group.objects.values())) == before
