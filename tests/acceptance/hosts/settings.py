"""Settings of a process that has a host of its own: the project's, and who it is."""

from scheduler_project.settings import *  # noqa: F403
from scheduler_project.settings import INSTALLED_APPS

INSTALLED_APPS = [*INSTALLED_APPS, "tests.acceptance.hosts.apps.HostConfig"]
