"""WSGI entry for a web server such as gunicorn."""

import os

from django.core.wsgi import get_wsgi_application
from django.urls import get_resolver

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "scheduler_project.settings")

application = get_wsgi_application()
get_resolver().url_patterns  # noqa: B018 - the pages are found now, so that the first visitor need not wait for them


def _reconcile() -> None:
    """Bring the declared jobs in line with the code of this process, on a connection that no request inherits."""
    from django.db import connections

    from scheduling import clock
    from scheduling.housekeeping.start import at_start

    at_start(clock.now())
    connections.close_all()


_reconcile()


def _collect_between_pages() -> None:
    """Look for garbage when nobody waits; what was loaded stays, and is looked through no more."""
    from scheduler_project.around import collect_between_pages

    collect_between_pages()


_collect_between_pages()


def _stand_in() -> None:
    """Let this process tell people when scheduler and workers are all silent: somebody has to be left who does.

    In a thread that asks once a cycle, with a connection of its own: requests neither wait for it nor have to come.
    """
    from scheduling.alerts.stand_in import StandIn

    StandIn().start()


_stand_in()
os.register_at_fork(after_in_child=_stand_in)  # a server that loads this before it forks: no thread comes along
