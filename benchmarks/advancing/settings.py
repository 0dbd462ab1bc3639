"""Settings of the workers of benchmarks/advance.py: the project's own, with the empty tasks and a place for results.

BARE=1 leaves Celery's usual prefetch on, for the measures of its own canvas.
"""

import os

from scheduler_project.settings import *  # noqa: F403
from scheduler_project.settings import CELERY_BROKER_URL, INSTALLED_APPS

INSTALLED_APPS = [*INSTALLED_APPS, "benchmarks.advancing"]
CELERY_IMPORTS = ["benchmarks.advancing.calls"]
CELERY_RESULT_BACKEND = CELERY_BROKER_URL  # chords need one
CELERY_RESULT_BACKEND_TRANSPORT_OPTIONS = {"global_keyprefix": os.environ.get("CELERY_KEY_PREFIX", "")}
if os.environ.get("BARE"):
    CELERY_WORKER_DISABLE_PREFETCH = False
    CELERY_WORKER_PREFETCH_MULTIPLIER = 4
