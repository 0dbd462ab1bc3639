"""Settings of the processes of a soak: the project's own, with the pieces of work it runs."""

from scheduler_project.settings import *  # noqa: F403
from scheduler_project.settings import INSTALLED_APPS

INSTALLED_APPS = [*INSTALLED_APPS, "tests.acceptance.soak.apps.SoakConfig"]
