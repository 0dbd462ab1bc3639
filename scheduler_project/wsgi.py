"""WSGI entry for a web server such as gunicorn."""

import gc
import os

from django.core.wsgi import get_wsgi_application
from django.urls import get_resolver

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "scheduler_project.settings")

application = get_wsgi_application()
get_resolver().url_patterns  # noqa: B018 - the pages are found now, so that the first visitor need not wait for them
# What was loaded stays: to look through it all for garbage took each second large page a sixth of a second.
gc.collect()
gc.freeze()
gc.set_threshold(50_000)  # and a page makes more than the usual 700 things at a time


def _reconcile() -> None:
    """Bring the declared jobs in line with the code of this process, on a connection that no request inherits."""
    from django.db import connections

    from scheduling import clock
    from scheduling.housekeeping.start import at_start

    at_start(clock.now())
    connections.close_all()


_reconcile()


def _stand_in() -> None:
    """Let this process tell people when scheduler and workers are all silent: somebody has to be left who does.

    In a thread that asks once a cycle, with a connection of its own: requests neither wait for it nor have to come.
    """
    from scheduling.alerts.stand_in import StandIn

    StandIn().start()


_stand_in()
os.register_at_fork(after_in_child=_stand_in)  # a server that loads this before it forks: no thread comes along
