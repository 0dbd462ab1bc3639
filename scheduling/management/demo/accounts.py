"""The four accounts of the demo, one for each group."""

import secrets

from django.conf import settings
from django.contrib.auth.models import Group, User

# User name and group. Real installations make their own users and give them these groups.
ACCOUNTS = {"viewer": "Viewer", "operator": "Operator", "steward": "Steward", "admin": "Administrator"}


def make_accounts() -> str:
    """Create the accounts that are missing and return the password that all of them have.

    The password is DEMO_PASSWORD, or a random one. An account that exists already keeps its own password.
    """
    password = settings.DEMO_PASSWORD or secrets.token_urlsafe(9)
    for name, group in ACCOUNTS.items():
        rights = {"is_staff": True, "is_superuser": name == "admin"}  # admin may look at users and groups, too
        user, is_new = User.objects.get_or_create(username=name, defaults=rights)
        if is_new:
            user.set_password(password)
            user.save()
            user.groups.add(Group.objects.get(name=group))
    return password
