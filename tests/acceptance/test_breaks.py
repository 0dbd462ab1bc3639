"""What a soak breaks of the product is there: a piece that was renamed would break nothing, and be missed by nobody."""

import os
import subprocess
import sys

from tests.house.source import ROOT

# In a process of its own, for what is broken stays so.
APPLY = """
import django
django.setup()
from tests.acceptance.soak.apps import unfence
from tests.acceptance.soak.breaks import BREAKS
for broken in BREAKS.values():
    broken.apply()
unfence()
"""


def test_everything_that_is_broken_is_there() -> None:
    environment = os.environ | {"DJANGO_SETTINGS_MODULE": "scheduler_project.settings", "SECRET_KEY": "0123456789" * 5}
    done = subprocess.run([sys.executable, "-c", APPLY], cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
