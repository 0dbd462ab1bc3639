#!/usr/bin/env python
"""Django's command line for this project: every command in docs/commands.md starts here."""

import os
import sys


def main() -> None:
    """Run the management command named on the command line."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "scheduler_project.settings")
    from django.apps import apps
    from django.conf import settings
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line

    from scheduler_project.own_code import fault_in_own_code, was_finding_pages

    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(2)
    except Exception as error:
        is_of_start = not apps.ready or was_finding_pages(error)
        if not is_of_start or not (text := fault_in_own_code(error, getattr(settings, "EXTRA_APPS", ()))):
            raise
        sys.stderr.write(f"{text}\n")
        sys.exit(2)


if __name__ == "__main__":
    main()
