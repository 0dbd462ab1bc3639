"""WSGI entry for a web server such as gunicorn."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "scheduler_project.settings")

application = get_wsgi_application()


def _reconcile() -> None:
    """Bring the declared jobs in line with the code of this process, on a connection that no request inherits."""
    from django.db import connections

    from scheduling import clock
    from scheduling.housekeeping.start import at_start

    at_start(clock.now())
    connections.close_all()


_reconcile()
