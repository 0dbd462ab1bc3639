"""Make an administrator; unlike Django's command, a weak password is refused without questions, too.

Django checks a password that somebody types, and takes the one of an environment variable as it is. That one stands in
scripts and compose files, and is the one that is guessed.
"""

import os
from typing import Any

from django.contrib.auth.management.commands import createsuperuser
from django.contrib.auth.models import User
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.management import CommandError


class Command(createsuperuser.Command):
    """Django's own command, which reads the account from options and DJANGO_SUPERUSER_… with `--no-input`."""

    def handle(self, *args: Any, **options: Any) -> None:
        """Make the account. Raises CommandError when the password of the environment is weak; then there is none."""
        password = os.environ.get("DJANGO_SUPERUSER_PASSWORD")
        if not options["interactive"] and password is not None:
            names = {name: options.get(name) or os.environ.get(f"DJANGO_SUPERUSER_{name.upper()}") for name in _NAMES}
            try:
                validate_password(password, User(**{name: text for name, text in names.items() if text}))
            except ValidationError as weak:
                raise CommandError(f"DJANGO_SUPERUSER_PASSWORD: {' '.join(weak.messages)}", returncode=2) from weak
        super().handle(*args, **options)


_NAMES = ("username", "email")
