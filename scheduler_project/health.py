"""Answers the probes of a supervisor: /healthz is this process alive, /readyz can it serve.

A middleware and not a view: probes come with the address of a container as host name and over plain HTTP, which
ALLOWED_HOSTS and the redirect to HTTPS would refuse.
"""

from collections.abc import Callable

from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, HttpResponse, JsonResponse

from staging.wording import say


class HealthMiddleware:
    """Answers the two probe paths before anything else sees the request."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]):
        self._get_response = get_response
        self._is_migrated = False

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer a probe, or pass the request on."""
        if request.path == "/healthz":
            return JsonResponse({"status": "alive"})
        if request.path == "/readyz":
            problem = self._problem()
            return JsonResponse({"status": problem or "ready"}, status=503 if problem else 200)
        return self._get_response(request)

    def _problem(self) -> str:
        """Return why this process cannot serve yet; empty when it can. Details stay in the server's own log."""
        try:
            with connection.cursor() as cursor:
                cursor.execute("SELECT 1")
            if not self._is_migrated:  # read once: a process never sees its own migrations undone
                executor = MigrationExecutor(connection)
                self._is_migrated = not executor.migration_plan(executor.loader.graph.leaf_nodes())
        except DatabaseError:
            return say("the database does not answer")
        return "" if self._is_migrated else say("migrations are not applied")
