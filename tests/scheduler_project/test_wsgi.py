"""Promise: each process of a web server watches in place of a silent scheduler, a forked one, too; no command does."""

import os
import subprocess
import sys

from django.conf import settings

_SERVE = """
import os, sys, threading
import scheduler_project.wsgi
here = any(thread.name == "alerts" for thread in threading.enumerate())
sys.stdout.flush()
child = os.fork()
if not child:
    os._exit(0 if any(thread.name == "alerts" and thread.is_alive() for thread in threading.enumerate()) else 1)
print(here, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
_COMMAND = """
import threading
from django.core.management import execute_from_command_line
execute_from_command_line(["manage.py", "check"])
print([thread.name for thread in threading.enumerate()])
"""


def test_a_process_of_the_web_watches_also_after_a_fork_and_a_command_does_not(tmp_path) -> None:
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "scheduler_project.settings",
        "SECRET_KEY": "only-for-tests-" + "0123456789" * 4,
        "DATABASE_URL": f"sqlite:///{tmp_path}/none.sqlite3",
        "CELERY_BROKER_URL": "",
    }

    def said(code: str) -> str:
        done = subprocess.run([sys.executable, "-c", code], cwd=settings.BASE_DIR, env=environment,
                              capture_output=True, text=True, check=True)  # fmt: skip
        return done.stdout.splitlines()[-1]

    assert said(_SERVE) == "True 0"
    assert said(_COMMAND) == "['MainThread']"
