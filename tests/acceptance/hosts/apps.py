"""What differs on another host: its name, and that nobody there can see our processes."""

import os
import socket

from django.apps import AppConfig


class HostConfig(AppConfig):
    """Installed only in the processes of a test with several hosts."""

    name = "tests.acceptance.hosts"
    label = "hosts"

    def ready(self) -> None:
        """Take the name and the machine that HOST tells; a command of the test has none."""
        from scheduling.lifecycle import tasks

        if host := os.environ.get("HOST"):
            socket.gethostname = lambda: host
            tasks._machine = lambda: f"machine of {host}"
