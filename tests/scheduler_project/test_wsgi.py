"""Promise: each process of a web server watches in place of a silent scheduler, a forked one, too; no command does.

It looks for garbage when an answer has been sent, and not before.
"""

import os
import subprocess
import sys
from pathlib import Path

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

_ANSWER = """
import gc
import scheduler_project.wsgi
from django.core.signals import request_finished
looks = []
gc.callbacks.append(lambda phase, info: looks.append(phase))
page = [[number] for number in range(50_000)]
made, during = gc.get_count()[0], len(looks)
request_finished.send(None)
print(made >= 50_000, during, looks == ["start", "stop"], gc.get_count()[0] < 1000)
request_finished.send(None)
print(len(looks))
"""


def said(code: str, folder: Path) -> str:
    """Return what a process of its own says."""
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "scheduler_project.settings",
        "SECRET_KEY": "only-for-tests-" + "0123456789" * 4,
        "DATABASE_URL": f"sqlite:///{folder}/none.sqlite3",
        "CELERY_BROKER_URL": "",
    }
    done = subprocess.run([sys.executable, "-c", code], cwd=settings.BASE_DIR, env=environment,
                          capture_output=True, text=True, check=True)  # fmt: skip
    return done.stdout


def test_a_process_of_the_web_watches_also_after_a_fork_and_a_command_does_not(tmp_path) -> None:
    assert said(_SERVE, tmp_path).splitlines()[-1] == "True 0"
    assert said(_COMMAND, tmp_path).splitlines()[-1] == "['MainThread']"


def test_garbage_is_looked_for_when_an_answer_is_sent_and_there_may_be_enough(tmp_path) -> None:
    assert said(_ANSWER, tmp_path).splitlines()[-2:] == ["True 0 True True", "2"]
